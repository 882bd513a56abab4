// What the time model asks of a Vulkan device, and what it can do at most.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/vulkan/vulkan_pipelines.h"

namespace headroom {

// With memory of its own, mapped and given back. Errors as Backend::measure_speed().
Result<DeviceSpeed> measure_vulkan_speed(const std::shared_ptr<VulkanDevice>& device, VulkanPipelines& pipelines,
                                         Bytes most_bytes);

// Likewise reads of a buffer that no cache holds (as large as one binding, half of what is free, or 1 GiB), and
// multiply-adds in registers: f32, and of f16, int8 and whole matrices what the tier has. Errors as
// Backend::measure_limits().
Result<DeviceLimits> measure_vulkan_limits(const std::shared_ptr<VulkanDevice>& device, VulkanPipelines& pipelines);

}  // namespace headroom
