// Measures a Vulkan device: the speeds that the time model needs, and the limits that kernels are judged by.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/vulkan/vulkan_pipelines.h"

namespace headroom {

// Maps memory for the time of the measurement. Errors as Backend::measure_speed().
Result<DeviceSpeed> measure_vulkan_speed(const std::shared_ptr<VulkanDevice>& device, VulkanPipelines& pipelines,
                                         Bytes most_bytes);

// Measures reading of a buffer that no cache holds (the least of one binding, half of the free memory and 1 GiB), and
// multiply-adds in registers: of f32, and of f16, int8 and whole matrices if the tier has them. Errors as
// Backend::measure_limits().
Result<DeviceLimits> measure_vulkan_limits(const std::shared_ptr<VulkanDevice>& device, VulkanPipelines& pipelines);

}  // namespace headroom
