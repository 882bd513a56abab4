// Weights from the file into row panels, on all threads.
#pragma once

#include <functional>

#include "backend/backend.h"
#include "backend/host/thread_pool.h"

namespace headroom {

// As Backend::load_weight, into `to` (weight_bytes() of panels).
Status load_cpu_weight(const WeightTensor& weight, const ModelFile& file, std::byte* to, ThreadPool& pool,
                       const StopToken& stop, const std::function<void(Bytes)>& advance);

}  // namespace headroom
