// Weights that stand in the CPU's panels, for a device that reads them otherwise.
#pragma once

#include <span>

#include "backend/host/thread_pool.h"
#include "backend/weight_panels.h"

namespace headroom {

// As Backend::copy_panels(). panels: the weight, as load_cpu_weight() writes it. rows: of each thread room for a
// panel's rows as in the file, one behind another.
void copy_cpu_panels(const WeightTensor& weight, const std::byte* panels, const PanelFormat& format, PanelRange range,
                     std::span<std::byte> rows, ThreadPool& pool, std::byte* to);

}  // namespace headroom
