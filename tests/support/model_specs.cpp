#include "support/model_specs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "format/dtype_table.h"

namespace headroom::test {

const ModelShape kTinyLlama{"TinyLlama 1.1B", "llama", 22, 2048, 32, 4, 64, 5632, 32000, 2048};
const ModelShape kLlama32_1B{"Llama 3.2 1B", "llama", 16, 2048, 32, 8, 64, 8192, 128256, 131072, true};
const ModelShape kLlama3_8B{"Llama 3 8B", "llama", 32, 4096, 32, 8, 128, 14336, 128256, 8192};
const ModelShape kQwen25_7B{"Qwen2.5 7B", "qwen2", 28, 3584, 28, 4, 128, 18944, 152064, 32768, false, true};
const ModelShape kQwen3_8B{"Qwen3 8B", "qwen3", 36, 4096, 32, 8, 128, 12288, 151936, 40960, false, false, true};
const ModelShape kLlama3_70B{"Llama 3 70B", "llama", 80, 8192, 64, 8, 128, 28672, 128256, 8192};
const ModelShape kMistral7B{
    "Mistral 7B v0.1", "llama", 32, 4096, 32, 8, 128, 14336, 32000, 32768, false, false, false, 4096};
const ModelShape kGemma2_9B{"Gemma 2 9B", "gemma2", 42,   3584,  16,    8,    256, 14336,
                            256000,       8192,     true, false, false, 4096, 2,   true};
const ModelShape kGemma3_27B{"Gemma 3 27B", "gemma3", 62,   5376,  32,   16,   128, 21504,
                             262144,        131072,   true, false, true, 1024, 6,   true};
const ModelShape kQwen3_30B_A3B{"Qwen3 30B A3B", "qwen3moe", 48,    2048, 32, 4, 128,   768, 151936,
                                40960,           false,      false, true, 0,  1, false, 128, 8};
const ModelShape kQwen35_27B{.name = "Qwen3.8 27B",
                             .architecture = "qwen35",
                             .n_layers = 64,
                             .d_model = 5120,
                             .n_heads = 24,
                             .n_kv_heads = 4,
                             .head_dim = 256,
                             .d_ff = 17408,
                             .n_vocab = 248320,
                             .n_ctx_trained = 262144,
                             .has_qk_norm = true,
                             .attention_period = 4,
                             .delta_net = {16, 48, 128, 128, 4, true}};
const ModelShape kQwen35_35B_A3B{.name = "Qwen3.6 35B A3B",
                                 .architecture = "qwen35moe",
                                 .n_layers = 40,
                                 .d_model = 2048,
                                 .n_heads = 16,
                                 .n_kv_heads = 2,
                                 .head_dim = 256,
                                 .d_ff = 512,
                                 .n_vocab = 248320,
                                 .n_ctx_trained = 262144,
                                 .has_qk_norm = true,
                                 .n_experts = 256,
                                 .n_experts_used = 8,
                                 .attention_period = 4,
                                 .delta_net = {16, 32, 128, 128, 4, true},
                                 .shared_d_ff = 512};
const ModelShape kQwen3Next_80B_A3B{.name = "Qwen3 Next 80B A3B",
                                    .architecture = "qwen3next",
                                    .n_layers = 48,
                                    .d_model = 2048,
                                    .n_heads = 16,
                                    .n_kv_heads = 2,
                                    .head_dim = 256,
                                    .d_ff = 512,
                                    .n_vocab = 151936,
                                    .n_ctx_trained = 262144,
                                    .has_qk_norm = true,
                                    .n_experts = 512,
                                    .n_experts_used = 10,
                                    .attention_period = 4,
                                    .delta_net = {16, 32, 128, 128, 4, false},
                                    .shared_d_ff = 512};

const ModelShape kGemma4_12B{.name = "Gemma 4 12B",
                             .architecture = "gemma4",
                             .n_layers = 48,
                             .d_model = 3840,
                             .n_heads = 16,
                             .n_kv_heads = 8,
                             .head_dim = 512,
                             .d_ff = 15360,
                             .n_vocab = 262144,
                             .n_ctx_trained = 131072,
                             .tied_head = true,
                             .has_qk_norm = true,
                             .window = 1024,
                             .window_every = 6,
                             .has_post_norms = true,
                             .window_head_dim = 256,
                             .full_kv_heads = 1};
const ModelShape kGemma4_26B_A4B{.name = "Gemma 4 26B A4B",
                                 .architecture = "gemma4",
                                 .n_layers = 30,
                                 .d_model = 2816,
                                 .n_heads = 16,
                                 .n_kv_heads = 8,
                                 .head_dim = 512,
                                 .d_ff = 704,
                                 .n_vocab = 262144,
                                 .n_ctx_trained = 262144,
                                 .tied_head = true,
                                 .has_qk_norm = true,
                                 .window = 1024,
                                 .window_every = 6,
                                 .has_post_norms = true,
                                 .n_experts = 128,
                                 .n_experts_used = 8,
                                 .shared_d_ff = 2112,
                                 .window_head_dim = 256,
                                 .full_kv_heads = 2};
const ModelShape kGemma4_31B{.name = "Gemma 4 31B",
                             .architecture = "gemma4",
                             .n_layers = 60,
                             .d_model = 5376,
                             .n_heads = 32,
                             .n_kv_heads = 16,
                             .head_dim = 512,
                             .d_ff = 21504,
                             .n_vocab = 262144,
                             .n_ctx_trained = 262144,
                             .tied_head = true,
                             .has_qk_norm = true,
                             .window = 1024,
                             .window_every = 6,
                             .has_post_norms = true,
                             .window_head_dim = 256,
                             .full_kv_heads = 4};

namespace {

// Adds tensors in file order and sums what a header would say.
class WeightList {
 public:
  WeightList(ModelInfo& model, DType matrix_dtype) : model_(model), matrix_dtype_(matrix_dtype) {}

  void add(TensorRole role, std::int32_t layer, const std::string& name, std::uint64_t n_rows, std::uint64_t n_cols,
           std::uint64_t n_matrices = 1) {
    WeightTensor weight;
    weight.role = role;
    weight.layer = layer;
    weight.name = layer < 0 ? name : "blk." + std::to_string(layer) + "." + name;
    weight.file_tensor = static_cast<std::uint32_t>(model_.weights.size());
    weight.n_matrices = n_matrices;
    weight.n_rows = n_rows;
    weight.n_cols = n_cols;
    weight.dtype = DType::kF32;
    if (role_is_matrix(role))
      weight.dtype = n_cols % dtype_row(matrix_dtype_).block_elems == 0 ? matrix_dtype_ : DType::kF16;
    const Bytes bytes = n_matrices * n_rows * row_bytes(weight.dtype, n_cols);
    model_.n_params += n_matrices * n_rows * n_cols;
    model_.file_bytes += bytes;
    by_type_[std::string(dtype_row(weight.dtype).name)] += bytes;
    model_.weights.push_back(std::move(weight));
  }

  void finish() {
    model_.bytes_by_type.assign(by_type_.begin(), by_type_.end());
    std::sort(model_.bytes_by_type.begin(), model_.bytes_by_type.end(),
              [](const auto& a, const auto& b) { return a.second > b.second; });
  }

 private:
  ModelInfo& model_;
  DType matrix_dtype_;
  std::map<std::string, Bytes> by_type_;
};

void add_delta_net(const DeltaNetSpec& spec, std::int32_t layer, std::uint32_t d_model, WeightList& list) {
  list.add(TensorRole::kQ, layer, "attn_qkv.weight", spec.q_dim(), d_model);
  list.add(TensorRole::kK, layer, "attn_qkv.weight", spec.q_dim(), d_model);
  list.add(TensorRole::kV, layer, "attn_qkv.weight", spec.v_dim(), d_model);
  list.add(TensorRole::kOutGate, layer, "attn_gate.weight", spec.v_dim(), d_model);
  list.add(TensorRole::kAlpha, layer, "ssm_alpha.weight", spec.n_value_heads, d_model);
  list.add(TensorRole::kBeta, layer, "ssm_beta.weight", spec.n_value_heads, d_model);
  list.add(TensorRole::kConv, layer, "ssm_conv1d.weight", spec.n_mixed(), spec.conv_width);
  list.add(TensorRole::kTimeBias, layer, "ssm_dt.bias", 1, spec.n_value_heads);
  list.add(TensorRole::kDecay, layer, "ssm_a", 1, spec.n_value_heads);
  list.add(TensorRole::kReadNorm, layer, "ssm_norm.weight", 1, spec.value_dim);
  list.add(TensorRole::kAttnOut, layer, "ssm_out.weight", d_model, spec.v_dim());
}

void add_attention(const LayerSpec& spec, std::int32_t layer, std::uint32_t d_model, WeightList& list) {
  list.add(TensorRole::kQ, layer, "attn_q.weight", spec.q_dim(), d_model);
  if (spec.has_out_gate) list.add(TensorRole::kOutGate, layer, "attn_q.weight", spec.q_dim(), d_model);
  list.add(TensorRole::kK, layer, "attn_k.weight", spec.kv_dim(), d_model);
  if (!spec.value_is_key) list.add(TensorRole::kV, layer, "attn_v.weight", spec.kv_dim(), d_model);
  if (spec.has_qkv_bias) {
    list.add(TensorRole::kQBias, layer, "attn_q.bias", 1, spec.q_dim());
    list.add(TensorRole::kKBias, layer, "attn_k.bias", 1, spec.kv_dim());
    list.add(TensorRole::kVBias, layer, "attn_v.bias", 1, spec.kv_dim());
  }
  if (spec.has_qk_norm) {
    list.add(TensorRole::kQNorm, layer, "attn_q_norm.weight", 1, spec.head_dim);
    list.add(TensorRole::kKNorm, layer, "attn_k_norm.weight", 1, spec.head_dim);
  }
  list.add(TensorRole::kAttnOut, layer, "attn_output.weight", d_model, spec.q_dim());
}

void add_dense(const LayerSpec& spec, std::int32_t layer, std::uint32_t d_model, WeightList& list) {
  list.add(TensorRole::kGate, layer, "ffn_gate.weight", spec.d_ff, d_model);
  list.add(TensorRole::kUp, layer, "ffn_up.weight", spec.d_ff, d_model);
  list.add(TensorRole::kDown, layer, "ffn_down.weight", d_model, spec.d_ff);
}

void add_layer_weights(const LayerSpec& spec, std::int32_t layer, std::uint32_t d_model, WeightList& list) {
  list.add(TensorRole::kAttnNorm, layer, "attn_norm.weight", 1, d_model);
  if (spec.delta_net) {
    add_delta_net(*spec.delta_net, layer, d_model, list);
  } else {
    add_attention(spec, layer, d_model, list);
  }
  list.add(TensorRole::kFfnNorm, layer, "ffn_norm.weight", 1, d_model);
  if (spec.has_post_norms) list.add(TensorRole::kAttnPostNorm, layer, "post_attention_norm.weight", 1, d_model);
  if (!spec.has_experts()) {
    add_dense(spec, layer, d_model, list);
    if (spec.has_post_norms) list.add(TensorRole::kFfnPostNorm, layer, "post_ffw_norm.weight", 1, d_model);
    return;
  }
  list.add(TensorRole::kRouter, layer, "ffn_gate_inp.weight", spec.n_experts, d_model);
  list.add(TensorRole::kExpertGate, layer, "ffn_gate_exps.weight", spec.expert_d_ff, d_model, spec.n_experts);
  list.add(TensorRole::kExpertUp, layer, "ffn_up_exps.weight", spec.expert_d_ff, d_model, spec.n_experts);
  list.add(TensorRole::kExpertDown, layer, "ffn_down_exps.weight", d_model, spec.expert_d_ff, spec.n_experts);
  if (spec.has_branch_norms) {
    for (const TensorRole norm : {TensorRole::kFfnPostNorm, TensorRole::kRouterNorm, TensorRole::kExpertNorm,
                                  TensorRole::kExpertPostNorm, TensorRole::kSharedPostNorm})
      list.add(norm, layer, std::string(role_name(norm)), 1, d_model);
    list.add(TensorRole::kExpertScale, layer, "ffn_down_exps.scale", 1, spec.n_experts);
    return add_dense(spec, layer, d_model, list);
  }
  if (!spec.has_shared_expert()) return;
  list.add(TensorRole::kGate, layer, "ffn_gate_shexp.weight", spec.d_ff, d_model);
  list.add(TensorRole::kUp, layer, "ffn_up_shexp.weight", spec.d_ff, d_model);
  list.add(TensorRole::kDown, layer, "ffn_down_shexp.weight", d_model, spec.d_ff);
  if (spec.has_shared_gate) list.add(TensorRole::kSharedGate, layer, "ffn_gate_inp_shexp.weight", 1, d_model);
}

void fill_weights(ModelInfo& model, bool tied_head, DType matrix_dtype) {
  WeightList list(model, matrix_dtype);
  list.add(TensorRole::kTokenEmbedding, -1, "token_embd.weight", model.n_vocab, model.d_model);
  for (std::size_t i = 0; i < model.layers.size(); ++i)
    add_layer_weights(model.layers[i], static_cast<std::int32_t>(i), model.d_model, list);
  list.add(TensorRole::kOutputNorm, -1, "output_norm.weight", 1, model.d_model);
  if (!tied_head) list.add(TensorRole::kHead, -1, "output.weight", model.n_vocab, model.d_model);
  list.finish();
}

void set_experts(LayerSpec& layer, std::uint32_t n_experts, std::uint32_t n_experts_used) {
  layer.n_experts = n_experts;
  layer.n_experts_used = n_experts_used;
  layer.expert_d_ff = std::exchange(layer.d_ff, 0);
}

// The FFN of a layer of this shape.
void set_ffn(LayerSpec& layer, const ModelShape& shape) {
  layer.d_ff = shape.d_ff;
  if (shape.n_experts == 0) return;
  set_experts(layer, shape.n_experts, shape.n_experts_used);
  layer.d_ff = shape.shared_d_ff;
  layer.has_branch_norms = layer.has_expert_scales = shape.window_head_dim > 0;
  layer.has_shared_gate = shape.shared_d_ff > 0 && !layer.has_branch_norms;
}

}  // namespace

ModelInfo make_model(const ModelShape& shape, DType matrix_dtype) {
  ModelInfo model;
  model.name = shape.name;
  model.architecture = shape.architecture;
  model.n_vocab = shape.n_vocab;
  model.d_model = shape.d_model;
  model.n_ctx_trained = shape.n_ctx_trained;
  RopeSpec rope;
  rope.rope_dim = shape.head_dim;
  model.ropes.push_back(rope);
  rope.rope_dim = shape.window_head_dim;
  if (shape.window_head_dim > 0) model.ropes.push_back(rope);
  for (std::uint32_t i = 0; i < shape.n_layers; ++i) {
    LayerSpec layer;
    set_ffn(layer, shape);
    if (shape.attention_period > 0 && (i + 1) % shape.attention_period != 0) {
      layer.delta_net = shape.delta_net;
      model.layers.push_back(layer);
      continue;
    }
    layer.has_out_gate = shape.attention_period > 0;
    layer.n_heads = shape.n_heads;
    layer.n_kv_heads = shape.n_kv_heads;
    layer.head_dim = shape.head_dim;
    layer.has_qkv_bias = shape.has_qkv_bias;
    layer.has_qk_norm = shape.has_qk_norm;
    layer.has_post_norms = shape.has_post_norms;
    const bool is_full = shape.window == 0 || (shape.window_every > 1 && (i + 1) % shape.window_every == 0);
    layer.attention = is_full ? AttentionKind::kFull : AttentionKind::kWindow;
    layer.window = is_full ? 0 : shape.window;
    if (shape.window_head_dim > 0) {
      layer.has_value_norm = true;
      layer.value_is_key = is_full;
      layer.head_dim = is_full ? shape.head_dim : shape.window_head_dim;
      layer.n_kv_heads = is_full ? shape.full_kv_heads : shape.n_kv_heads;
      layer.rope = is_full ? 0 : 1;
    }
    model.layers.push_back(layer);
  }
  fill_weights(model, shape.tied_head, matrix_dtype);
  return model;
}

ModelInfo random_model(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::initializer_list<std::uint32_t> values) {
    return *(values.begin() + random() % values.size());
  };
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  const std::uint32_t n_kv_heads = pick({1, 2, 3, 8});
  const std::uint32_t n_heads = pick({1, 2, 4, 7}) * n_kv_heads;
  const std::uint32_t head_dim = pick({16, 64, 80, 128});
  ModelShape shape{"random",   "llama",  1 + below(9),         32 * (1 + below(20)), n_heads,
                   n_kv_heads, head_dim, 32 * (1 + below(40)), 100 + below(3000),    256U << below(6)};
  shape.has_qkv_bias = below(2) == 0;
  shape.has_qk_norm = below(2) == 0;
  shape.window = pick({0, 0, 100, 512});
  shape.window_every = pick({1, 2, 3});
  const bool tied_head = below(2) == 0;
  constexpr DType kMatrixTypes[] = {DType::kF32,  DType::kF16,  DType::kQ8_0, DType::kQ4_0, DType::kQ4_K,
                                    DType::kQ6_K, DType::kQ5_1, DType::kQ3_K, DType::kMXFP4};
  const DType matrix_dtype = kMatrixTypes[below(std::size(kMatrixTypes))];
  ModelInfo model = make_model(shape, matrix_dtype);
  for (LayerSpec& layer : model.layers) {
    if (below(3) == 0) layer.d_ff += 32 * below(5);
    if (below(4) == 0) layer.n_heads = n_kv_heads * (1 + below(4));
  }
  const bool has_post_norms = below(2) == 0;
  for (LayerSpec& layer : model.layers) layer.has_post_norms = has_post_norms;
  for (LayerSpec& layer : model.layers) {
    if (!has_post_norms && seed % 3 == 0 && below(4) > 0) set_experts(layer, 3 + below(14), 1 + below(3));
  }
  model.weights.clear();
  model.n_params = 0;
  model.file_bytes = 0;
  fill_weights(model, tied_head, matrix_dtype);
  return model;
}

DeviceInfo cpu_with(Bytes free_bytes) { return make_cpu_device("Test CPU", free_bytes, free_bytes, 8); }

void set_kind(DeviceInfo& device, DeviceKind kind) {
  device.kind = kind;
  switch (kind) {
    case DeviceKind::kCpu: device.traits = kCpuTraits; return;
    case DeviceKind::kCuda: device.traits = kCudaTraits; return;
    case DeviceKind::kVulkan: device.traits = kVulkanTraits; return;
    case DeviceKind::kMetal: device.traits = kMetalTraits; return;
    case DeviceKind::kReference: device.traits = kReferenceTraits; return;
  }
}

DeviceInfo gpu_with(Bytes free_bytes, Bytes driver_bytes) {
  DeviceInfo gpu = cpu_with(free_bytes);
  gpu.id = "cuda:0";
  gpu.name = "Test GPU";
  set_kind(gpu, DeviceKind::kCuda);
  gpu.driver_bytes = driver_bytes;
  gpu.driver_measured = true;
  gpu.n_threads = 1;
  gpu.alignment = 256;
  gpu.granularity = 2 * kMiB;
  return gpu;
}

}  // namespace headroom::test
