// The one Vulkan instance of this process, and the devices that it shows.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "backend/gpu_memory/pci_address.h"
#include "backend/vulkan/vulkan_tier.h"
#include "devices/device_info.h"

namespace headroom {

// A device that our kernels can run on.
struct VulkanCard {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  std::uint32_t queue_family = 0;  // that computes
  std::uint32_t vendor = 0;        // as on the PCI bus
  std::optional<PciAddress> pci;   // absent: not known, or no card at all
  bool is_software = false;        // a driver that computes on the CPU: lavapipe, SwiftShader
  bool has_memory_budget = false;  // VK_EXT_memory_budget
  bool skips_long_loops = false;   // lavapipe: see kMostSoftwareLoops
  VulkanTier tier;                 // of the kernels that run
  Bytes binding_alignment = 0;     // of a storage buffer in its buffer
  std::uint32_t heap = 0;          // the largest of the device's own memory, as Vulkan numbers them
  Bytes heap_bytes = 0;            // its size
  DeviceInfo info;                 // free memory as of the call
};

// Silently, lavapipe leaves a loop after this many iterations of all loops of an invocation together (Mesa,
// lp_bld_limits.h).
inline constexpr std::uint64_t kMostSoftwareLoops = 65535;

inline constexpr std::uint32_t kNvidia = 0x10de;  // VulkanCard::vendor

struct VulkanCards {
  std::vector<VulkanCard> cards;  // vulkan:0, vulkan:1, ... in the order of the loader
  std::vector<Message> refused;   // what was found and cannot be used, and why: a sentence each
};

// What the loader shows now. Without a loader, or with one that finds no driver, there are no cards and one sentence.
// Drivers that compute on the CPU, where our own kernels are faster, stand behind the cards, so that a card has the
// same number with them and without. HEADROOM_VULKAN_DEVICES=1,0 takes the second and the first of those that are left,
// in this order, which become vulkan:0 and vulkan:1; one that is named twice is two devices on one card. "none" takes
// none, and opens no driver. HEADROOM_VULKAN_SOFTWARE=1 has tests find such drivers wherever devices are looked for.
inline constexpr const char* kSoftwareVariable = "HEADROOM_VULKAN_SOFTWARE";
VulkanCards vulkan_cards(bool with_software = std::getenv(kSoftwareVariable) != nullptr);
// HEADROOM_VULKAN_TIER=0 takes the kernels that every driver can run; 1 to 3 those of this tier or the next below that
// the driver can run, whether or not they are fast there.
inline constexpr const char* kVulkanTierVariable = "HEADROOM_VULKAN_TIER";
inline constexpr const char* kVulkanDevicesVariable = "HEADROOM_VULKAN_DEVICES";

}  // namespace headroom
