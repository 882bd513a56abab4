// How fast the kernels of each number format are: they differ by more than what they read.
#pragma once

#include <span>

#include "plan/device_info.h"

namespace headroom {

class ThreadPool;
struct KernelTable;

// Sets DeviceSpeed::formats with all threads: weights times one row and times a batch, and attention to a cache, each
// the best of two passes. `memory` is what they read, any present bytes that are 0x3C; `is_beyond_caches`: it is so
// large that no cache holds it, else what a decoded token reads stays unknown.
void measure_formats(ThreadPool& pool, const KernelTable& kernels, std::span<std::byte> memory, bool is_beyond_caches,
                     DeviceSpeed& speed);

}  // namespace headroom
