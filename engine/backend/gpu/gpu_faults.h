// What tests make small, of all GPUs of the process, set at any time.
#pragma once

#include <atomic>

namespace headroom {

struct GpuFaults {
  // Multiply-adds of one submission, since drivers end long ones and a stop waits for it: half a second of a slow
  // integrated GPU.
  std::atomic<double> most_products = 2e10;
};

inline GpuFaults& gpu_faults() {
  static GpuFaults faults;
  return faults;
}

}  // namespace headroom
