// The backend of a Vulkan device.
#pragma once

#include <filesystem>
#include <memory>

#include "backend/backend.h"
#include "backend/vulkan/vulkan_instance.h"

namespace headroom {

// Opens the device: the driver takes its share of memory now. `device` as vulkan_cards() gives it; whether it shares
// memory with the host may be said otherwise, so that a test sees how a card without that works. `kernel_folder`: see
// VulkanPipelineFile. kUnsupported when it is not there any more.
Result<std::unique_ptr<Backend>> make_vulkan_backend(const DeviceInfo& device,
                                                     const std::filesystem::path& kernel_folder);

}  // namespace headroom
