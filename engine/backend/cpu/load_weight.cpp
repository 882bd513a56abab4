#include "backend/cpu/load_weight.h"

#include <algorithm>
#include <vector>

#include "backend/cpu/panel.h"
#include "format/decode.h"

namespace headroom {
namespace {

constexpr Bytes kChunkBytes = Bytes{1} << 20;  // of a thread between two looks at the stop token

Status load_vector(const WeightTensor& weight, const TensorInfo& tensor, const ModelFile& file, std::byte* to) {
  std::vector<std::byte> row(row_bytes(weight.dtype, weight.n_cols));
  if (Status status = file.read_tensor(tensor, weight.first_row * row.size(), row); !status) return status;
  decode_row(weight.dtype, row.data(), weight.n_cols, reinterpret_cast<float*>(to));
  return ok_status();
}

// Panels [first, last) of a matrix.
Status load_panels(const WeightTensor& weight, const TensorInfo& tensor, const ModelFile& file, std::uint64_t first, std::uint64_t last,
                   std::byte* to, std::vector<std::byte>& rows) {
  const Bytes stride = row_bytes(weight.dtype, weight.n_cols);
  const std::uint64_t from = first * kPanelRows, end = std::min(weight.n_rows, last * kPanelRows);
  rows.resize((end - from) * stride);
  if (Status status = file.read_tensor(tensor, (weight.first_row + from) * stride, rows); !status) return status;
  for (std::uint64_t panel = first; panel < last; ++panel) {
    const auto n_rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(kPanelRows, weight.n_rows - panel * kPanelRows));
    put_panel(weight.dtype, weight.n_cols, n_rows, rows.data() + (panel * kPanelRows - from) * stride, to + panel * kPanelRows * stride);
  }
  return ok_status();
}

}  // namespace

Status load_cpu_weight(const WeightTensor& weight, const ModelFile& file, std::byte* to, ThreadPool& pool, const StopToken& stop,
                       const std::function<void(Bytes)>& advance) {
  const TensorInfo& tensor = file.tensors()[weight.file_tensor];
  if (!slot_is_matrix(weight.slot)) {
    Status status = load_vector(weight, tensor, file, to);
    if (status) advance(weight.loaded_bytes());
    return status;
  }
  const Bytes panel = panel_bytes(weight.dtype, weight.n_cols);
  const std::uint64_t n_panels = div_up(weight.n_rows, kPanelRows), chunk = std::max<std::uint64_t>(1, kChunkBytes / panel);
  std::vector<std::vector<std::byte>> rows(pool.n_threads());
  std::vector<Status> results(pool.n_threads(), ok_status());
  for (std::uint64_t first = 0; first < n_panels; first += chunk * pool.n_threads()) {
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "loading was cancelled"};
    pool.run([&](std::uint32_t thread) {
      const std::uint64_t begin = std::min(n_panels, first + thread * chunk), end = std::min(n_panels, begin + chunk);
      if (begin < end) results[thread] = load_panels(weight, tensor, file, begin, end, to, rows[thread]);
    });
    for (const Status& result : results) {
      if (!result) return result;
    }
    advance((std::min(n_panels, first + chunk * pool.n_threads()) - first) * panel);
  }
  return ok_status();
}

}  // namespace headroom
