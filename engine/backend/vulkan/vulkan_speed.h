// What the time model asks of a Vulkan device.
#pragma once

#include <memory>

#include "backend/vulkan/vulkan_pipelines.h"

namespace headroom {

// With memory of its own, mapped and given back. Errors as Backend::measure_speed().
Result<DeviceSpeed> measure_vulkan_speed(const std::shared_ptr<VulkanDevice>& device, VulkanPipelines& pipelines);

}  // namespace headroom
