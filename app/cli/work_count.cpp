#include "work_count.h"

#include <algorithm>

#include "format/dtype_table.h"
#include "model/weight_layout.h"
#include "plan/kv_regions.h"

namespace headroom::cli {
namespace {

std::uint32_t positionsSeen(const LayerSpec& layer, std::uint32_t nCached) {
  return layer.attention == AttentionKind::kWindow ? std::min(layer.window, nCached) : nCached;
}

bool isHead(const ModelInfo& model, const WeightTensor& weight) {
  const bool isTied = model.find_weight(WeightSlot::kHead, -1) == nullptr;
  return weight.slot == (isTied ? WeightSlot::kTokenEmbedding : WeightSlot::kHead);
}

}  // namespace

double decodeBytes(const ModelInfo& model, const PlanOptions& options, std::uint32_t nCached) {
  double bytes = 0;
  for (const WeightTensor& weight : model.weights) {
    const bool oneRow = weight.slot == WeightSlot::kTokenEmbedding && !isHead(model, weight);
    bytes += oneRow ? static_cast<double>(row_bytes(weight.dtype, weight.n_cols))
                    : static_cast<double>(weight_bytes(weight, WeightLayout::kPanels)) * model.share_read(weight);
  }
  for (const LayerSpec& layer : model.layers) bytes += kv_bytes_read(layer, options, positionsSeen(layer, nCached));
  return bytes;
}

double prefillOps(const ModelInfo& model, std::uint32_t nTokens, std::uint32_t nCached) {
  double ops = 0;
  for (const WeightTensor& weight : model.weights) {
    if (!slot_is_matrix(weight.slot)) continue;
    // Only the last token of the prompt has logits, and embedding rows are copied, not multiplied.
    const double nRows = isHead(model, weight) ? 1 : weight.slot == WeightSlot::kTokenEmbedding ? 0 : nTokens;
    const double elems = static_cast<double>(weight.n_matrices * weight.n_rows) * static_cast<double>(weight.n_cols);
    ops += 2.0 * elems * model.share_read(weight) * nRows;
  }
  for (const LayerSpec& layer : model.layers) {
    for (std::uint32_t token = 0; token < nTokens; ++token)
      ops += 4.0 * layer.q_dim() * positionsSeen(layer, nCached + token + 1);
  }
  return ops;
}

}  // namespace headroom::cli
