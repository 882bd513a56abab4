#include "prove/proof_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "format/dtype_table.h"
#include "format/encode.h"

namespace headroom {
namespace {

constexpr std::uint32_t kSmallWidth = 256, kSmallVocabulary = 300, kSmallExperts = 4, kSmallContext = 512;
constexpr std::uint32_t kSmallWindow = 100;
constexpr std::uint32_t kWideWidth = 4096, kWideVocabulary = 1024, kWideContext = 1024;
// Rows of a matrix are random up to here and repeat behind, so that wide ones are made in a moment. No multiple of the
// 32 rows of a panel: neighbouring panels differ.
constexpr std::uint64_t kRandomRows = 72;
// Between two experts of a row, in the logits of the router: far more than what rounding of activations moves, so that
// the device under test and the CPU choose the same ones.
constexpr float kRouterScale = 3.0F;

// Numbers between -1 and 1, the same with every standard library.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  float next() { return static_cast<float>(engine_()) * 0x1p-31F - 1.0F; }

 private:
  std::mt19937 engine_;
};

// Which of the experts a token is drawn to: all rows of its embedding have this pattern of signs.
float expert_sign(std::uint32_t expert, std::uint64_t col) { return (col >> (expert % 8)) % 2 == 0 ? 1.0F : -1.0F; }

class Builder {
 public:
  Builder(std::string name, std::uint32_t d_model, std::uint32_t n_vocab, std::uint32_t n_ctx) {
    info_.name = std::move(name);
    info_.architecture = "none";
    info_.d_model = d_model;
    info_.n_vocab = n_vocab;
    info_.n_ctx_trained = n_ctx;
  }

  void add_rope(std::uint32_t head_dim, RopePairing pairing) {
    RopeSpec& rope = info_.ropes.emplace_back();
    rope.pairing = pairing;
    rope.rope_dim = head_dim;
  }

  void add_embedding(DType dtype) { add(TensorRole::kTokenEmbedding, -1, dtype, info_.n_vocab, info_.d_model); }

  void add_layer(const LayerSpec& spec, DType of_attention, DType of_ffn) {
    const auto layer = static_cast<std::int32_t>(info_.layers.size());
    info_.layers.push_back(spec);
    const std::uint64_t width = info_.d_model;
    DType dtype = of_attention;
    const auto add_matrix = [&](TensorRole role, std::uint64_t n_rows, std::uint64_t n_cols, std::uint64_t n = 1) {
      add(role, layer, dtype, n_rows, n_cols, n);
    };
    const auto add_vector = [&](TensorRole role, std::uint64_t n) { add(role, layer, DType::kF32, 1, n); };
    add_vector(TensorRole::kAttnNorm, width);
    add_matrix(TensorRole::kQ, spec.q_dim(), width);
    add_matrix(TensorRole::kK, spec.kv_dim(), width);
    add_matrix(TensorRole::kV, spec.kv_dim(), width);
    if (spec.has_qkv_bias) {
      add_vector(TensorRole::kQBias, spec.q_dim());
      add_vector(TensorRole::kKBias, spec.kv_dim());
      add_vector(TensorRole::kVBias, spec.kv_dim());
    }
    if (spec.has_qk_norm) {
      add_vector(TensorRole::kQNorm, spec.head_dim);
      add_vector(TensorRole::kKNorm, spec.head_dim);
    }
    add_matrix(TensorRole::kAttnOut, width, spec.q_dim());
    if (spec.has_attn_out_bias) add_vector(TensorRole::kAttnOutBias, width);
    if (spec.has_post_norms) add_vector(TensorRole::kAttnPostNorm, width);
    dtype = of_ffn;
    add_vector(TensorRole::kFfnNorm, width);
    if (spec.has_experts()) {
      add(TensorRole::kRouter, layer, DType::kF32, spec.n_experts, width);
      add_matrix(TensorRole::kExpertGate, spec.expert_d_ff, width, spec.n_experts);
      add_matrix(TensorRole::kExpertUp, spec.expert_d_ff, width, spec.n_experts);
      add_matrix(TensorRole::kExpertDown, width, spec.expert_d_ff, spec.n_experts);
      return;
    }
    add_matrix(TensorRole::kGate, spec.d_ff, width);
    add_matrix(TensorRole::kUp, spec.d_ff, width);
    add_matrix(TensorRole::kDown, width, spec.d_ff);
    if (spec.has_post_norms) add_vector(TensorRole::kFfnPostNorm, width);
  }

  ProofModel finish(DType head) && {
    add(TensorRole::kOutputNorm, -1, DType::kF32, 1, info_.d_model);
    add(TensorRole::kHead, -1, head, info_.n_vocab, info_.d_model);
    info_.file_bytes = bytes_.size();
    for (const auto& [dtype, bytes] : by_type_) info_.bytes_by_type.emplace_back(dtype_row(dtype).name, bytes);
    std::vector<InputFile> parts;
    parts.push_back(InputFile::in_memory(info_.name, std::move(bytes_)));
    return {ModelFile(std::move(parts), {}, std::move(tensors_)), std::make_shared<const ModelInfo>(std::move(info_))};
  }

 private:
  // The value of an element: vectors about 1 (norms) or 0 (biases), matrices so that what they make of activations of
  // about 1 is about 1.
  float element(TensorRole role, std::uint64_t row, std::uint64_t col, std::uint64_t n_cols) {
    const float random = random_.next();
    const auto spread = [&](float of) { return random * std::sqrt(3.0F / static_cast<float>(of)); };
    switch (role) {
      case TensorRole::kTokenEmbedding: {
        // Drawn to one expert strongly and to the next one less.
        const auto expert = static_cast<std::uint32_t>(row % kSmallExperts);
        return 2.0F * expert_sign(expert, col) + expert_sign((expert + 1) % kSmallExperts, col) + random;
      }
      case TensorRole::kRouter:
        return kRouterScale * expert_sign(static_cast<std::uint32_t>(row), col) / static_cast<float>(n_cols);
      case TensorRole::kQBias:
      case TensorRole::kKBias:
      case TensorRole::kVBias:
      case TensorRole::kAttnOutBias: return 0.3F * random;
      default: return role_is_matrix(role) ? spread(static_cast<float>(n_cols)) : 1.0F + 0.2F * random;
    }
  }

  void add(TensorRole role, std::int32_t layer, DType dtype, std::uint64_t n_rows, std::uint64_t n_cols,
           std::uint64_t n_matrices = 1) {
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
    std::vector<float> values(n_cols);
    for (std::uint64_t row = 0; row < n_matrices * n_rows; ++row) {
      std::byte* const at = to.data() + row * of_row;
      if (row >= kRandomRows && role != TensorRole::kTokenEmbedding) {
        std::copy_n(at - kRandomRows * of_row, of_row, at);
        continue;
      }
      for (std::uint64_t col = 0; col < n_cols; ++col) values[col] = element(role, row, col, n_cols);
      encode_row(dtype, values.data(), n_cols, at);
    }
    info_.n_params += n_matrices * n_rows * n_cols;
    by_type_[dtype] += total;
    tensors_.push_back(std::move(tensor));
    info_.weights.push_back(std::move(weight));
  }

  Random random_{1};
  ModelInfo info_;
  std::vector<std::byte> bytes_;
  std::vector<TensorInfo> tensors_;
  std::map<DType, Bytes> by_type_;
};

}  // namespace

ProofModel make_small_proof_model() {
  constexpr std::array<std::uint32_t, 3> kHeadDims{64, 128, 256}, kGroups{1, 4, 8};
  Builder builder("the small model of the check", kSmallWidth, kSmallVocabulary, kSmallContext);
  for (const std::uint32_t head_dim : kHeadDims)
    builder.add_rope(head_dim, head_dim == 128 ? RopePairing::kNeighbours : RopePairing::kHalves);
  builder.add_embedding(DType::kQ8_0);
  std::vector<DType> formats;
  for (const DTypeRow& row : kDTypes) {
    if (row.is_weight) formats.push_back(row.dtype);
  }
  // Two formats a layer: each is seen, and a check takes no longer than attention's shapes make it.
  constexpr std::size_t kShapes = kHeadDims.size() * kGroups.size();
  const std::size_t n_layers = std::max<std::size_t>(div_up(formats.size(), 2), kShapes);
  for (std::size_t i = 0; i < n_layers; ++i) {
    LayerSpec layer;
    // Attention of one query head a KV head is once enough: two heads of 64 make no whole block of some formats.
    const std::size_t shape = i < kShapes ? i : kHeadDims.size() + (i - kShapes) % (kShapes - kHeadDims.size());
    layer.rope = static_cast<std::uint32_t>(shape % kHeadDims.size());
    layer.head_dim = kHeadDims[layer.rope];
    layer.n_heads = kGroups[shape / kHeadDims.size()];
    layer.n_kv_heads = 1;
    if (layer.n_heads == 1) layer.n_heads = layer.n_kv_heads = 2;
    layer.attention_scale = 1.0F / std::sqrt(static_cast<float>(layer.head_dim));
    layer.d_ff = kSmallWidth;
    if (i % 2 == 1) {
      layer.attention = AttentionKind::kWindow;
      layer.window = kSmallWindow;
    }
    layer.has_qkv_bias = layer.has_attn_out_bias = i == 1;
    layer.has_qk_norm = i == 2 || i == 6;
    layer.has_post_norms = i == 4;
    if (i % 4 == 2) layer.activation = Activation::kGelu;
    if (i % 4 == 3) layer.attention_softcap = 30.0F;
    if (i % 4 == 1) {
      layer.n_experts = kSmallExperts;
      layer.n_experts_used = 2;
      layer.expert_d_ff = std::exchange(layer.d_ff, 0);
    }
    builder.add_layer(layer, formats[i % formats.size()], formats[(i + n_layers) % formats.size()]);
  }
  return std::move(builder).finish(DType::kQ6_K);
}

ProofModel make_wide_proof_model() {
  constexpr std::uint32_t kHeadDim = 128;
  Builder builder("the wide model of the check", kWideWidth, kWideVocabulary, kWideContext);
  builder.add_rope(kHeadDim, RopePairing::kHalves);
  builder.add_embedding(DType::kQ4_0);
  LayerSpec layer;
  layer.n_heads = 32;
  layer.n_kv_heads = 8;
  layer.head_dim = kHeadDim;
  layer.attention_scale = 1.0F / std::sqrt(static_cast<float>(kHeadDim));
  layer.d_ff = kWideWidth;
  builder.add_layer(layer, DType::kQ4_K, DType::kQ4_K);
  return std::move(builder).finish(DType::kQ6_K);
}

}  // namespace headroom
