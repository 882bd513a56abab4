// Limits that tests make small, for all GPUs of the process. They count when a plan is bound.
#pragma once

#include <atomic>

namespace headroom {

struct GpuFaults {
  std::atomic<double> most_products = 0;  // instead of GpuArithmetic::most_products; 0: that
};

inline GpuFaults& gpu_faults() {
  static GpuFaults faults;
  return faults;
}

}  // namespace headroom
