// A Vulkan device for tests, whatever there is.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <initializer_list>
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

// The devices that are looked for meanwhile: see kVulkanDevicesVariable; all of them where `setting` is empty.
// Afterwards those that the tests were started with.
class UseDevices {
 public:
  explicit UseDevices(const char* setting) {
    if (const char* was = std::getenv(kVulkanDevicesVariable)) was_ = was;
    setenv(kVulkanDevicesVariable, setting, 1);
  }
  UseDevices(const UseDevices&) = delete;
  UseDevices& operator=(const UseDevices&) = delete;
  ~UseDevices() { setenv(kVulkanDevicesVariable, was_.c_str(), 1); }

 private:
  std::string was_;
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

// tests/gpu/full.sh checks every combination; the gate so many that each value is met, with different ones of the
// others.
inline bool is_full_run() {
  const char* asked = std::getenv("HEADROOM_GPU_TESTS");
  return asked != nullptr && std::string(asked) == "full";
}
// Whether the combination of these values, by their places, is checked.
inline bool is_checked(std::initializer_list<std::size_t> places) {
  std::size_t sum = 0;
  for (const std::size_t place : places) sum += place;
  return is_full_run() || sum % 2 == 0;
}

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

// A whole model on a Vulkan device, as on a card with memory of its own: vulkan_session_test.cpp has both.
inline std::unique_ptr<LoadedCpu> load_on_vulkan(const std::filesystem::path& path, PlanOptions options) {
  options.devices = {{1}};
  options.n_gpu_layers = static_cast<std::int32_t>(take(read_model_info(take(open_model_file(path)))).n_layers());
  options.n_cpu_ffn = 0;
  return load_on(path, cpu_and_vulkan(false), options);
}

// Weights are decoded exactly and meet f32 activations: only the order of sums differs.
inline constexpr double kExactTolerance = 1e-4;
// F16 K and V may round to the other neighbour.
inline constexpr double kHalfTolerance = 1e-3;
// A quantized cache rounds to another code where an activation differs a little: one step of Q8_0 is 0.8 % of a
// block's maximum, of Q4_0 and FP8 up to 14 %, in a few of all elements.
inline constexpr double kCodeTolerance = 1e-2, kCoarseTolerance = 4e-2;

// Of a whole model's logits, as a relative error.
inline double cache_tolerance(DType kv_k, DType kv_v) {
  double most = kExactTolerance;
  for (const DType kv : {kv_k, kv_v}) {
    if (kv == DType::kF16) most = std::max(most, kHalfTolerance);
    if (kv == DType::kQ8_0) most = std::max(most, kCodeTolerance);
    if (kv == DType::kQ4_0 || kv == DType::kF8E4M3) most = std::max(most, kCoarseTolerance);
  }
  return most;
}

}  // namespace headroom::test
