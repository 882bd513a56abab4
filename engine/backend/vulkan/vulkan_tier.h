// The tier of a device: which of our kernels it runs. Tier 0 runs everywhere; the others need features of the driver.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "backend/gpu/gpu_arithmetic.h"
#include "backend/vulkan/vulkan_cooperative_matrix.h"

namespace headroom {

struct VulkanTier {
  // 0: f32. 1: products with many rows in f16. 2: products of int8. 3: products with many rows by `matrices`.
  std::uint32_t number = 0;
  bool has_int8 = false;                  // of quantized weights with few rows; tier 2 of many as well
  std::optional<MatrixShape> matrices{};  // VK_KHR_cooperative_matrix
  GpuArithmetic arithmetic() const;
};

// The facts that decide the tier.
struct VulkanTierFacts {
  bool is_software = false;
  bool has_half = false;      // shaderFloat16
  bool has_int8 = false;      // VK_KHR_shader_integer_dot_product
  bool is_int8_fast = false;  // by an instruction, not put together from many
  std::optional<MatrixShape> matrices{};
  bool is_matrices_trusted = false;  // no wrong results or crashes are known of this driver
};
VulkanTierFacts read_vulkan_tier_facts(VkPhysicalDevice device, const std::set<std::string>& extensions,
                                       VkDriverId driver, bool is_software);

// The highest tier that is fast on the device. `asked` sets another limit: the highest tier up to it that the driver
// can run, even if it is slow there or its driver is not trusted.
VulkanTier choose_vulkan_tier(const VulkanTierFacts& facts, std::optional<std::uint32_t> asked);
inline constexpr std::uint32_t kMostVulkanTier = 3;

// "0" to "3"; absent for anything else.
std::optional<std::uint32_t> parse_vulkan_tier(std::string_view text);

// For the command `devices`: the tier's name, and why the device has no higher one; empty: nothing is missing.
std::string vulkan_tier_text(const VulkanTier& tier);
Message vulkan_tier_note(const VulkanTier& tier, const VulkanTierFacts& facts);

// The features and extensions with which a device is opened for its tier. The structs point at each other, so it cannot
// be copied.
class VulkanTierFeatures {
 public:
  explicit VulkanTierFeatures(const VulkanTier& tier);
  VulkanTierFeatures(const VulkanTierFeatures&) = delete;
  VulkanTierFeatures& operator=(const VulkanTierFeatures&) = delete;
  const VkPhysicalDeviceVulkan12Features* features() const { return &with_1_2_; }
  const std::vector<const char*>& extensions() const { return extensions_; }

 private:
  void chain(void* feature);
  VkPhysicalDeviceVulkan12Features with_1_2_{};
  VkPhysicalDeviceShaderIntegerDotProductFeatures int8_{};
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroups_{};
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices_{};
  VkBaseOutStructure* last_ = nullptr;
  std::vector<const char*> extensions_;
};

}  // namespace headroom
