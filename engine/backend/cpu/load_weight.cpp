#include "backend/cpu/load_weight.h"

#include "backend/cpu/panel.h"
#include "backend/load_panels.h"

namespace headroom {

Status load_cpu_weight(const WeightTensor& weight, const ModelFile& file, std::byte* to, ThreadPool& pool,
                       const StopToken& stop, const std::function<void(Bytes)>& advance) {
  if (!role_is_matrix(weight.role)) {
    Status status = load_vector(weight, file, to);
    if (status) advance(weight_bytes(weight, WeightLayout::kPanels));
    return status;
  }
  const PanelFormat format{kPanelRows, panel_bytes(weight.dtype, weight.n_cols), put_panel};
  return load_panels(weight, file, format, {0, count_panels(weight, format)}, to, pool, stop, advance);
}

}  // namespace headroom
