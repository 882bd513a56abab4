// Matrices from the file into panels of interleaved rows, on all threads of a pool: what the layouts of the CPU and of
// GPUs have in common.
#pragma once

#include <functional>

#include "backend/backend.h"
#include "backend/cpu/thread_pool.h"

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

// Fills (last - first) panels at `to`. Stop and `advance` as in Backend::load_weight; `advance` is called by this
// thread. Errors: those of the file, kCancelled.
Status load_panels(const WeightTensor& weight, const ModelFile& file, const PanelFormat& format, PanelRange range,
                   std::byte* to, ThreadPool& pool, const StopToken& stop, const std::function<void(Bytes)>& advance);

// A vector of the model, as F32 at `to`.
Status load_vector(const WeightTensor& weight, const ModelFile& file, std::byte* to);

}  // namespace headroom
