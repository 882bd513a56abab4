// A weight as a row of panels: what the layouts of the CPU and of GPUs have in common.
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

// A range of panels of a weight: of its matrices one behind another, each of which ends with its panels.
struct PanelRange {
  std::uint64_t first = 0, last = 0;
};
std::uint64_t count_panels(const WeightTensor& weight, const PanelFormat& format);

// Panels of a weight that another backend has: as Backend::copy_panels().
class WeightSource {
 public:
  virtual ~WeightSource() = default;
  virtual void copy_panels(std::int32_t weight, const PanelFormat& format, PanelRange range, std::byte* to) = 0;
};

}  // namespace headroom
