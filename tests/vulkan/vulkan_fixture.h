// A Vulkan device for tests, whatever there is.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "backend/vulkan/vulkan_instance.h"
#include "contract/loaded_cpu.h"

namespace headroom::test {

// The kernels that devices take that are looked for meanwhile: see kVulkanTierVariable.
class UseTier {
 public:
  explicit UseTier(std::uint32_t tier) { setenv(kVulkanTierVariable, std::to_string(tier).c_str(), 1); }
  UseTier(const UseTier&) = delete;
  UseTier& operator=(const UseTier&) = delete;
  ~UseTier() { unsetenv(kVulkanTierVariable); }
};

// The CPU and the first Vulkan device, which shares the host's memory or is made to work as a card that does not.
inline std::vector<DeviceInfo> cpu_and_vulkan(bool is_unified) {
  std::vector<DeviceInfo> devices = take(probe_devices(2));
  std::erase_if(devices,
                [](const DeviceInfo& device) { return device.kind != DeviceKind::kCpu && device.id != "vulkan:0"; });
  const std::vector<std::string> refused = vulkan_cards().refused;
  EXPECT_EQ(devices.size(), 2U) << "no Vulkan device: mesa-vulkan-drivers has one that needs no card; "
                                << (refused.empty() ? "" : refused.front());
  if (devices.size() != 2) std::abort();
  devices[1].has_unified_memory = is_unified;
  return devices;
}

}  // namespace headroom::test
