#include "work_count.h"

#include <algorithm>

#include "plan/placement.h"

namespace headroom::cli {
namespace {

std::uint32_t positionsSeen(const LayerSpec& layer, std::uint32_t nCached) {
  return layer.attention == AttentionKind::kWindow ? std::min(layer.window, nCached) : nCached;
}

}  // namespace

double prefillOps(const ModelInfo& model, const Placement& placement, DeviceIndex device, std::uint32_t nTokens,
                  std::uint32_t nCached) {
  const bool hasTiedHead = has_tied_head(model);
  // Only the last token of the prompt has logits, and embedding rows are copied, not multiplied.
  const auto rowsOf = [&](const WeightTensor& weight) -> double {
    const bool isHead = weight.role == (hasTiedHead ? TensorRole::kTokenEmbedding : TensorRole::kHead);
    if (isHead) return placement.head_device == device ? 1 : 0;
    if (weight.role == TensorRole::kTokenEmbedding || weight.role == TensorRole::kLayerEmbedding) return 0;
    return weight_is_on(weight, device, placement, hasTiedHead) ? nTokens : 0;
  };
  double ops = 0;
  for (const WeightTensor& weight : model.weights) {
    if (!role_is_matrix(weight.role)) continue;
    const double elems = static_cast<double>(weight.n_matrices * weight.n_rows) * static_cast<double>(weight.n_cols);
    ops += 2.0 * elems * model.share_read(weight) * rowsOf(weight);
  }
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (placement.layers[i].attention != device) continue;
    const LayerSpec& layer = model.layers[i];
    if (layer.delta_net) ops += 2.0 * layer.delta_net->products_per_row() * nTokens;
    for (std::uint32_t token = 0; token < nTokens; ++token)
      ops += 4.0 * layer.q_dim() * positionsSeen(layer, nCached + token + 1);
  }
  return ops;
}

}  // namespace headroom::cli
