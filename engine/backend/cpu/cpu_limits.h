// What this machine can do at most, measured with the threads that compute: kernels are judged as shares of these.
#pragma once

#include <cstdint>

#include "base/cpu_features.h"
#include "base/result.h"
#include "plan/device_info.h"

namespace headroom {

class ThreadPool;
struct KernelTable;

struct CpuLimits {
  double read_bytes_per_s = 0;  // all threads reading memory that no cache holds
  double int8_ops_per_s =
      0;  // all threads multiplying and adding int8 in registers; an operation is one multiply or one add
  double tile_ops_per_s = 0;  // likewise in tile registers; 0: this instruction set has none
};

// Reads by all threads of memory that no cache holds, and what a barrier between two ops costs. Maps 128 to 512
// MiB while it runs, by the size of the third-level cache. kResource when the system refuses them.
Result<DeviceSpeed> measure_cpu_speed(ThreadPool& pool, const KernelTable& kernels);

// Takes about a second and maps 768 MiB while it runs. kResource when the system refuses them; else as
// choose_isa().
Result<CpuLimits> measure_cpu_limits(std::uint32_t n_threads);

}  // namespace headroom
