// What a driver tells of a device. All of it is read at one place, so that the judgement (can our kernels run there,
// and which) is a pure function that tests call without a driver.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "backend/vulkan/vulkan_instance.h"

namespace headroom {

struct VulkanFacts {
  std::string name;
  VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  std::uint32_t api_version = 0;
  std::uint32_t vendor = 0, product = 0;  // as on the PCI bus
  VkDriverId driver_id = VK_DRIVER_ID_MAX_ENUM;
  std::string driver;  // its name and version
  std::string uuid;    // of the device: 32 hexadecimal digits
  std::set<std::string> extensions;
  std::optional<std::uint32_t> compute_queue;  // a family of queues that compute
  VkPhysicalDeviceLimits limits{};
  Bytes max_allocation_bytes = 0;
  std::uint32_t heap = 0;  // the largest of the device's own memory
  Bytes heap_bytes = 0;
  bool has_timeline_semaphores = false;
  VulkanTierFacts tier;
  std::optional<PciAddress> pci;  // VK_EXT_pci_bus_info; absent where the device has no such extension
};

VulkanFacts read_vulkan_facts(VkPhysicalDevice device);

// The same device as if its driver had no extension and no optional feature.
VulkanFacts without_options(VulkanFacts facts);

// Why our kernels cannot run there: "expected timeline semaphores, found none"; empty: they can.
Message why_not_usable(const VulkanFacts& facts);

// The card vulkan:INDEX without its handle and its memory. `tier_setting` is the value of kVulkanTierVariable; empty:
// the facts decide. Where the driver does not tell the PCI address, `sys_folder` does, unless two such cards are there.
VulkanCard make_vulkan_card(const VulkanFacts& facts, std::size_t index, std::string_view tier_setting,
                            const std::filesystem::path& sys_folder);

}  // namespace headroom
