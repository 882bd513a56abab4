#include "backend/cpu/copy_panels.h"

#include <algorithm>
#include <cstring>

#include "backend/cpu/panel.h"
#include "base/check.h"
#include "format/dtype_table.h"

namespace headroom {

void copy_cpu_panels(const WeightTensor& weight, const std::byte* panels, const PanelFormat& format, PanelRange range,
                     std::span<std::byte> rows, ThreadPool& pool, std::byte* to) {
  if (!role_is_matrix(weight.role)) {
    std::memcpy(to, panels, weight_bytes(weight, WeightLayout::kPanels));
    return;
  }
  const Bytes row_size = row_bytes(weight.dtype, weight.n_cols), panel_size = panel_bytes(weight.dtype, weight.n_cols);
  const Bytes of_thread = rows.size() / pool.n_threads();
  CHECK(format.n_rows * row_size <= of_thread, "the plan has too little room for rows of streamed weights");
  const std::uint64_t per_matrix = div_up(weight.n_rows, format.n_rows), own_panels = div_up(weight.n_rows, kPanelRows);
  pool.run([&](std::uint32_t thread) {
    const Share share = share_of(static_cast<std::uint32_t>(range.last - range.first), thread, pool.n_threads());
    std::byte* const taken = rows.data() + thread * of_thread;
    for (std::uint64_t panel = range.first + share.first; panel < range.first + share.last; ++panel) {
      const std::byte* const matrix = panels + panel / per_matrix * own_panels * panel_size;
      const std::uint64_t first = panel % per_matrix * format.n_rows;
      const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(format.n_rows, weight.n_rows - first));
      for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint64_t row = first + i;
        take_panel_row(weight.dtype, weight.n_cols, static_cast<std::uint32_t>(row % kPanelRows),
                       matrix + row / kPanelRows * panel_size, taken + i * row_size);
      }
      format.pack(weight.dtype, weight.n_cols, n, taken, to + (panel - range.first) * format.bytes);
    }
  });
}

}  // namespace headroom
