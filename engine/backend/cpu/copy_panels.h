// Turns weights from the CPU's panels into those of another device.
#pragma once

#include <span>

#include "backend/host/thread_pool.h"
#include "backend/weight_panels.h"

namespace headroom {

// As Backend::copy_panels(). panels: the whole weight, as load_cpu_weight() wrote it. rows: scratch, for each thread as
// much as one panel of `format` has as rows of the file.
void copy_cpu_panels(const WeightTensor& weight, const std::byte* panels, const PanelFormat& format, PanelRange range,
                     std::span<std::byte> rows, ThreadPool& pool, std::byte* to);

}  // namespace headroom
