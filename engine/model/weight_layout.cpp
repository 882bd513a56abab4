#include "model/weight_layout.h"

#include "format/dtype_table.h"
#include "model/gpu_panel.h"

namespace headroom {

std::uint64_t weight_rows(const WeightTensor& weight, WeightLayout layout) {
  if (!role_is_matrix(weight.role)) return weight.n_rows;
  switch (layout) {
    case WeightLayout::kRows: return weight.n_rows;
    case WeightLayout::kPanels: return round_up(weight.n_rows, kPanelRows);
    case WeightLayout::kGpuPanels: return round_up(weight.n_rows, kGpuPanelRows);
  }
  CHECK(false, "a layout that is not there");
}

Bytes weight_bytes(const WeightTensor& weight, WeightLayout layout) {
  if (!role_is_matrix(weight.role)) return weight.n_rows * weight.n_cols * sizeof(float);
  const std::uint64_t n_rows = weight.n_matrices * weight_rows(weight, layout);
  if (layout == WeightLayout::kGpuPanels)
    return n_rows / kGpuPanelRows * gpu_panel(weight.dtype, weight.n_cols).bytes();
  return n_rows * row_bytes(weight.dtype, weight.n_cols);
}

}  // namespace headroom
