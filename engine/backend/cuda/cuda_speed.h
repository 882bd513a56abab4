// How fast a CUDA card is: what the time model asks, and the most that it can do.
#pragma once

#include <memory>

#include "backend/cuda/cuda_device.h"

namespace headroom {

// As Backend::measure_speed() and Backend::measure_limits().
Result<DeviceSpeed> measure_cuda_speed(const std::shared_ptr<CudaDevice>& device, Bytes most_bytes);
Result<DeviceLimits> measure_cuda_limits(const std::shared_ptr<CudaDevice>& device);

}  // namespace headroom
