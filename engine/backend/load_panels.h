// Packs matrices of the file into panels of interleaved rows, on all threads of a pool, for the CPU and for GPUs.
#pragma once

#include <functional>

#include "backend/backend.h"
#include "backend/host/thread_pool.h"
#include "backend/weight_panels.h"

namespace headroom {

// Writes the panels of `range` one behind another to `to`. Stop and `advance` are those of Backend::load_weight();
// `advance` is called by the calling thread. Errors: those of the file, kCancelled.
Status load_panels(const WeightTensor& weight, const ModelFile& file, const PanelFormat& format, PanelRange range,
                   std::byte* to, ThreadPool& pool, const StopToken& stop, const std::function<void(Bytes)>& advance);

// Reads rows of a weight as they stand in the file, from `first_row` on, counted over all matrices of the weight: as
// many whole rows as `rows` has room for. Errors: those of the file.
Status read_rows(const WeightTensor& weight, const ModelFile& file, std::uint64_t first_row, std::span<std::byte> rows);

// A vector of the model, as F32 at `to`; or the taps of a convolution, of all channels one tap behind the other.
Status load_vector(const WeightTensor& weight, const ModelFile& file, std::byte* to);

}  // namespace headroom
