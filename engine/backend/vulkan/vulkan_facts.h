// What a driver tells of a device, and what our kernels make of it: read in one place, judged without a driver.
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

// The same device with a driver that has no extension, and no feature that only some kernels need.
VulkanFacts without_options(VulkanFacts facts);

// Why our kernels cannot run there: "expected timeline semaphores, found none"; empty: they can.
std::string why_not_usable(const VulkanFacts& facts);

// The card but for its handle and its memory, as vulkan:INDEX. `tier_setting`: what kVulkanTierVariable holds; empty:
// the driver decides. Of a card whose driver does not tell the address on the PCI bus, `sys_folder` does if it has no
// twin there.
VulkanCard make_vulkan_card(const VulkanFacts& facts, std::size_t index, std::string_view tier_setting,
                            const std::filesystem::path& sys_folder);

}  // namespace headroom
