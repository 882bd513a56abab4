// Measures what this CPU can do at most, with the threads that compute. Kernels are judged as shares of these limits.
#pragma once

#include <cstdint>
#include <memory>

#include "backend/backend.h"

namespace headroom {

class ThreadPool;
struct KernelTable;

// Reads by all threads of memory that no cache holds, the kernels of each number format, and what an op costs. Maps 128
// to 512 MiB while it runs, by the size of the third-level cache, and no more than `most_bytes`: where a cache holds so
// little, rates of reading stay unknown. kResource when the system refuses them.
Result<DeviceSpeed> measure_cpu_speed(ThreadPool& pool, const KernelTable& kernels, Bytes most_bytes);

// A meter over 768 MiB, which it maps and writes to; null where less than twice as much is free: a figure is not worth
// another program's life. The pool outlives it. kResource when the system refuses the memory.
Result<std::unique_ptr<ReadMeter>> open_cpu_read_meter(ThreadPool& pool, const KernelTable& kernels);

// All threads reading memory that no cache holds, and multiplying and adding int8 in registers, and in tile registers
// where the instruction set has them. Takes about a second and maps 768 MiB while it runs. kResource when the system
// refuses them.
Result<DeviceLimits> measure_cpu_limits(ThreadPool& pool, const KernelTable& kernels);
// The same with threads of its own and the best kernels here; errors also as choose_isa().
Result<DeviceLimits> measure_cpu_limits(std::uint32_t n_threads);

}  // namespace headroom
