#include "model/weight_layout.h"

#include "format/dtype_table.h"

namespace headroom {

std::uint64_t weight_rows(const WeightTensor& weight, WeightLayout layout) {
  const bool in_panels = layout == WeightLayout::kPanels && slot_is_matrix(weight.slot);
  return in_panels ? round_up(weight.n_rows, kPanelRows) : weight.n_rows;
}

Bytes weight_bytes(const WeightTensor& weight, WeightLayout layout) {
  if (!slot_is_matrix(weight.slot)) return weight.n_cols * sizeof(float);
  return weight.n_matrices * weight_rows(weight, layout) * row_bytes(weight.dtype, weight.n_cols);
}

}  // namespace headroom
