#include "prove/model_builder.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/check.h"
#include "format/dtype_table.h"
#include "format/encode.h"

namespace headroom {
namespace {

// Rows of a matrix are random up to here and repeat behind, so that wide ones are made in a moment. No multiple of the
// 32 rows of a panel: neighbouring panels differ.
constexpr std::uint64_t kRandomRows = 72;

}  // namespace

ModelBuilder::ModelBuilder(std::string name, ExpertDraw draw, std::uint32_t d_model, std::uint32_t n_vocab,
                           std::uint32_t n_ctx)
    : draw_(std::move(draw)) {
  info_.name = std::move(name);
  info_.architecture = "none";
  info_.d_model = d_model;
  info_.n_vocab = n_vocab;
  info_.n_ctx_trained = n_ctx;
}

void ModelBuilder::add_rope(std::uint32_t rope_dim, RopePairing pairing) {
  RopeSpec& rope = info_.ropes.emplace_back();
  rope.pairing = pairing;
  rope.rope_dim = rope_dim;
}

void ModelBuilder::add_embedding(DType dtype) {
  add(TensorRole::kTokenEmbedding, -1, dtype, info_.n_vocab, info_.d_model);
}

void ModelBuilder::add_layer_inputs(std::uint32_t input_dim, std::uint32_t n_layers, DType dtype) {
  info_.input_elems = input_dim * n_layers;
  add(TensorRole::kLayerEmbedding, -1, dtype, info_.n_vocab, info_.input_elems);
  add(TensorRole::kInputProject, -1, dtype, info_.input_elems, info_.d_model);
  add(TensorRole::kInputProjectNorm, -1, DType::kF32, 1, input_dim);
}

void ModelBuilder::add_matrix(TensorRole role, std::uint64_t n_rows, std::uint64_t n_cols, std::uint64_t n_matrices) {
  add(role, last_layer(), dtype_, n_rows, n_cols, n_matrices);
}

void ModelBuilder::add_vector(TensorRole role, std::uint64_t n_elems) {
  add(role, last_layer(), DType::kF32, 1, n_elems);
}

void ModelBuilder::add_layer(const LayerSpec& spec, LayerWeights weights) {
  info_.layers.push_back(spec);
  weights_ = std::move(weights);
  dtype_ = weights_.of_attention;
  if (spec.has_pre_norms) add_vector(TensorRole::kAttnNorm, info_.d_model);
  if (spec.delta_net) {
    add_delta_net(*spec.delta_net);
  } else if (spec.short_conv) {
    add_short_conv(*spec.short_conv);
  } else {
    add_attention(spec);
  }
  if (spec.has_post_norms) add_vector(TensorRole::kAttnPostNorm, info_.d_model);
  dtype_ = weights_.of_ffn;
  if (spec.has_pre_norms) add_vector(TensorRole::kFfnNorm, info_.d_model);
  if (spec.has_experts()) add_experts(spec);
  if (spec.d_ff > 0) add_ffn(spec);
  if (spec.has_post_norms) add_vector(TensorRole::kFfnPostNorm, info_.d_model);
  if (!spec.has_inputs()) return;
  add_matrix(TensorRole::kInputGate, spec.input_dim, info_.d_model);
  add_matrix(TensorRole::kInputOut, info_.d_model, spec.input_dim);
  add_vector(TensorRole::kInputPostNorm, info_.d_model);
}

void ModelBuilder::add_attention(const LayerSpec& spec) {
  const std::uint64_t width = info_.d_model;
  add_matrix(TensorRole::kQ, spec.q_dim(), width);
  if (spec.has_cache()) add_matrix(TensorRole::kK, spec.kv_dim(), width);
  if (spec.has_cache() && !spec.value_is_key) add_matrix(TensorRole::kV, spec.kv_dim(), width);
  if (spec.has_out_gate) add_matrix(TensorRole::kOutGate, spec.q_dim(), width);
  if (spec.has_qkv_bias) {
    add_vector(TensorRole::kQBias, spec.q_dim());
    add_vector(TensorRole::kKBias, spec.kv_dim());
    add_vector(TensorRole::kVBias, spec.kv_dim());
  }
  if (spec.has_qk_norm) {
    add_vector(TensorRole::kQNorm, spec.norms_heads_together ? spec.q_dim() : spec.head_dim);
    if (spec.has_cache()) add_vector(TensorRole::kKNorm, spec.norms_heads_together ? spec.kv_dim() : spec.head_dim);
  }
  if (weights_.has_sinks) add_vector(TensorRole::kAttnSinks, spec.n_heads);
  add_matrix(TensorRole::kAttnOut, width, spec.q_dim());
  if (spec.has_attn_out_bias) add_vector(TensorRole::kAttnOutBias, width);
}

void ModelBuilder::add_delta_net(const DeltaNetSpec& spec) {
  const std::uint64_t width = info_.d_model;
  add_matrix(TensorRole::kQ, spec.q_dim(), width);
  add_matrix(TensorRole::kK, spec.q_dim(), width);
  add_matrix(TensorRole::kV, spec.v_dim(), width);
  add_matrix(TensorRole::kOutGate, spec.v_dim(), width);
  add_matrix(TensorRole::kAlpha, spec.n_value_heads, width);
  add_matrix(TensorRole::kBeta, spec.n_value_heads, width);
  add(TensorRole::kConv, last_layer(), DType::kF32, spec.n_mixed(), spec.conv_width);
  add_vector(TensorRole::kTimeBias, spec.n_value_heads);
  add_vector(TensorRole::kDecay, spec.n_value_heads);
  add_vector(TensorRole::kReadNorm, spec.value_dim);
  add_matrix(TensorRole::kAttnOut, width, spec.v_dim());
}

void ModelBuilder::add_short_conv(const ShortConvSpec& spec) {
  for (const TensorRole role : {TensorRole::kQ, TensorRole::kK, TensorRole::kV})
    add_matrix(role, spec.n_channels, info_.d_model);
  add(TensorRole::kConv, last_layer(), DType::kF32, spec.n_channels, spec.width);
  add_matrix(TensorRole::kAttnOut, info_.d_model, spec.n_channels);
}

void ModelBuilder::add_experts(const LayerSpec& spec) {
  const std::uint64_t width = info_.d_model, n_experts = spec.n_experts;
  CHECK(n_experts == draw_.levels.size(), "tokens are drawn to all experts of a layer");
  add(TensorRole::kRouter, last_layer(), DType::kF32, n_experts, width);
  add_matrix(TensorRole::kExpertGate, spec.expert_d_ff, width, n_experts);
  add_matrix(TensorRole::kExpertUp, spec.expert_d_ff, width, n_experts);
  add_matrix(TensorRole::kExpertDown, width, spec.expert_d_ff, n_experts);
  if (!weights_.router_bias.empty()) add_vector(TensorRole::kRouterBias, n_experts);
  if (!weights_.choice_bias.empty()) add_vector(TensorRole::kChoiceBias, n_experts);
  if (weights_.has_expert_biases) {
    add_vector(TensorRole::kExpertGateBias, n_experts * spec.expert_d_ff);
    add_vector(TensorRole::kExpertUpBias, n_experts * spec.expert_d_ff);
    add_vector(TensorRole::kExpertDownBias, n_experts * width);
  }
  if (spec.has_branch_norms) {
    for (const TensorRole norm :
         {TensorRole::kRouterNorm, TensorRole::kExpertNorm, TensorRole::kExpertPostNorm, TensorRole::kSharedPostNorm})
      add_vector(norm, width);
  }
  if (spec.has_expert_scales) add_vector(TensorRole::kExpertScale, n_experts);
  if (spec.has_shared_gate) add_vector(TensorRole::kSharedGate, width);
}

void ModelBuilder::add_ffn(const LayerSpec& spec) {
  add_matrix(TensorRole::kGate, spec.d_ff, info_.d_model);
  add_matrix(TensorRole::kUp, spec.d_ff, info_.d_model);
  add_matrix(TensorRole::kDown, info_.d_model, spec.d_ff);
}

ProofModel ModelBuilder::finish(std::optional<DType> head) && {
  weights_ = {};
  add(TensorRole::kOutputNorm, -1, DType::kF32, 1, info_.d_model);
  if (head) add(TensorRole::kHead, -1, *head, info_.n_vocab, info_.d_model);
  info_.file_bytes = bytes_.size();
  for (const auto& [dtype, bytes] : by_type_) info_.bytes_by_type.emplace_back(dtype_row(dtype).name, bytes);
  std::vector<InputFile> parts;
  parts.push_back(InputFile::in_memory(info_.name, std::move(bytes_)));
  return {ModelFile(std::move(parts), {}, std::move(tensors_)), std::make_shared<const ModelInfo>(std::move(info_))};
}

// Whether an element would add to the columns that nothing is added to.
bool ModelBuilder::is_quiet(TensorRole role, std::uint64_t row, std::uint64_t col) const {
  if (!draw_.are_quiet) return false;
  switch (role) {
    case TensorRole::kAttnOut:
    case TensorRole::kDown:
    case TensorRole::kExpertDown:
    case TensorRole::kInputOut: return row % info_.d_model < draw_.n_cols;
    case TensorRole::kAttnOutBias:
    case TensorRole::kExpertDownBias: return col % info_.d_model < draw_.n_cols;
    default: return false;
  }
}

// Whether its rows behind kRandomRows repeat those before.
bool ModelBuilder::repeats(TensorRole role) const {
  if (role == TensorRole::kTokenEmbedding || role == TensorRole::kLayerEmbedding) return false;
  return !is_quiet(role, 0, 0);
}

// Patterns of different experts are orthogonal while there are no more of them than bits of a column's number.
float ModelBuilder::pattern(std::uint64_t expert, std::uint64_t col) const {
  return (col >> (expert % 8)) % 2 == 0 ? 1.0F : -1.0F;
}

float ModelBuilder::embedded(std::uint64_t token, std::uint64_t col, float random) const {
  if (col >= draw_.n_cols) return draw_.embedding * random * std::sqrt(3.0F);
  const std::uint64_t n_experts = draw_.levels.size();
  float sum = draw_.are_quiet ? 0.0F : random;
  for (std::uint64_t expert = 0; expert < n_experts; ++expert)
    sum += draw_.levels[(expert + n_experts - token % n_experts) % n_experts] * pattern(expert, col);
  return draw_.embedding * sum;
}

// The value of an element: vectors about 1 (norms) or 0 (biases), matrices so that what they make of activations of
// about 1 is about 1; all times the layer's factor of the role.
float ModelBuilder::element(TensorRole role, std::uint64_t row, std::uint64_t col, std::uint64_t n_cols) {
  const float random = random_.next();
  if (is_quiet(role, row, col)) return 0.0F;
  switch (role) {
    case TensorRole::kTokenEmbedding: return embedded(row, col, random);
    // The forward pass multiplies it by the root of the elements that a layer has.
    case TensorRole::kLayerEmbedding: return 0.2F * random;
    case TensorRole::kRouter:
      if (col >= draw_.n_cols) return 0.0F;
      return draw_.router_scale * pattern(row, col) / static_cast<float>(draw_.n_cols);
    case TensorRole::kQBias:
    case TensorRole::kKBias:
    case TensorRole::kVBias:
    case TensorRole::kAttnOutBias:
    case TensorRole::kTimeBias: return 0.3F * random;
    case TensorRole::kExpertGateBias:
    case TensorRole::kExpertUpBias:
    case TensorRole::kExpertDownBias:
    case TensorRole::kConv: return random;
    case TensorRole::kDecay:
      return -0.3F - 0.25F * random;  // after three to thirty tokens little of a state is left
    // A sink weighs as much as a dozen keys whose scores have a deviation of 2.5, or half a dozen times more or less.
    case TensorRole::kAttnSinks: return 5.0F + 2.0F * random;
    case TensorRole::kRouterBias: return weights_.router_bias[col];
    case TensorRole::kChoiceBias: return weights_.choice_bias[col];
    case TensorRole::kExpertScale: return 1.0F + 0.8F * random;
    case TensorRole::kSharedGate: return 4.0F * random / std::sqrt(static_cast<float>(n_cols));
    default: return role_is_matrix(role) ? random * std::sqrt(3.0F / static_cast<float>(n_cols)) : 1.0F + 0.2F * random;
  }
}

void ModelBuilder::add(TensorRole role, std::int32_t layer, DType dtype, std::uint64_t n_rows, std::uint64_t n_cols,
                       std::uint64_t n_matrices) {
  CHECK(n_cols % dtype_row(dtype).block_elems == 0, "rows of weights end with a block");
  WeightTensor weight{.role = role, .layer = layer, .name = role_tensor_name(role, layer)};
  weight.file_tensor = static_cast<std::uint32_t>(tensors_.size());
  weight.dtype = dtype;
  weight.n_matrices = n_matrices;
  weight.n_rows = n_rows;
  weight.n_cols = n_cols;
  const Bytes of_row = row_bytes(dtype, n_cols), total = n_matrices * n_rows * of_row;
  TensorInfo tensor;
  tensor.name = weight.name;
  tensor.file_type = static_cast<std::uint32_t>(dtype_row(dtype).gguf_type);
  tensor.type_name = dtype_row(dtype).name;
  tensor.dtype = dtype;
  tensor.shape = {n_cols, n_rows};
  if (n_matrices > 1) tensor.shape.push_back(n_matrices);
  tensor.n_bytes = total;
  tensor.offset = bytes_.size();
  bytes_.resize(bytes_.size() + total);
  const std::span<std::byte> to = std::span(bytes_).subspan(tensor.offset, total);
  const auto found = weights_.factors.find(role);
  const float factor = found == weights_.factors.end() ? 1.0F : found->second;
  std::vector<float> values(n_cols);
  for (std::uint64_t row = 0; row < n_matrices * n_rows; ++row) {
    std::byte* const at = to.data() + row * of_row;
    if (row >= kRandomRows && repeats(role)) {
      std::copy_n(at - kRandomRows * of_row, of_row, at);
      continue;
    }
    for (std::uint64_t col = 0; col < n_cols; ++col) values[col] = factor * element(role, row, col, n_cols);
    encode_row(dtype, values.data(), n_cols, at);
  }
  info_.n_params += n_matrices * n_rows * n_cols;
  by_type_[dtype] += total;
  tensors_.push_back(std::move(tensor));
  info_.weights.push_back(std::move(weight));
}

}  // namespace headroom
