#include "prove/proof_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "format/dtype_table.h"
#include "prove/model_builder.h"

namespace headroom {
namespace {

constexpr std::uint32_t kSmallWindow = 100;
constexpr std::uint32_t kWideWidth = 4096, kWideVocabulary = 1024, kWideContext = 1024;

// A token is drawn to one expert strongly and to the next one less.
ExpertDraw draw_of(std::uint32_t d_model) { return {{2.0F, 1.0F, 0.0F, 0.0F}, 3.0F, d_model}; }

}  // namespace

ProofModel make_small_proof_model() {
  constexpr std::array<std::uint32_t, 3> kHeadDims{64, 128, 256}, kGroups{1, 4, 8};
  ModelBuilder builder("the small model of the check", draw_of(kProofWidth));
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
    layer.d_ff = kProofWidth;
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
      layer.n_experts = 4;
      layer.n_experts_used = 2;
      layer.expert_d_ff = std::exchange(layer.d_ff, 0);
    }
    builder.add_layer(
        layer, {.of_attention = formats[i % formats.size()], .of_ffn = formats[(i + n_layers) % formats.size()]});
  }
  return std::move(builder).finish(DType::kQ6_K);
}

ProofModel make_wide_proof_model() {
  constexpr std::uint32_t kHeadDim = 128;
  ModelBuilder builder("the wide model of the check", draw_of(kWideWidth), kWideWidth, kWideVocabulary, kWideContext);
  builder.add_rope(kHeadDim, RopePairing::kHalves);
  builder.add_embedding(DType::kQ4_0);
  LayerSpec layer;
  layer.n_heads = 32;
  layer.n_kv_heads = 8;
  layer.head_dim = kHeadDim;
  layer.attention_scale = 1.0F / std::sqrt(static_cast<float>(kHeadDim));
  layer.d_ff = kWideWidth;
  builder.add_layer(layer, {.of_attention = DType::kQ4_K, .of_ffn = DType::kQ4_K});
  return std::move(builder).finish(DType::kQ6_K);
}

}  // namespace headroom
