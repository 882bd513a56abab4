// Measures the kernels of each number format: formats differ by more than the bytes that they read.
#pragma once

#include <span>

#include "devices/device_info.h"

namespace headroom {

class ThreadPool;
struct KernelTable;

// Sets DeviceSpeed::formats with all threads: weights times one row, weights times a batch, and attention to a cache,
// each the best of two passes. The kernels read `memory`, whose bytes are all 0x3C. is_beyond_caches: it is larger than
// any cache; else the rates of reading stay 0, unknown.
void measure_formats(ThreadPool& pool, const KernelTable& kernels, std::span<std::byte> memory, bool is_beyond_caches,
                     DeviceSpeed& speed);

}  // namespace headroom
