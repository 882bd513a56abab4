// A Vulkan device for tests, whatever there is.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "backend/vulkan/vulkan_instance.h"
#include "contract/loaded_cpu.h"
#include "gpu_contract/gpu_tolerance.h"
#include "support/use_variable.h"

namespace headroom::test {

// The kernels that devices take that are looked for meanwhile: see kVulkanTierVariable.
struct UseTier : UseVariable {
  explicit UseTier(std::uint32_t tier) : UseVariable(kVulkanTierVariable, std::to_string(tier)) {}
};

// The devices that are looked for meanwhile: see kVulkanDevicesVariable; all of them where `setting` is empty. None are
// of CUDA, which has the same card where its driver is there too.
class UseDevices {
 public:
  explicit UseDevices(const char* setting)
      : of_vulkan_(kVulkanDevicesVariable, setting), of_cuda_("HEADROOM_CUDA_DEVICES", "none") {}

 private:
  UseVariable of_vulkan_, of_cuda_;
};

// Those that the driver has the means for: 0, 1 and 2 with every lavapipe, 3 with those of 2026, of which
// tests/gpu/other_driver.sh makes sure.
inline std::vector<std::uint32_t> tiers_here() {
  const char* asked = std::getenv("HEADROOM_NEEDS_VULKAN_TIER");
  std::uint32_t needed = asked == nullptr ? 0 : static_cast<std::uint32_t>(std::atoi(asked));
  std::vector<std::uint32_t> found;
  for (std::uint32_t tier = 0; tier <= kMostVulkanTier; ++tier) {
    const UseTier use(tier);
    const std::vector<VulkanCard> cards = vulkan_cards().cards;
    if (cards.empty()) break;
    if (cards.front().tier.number == tier) found.push_back(tier);
    if (cards.front().skips_long_loops) needed = std::max(needed, 2U);  // lavapipe
  }
  EXPECT_GT(found.size(), needed) << "the driver lacks what a tier needs";
  return found;
}

// The CPU and the first Vulkan device, which shares the host's memory or is made to work as a card that does not.
inline std::vector<DeviceInfo> cpu_and_vulkan(bool is_unified) {
  std::vector<DeviceInfo> devices = take(probe_devices(2));
  std::erase_if(devices,
                [](const DeviceInfo& device) { return device.kind != DeviceKind::kCpu && device.id != "vulkan:0"; });
  const std::vector<Message> refused = vulkan_cards().refused;
  EXPECT_EQ(devices.size(), 2U) << "no Vulkan device: mesa-vulkan-drivers has one that needs no card; "
                                << (refused.empty() ? Message() : refused.front());
  if (devices.size() != 2) std::abort();
  devices[1].has_unified_memory = is_unified;
  return devices;
}

}  // namespace headroom::test
