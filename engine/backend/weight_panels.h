// A weight as panels: what the layouts of the CPU and of GPUs have in common. A panel is some neighbouring rows of a
// matrix, interleaved: 16 rows for a CPU, 32 for a GPU.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "model/tensor_roles.h"

namespace headroom {

struct PanelFormat {
  std::uint32_t n_rows = 0;  // of a panel
  Bytes bytes = 0;           // of a panel of this matrix
  // Writes a panel whole from (n_rows, row_bytes) rows as in the file.
  void (*pack)(DType dtype, std::uint64_t n_cols, std::uint32_t n_rows, const std::byte* rows, std::byte* to) = nullptr;
};

// Panels [first, last) of a weight. They are counted over all matrices of the weight, and each matrix begins with a
// panel of its own. Example: 8 experts of 100 rows have 4 panels of 32 rows each, the last with 4 rows; panel 5 holds
// rows 32 to 63 of expert 1.
struct PanelRange {
  std::uint64_t first = 0, last = 0;
};
std::uint64_t count_panels(const WeightTensor& weight, const PanelFormat& format);

// Where an upload gets its weights from: hides from the GPU's backend that the CPU's has them. See
// Backend::copy_panels().
class WeightSource {
 public:
  virtual ~WeightSource() = default;
  virtual void copy_panels(std::int32_t weight, const PanelFormat& format, PanelRange range, std::byte* to) = 0;
};

}  // namespace headroom
