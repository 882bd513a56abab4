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

// A vector of the model, as F32 at `to`.
Status load_vector(const WeightTensor& weight, const ModelFile& file, std::byte* to);

}  // namespace headroom
