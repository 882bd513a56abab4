#include "backend/vulkan/vulkan_tier.h"

#include <algorithm>

#include "backend/gpu/gpu_args.h"
#include "base/check.h"

namespace headroom {
namespace {

constexpr std::uint32_t kThreads = 256, kTileFeatures = 64, kTileRows = 64;  // shaders/matmul_matrices.comp
constexpr std::uint32_t kMatrixSharedBytes = 32 * 1024;                      // that it needs of a workgroup

// The kernel takes fragments by these sizes.
bool is_taken(const VkCooperativeMatrixPropertiesKHR& found, std::uint32_t subgroup_size) {
  const auto is_one_of = [](std::uint32_t size, std::initializer_list<std::uint32_t> sizes) {
    return std::find(sizes.begin(), sizes.end(), size) != sizes.end();
  };
  const MatrixShape shape{found.MSize, found.NSize, found.KSize, subgroup_size};
  return found.AType == VK_COMPONENT_TYPE_FLOAT16_KHR && found.BType == VK_COMPONENT_TYPE_FLOAT16_KHR &&
         found.CType == VK_COMPONENT_TYPE_FLOAT32_KHR && found.ResultType == VK_COMPONENT_TYPE_FLOAT32_KHR &&
         found.scope == VK_SCOPE_SUBGROUP_KHR && is_one_of(shape.m, {8, 16, 32}) && is_one_of(shape.n, {8, 16}) &&
         is_one_of(shape.k, {8, 16, 32}) && shape.n_beside(kTileFeatures) > 0 && shape.n_beside(2 * kTileFeatures) > 0;
}

// Absent where the driver lacks a part of what the kernel needs.
std::optional<MatrixShape> find_matrices(VkPhysicalDevice device, const std::set<std::string>& extensions) {
  if (!extensions.contains(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME) ||
      !extensions.contains(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME))
    return std::nullopt;
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices{};
  matrices.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR;
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroups{};
  subgroups.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES;
  subgroups.pNext = &matrices;
  VkPhysicalDeviceVulkan12Features with_1_2{};
  with_1_2.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  with_1_2.pNext = &subgroups;
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &with_1_2;
  vkGetPhysicalDeviceFeatures2(device, &features);
  VkPhysicalDeviceSubgroupSizeControlProperties control{};
  control.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES;
  VkPhysicalDeviceSubgroupProperties usual{};
  usual.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
  usual.pNext = &control;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &usual;
  vkGetPhysicalDeviceProperties2(device, &properties);
  if (matrices.cooperativeMatrix == VK_FALSE || with_1_2.vulkanMemoryModel == VK_FALSE ||
      with_1_2.shaderFloat16 == VK_FALSE || subgroups.subgroupSizeControl == VK_FALSE ||
      subgroups.computeFullSubgroups == VK_FALSE ||
      (control.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) == 0 ||
      properties.properties.limits.maxComputeSharedMemorySize < kMatrixSharedBytes)
    return std::nullopt;
  const auto list = reinterpret_cast<PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR>(
      vkGetInstanceProcAddr(volkGetLoadedInstance(), "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  std::uint32_t n = 0;
  if (list == nullptr || list(device, &n, nullptr) != VK_SUCCESS) return std::nullopt;
  VkCooperativeMatrixPropertiesKHR empty{};
  empty.sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR;
  std::vector<VkCooperativeMatrixPropertiesKHR> found(n, empty);
  if (list(device, &n, found.data()) != VK_SUCCESS) return std::nullopt;
  // The first one: drivers begin with the sizes that their hardware has.
  for (const VkCooperativeMatrixPropertiesKHR& each : found) {
    if (is_taken(each, usual.subgroupSize)) return MatrixShape{each.MSize, each.NSize, each.KSize, usual.subgroupSize};
  }
  return std::nullopt;
}

bool can_run(const VulkanTierFacts& facts, std::uint32_t tier) {
  switch (tier) {
    case 1: return facts.has_half;
    case 2: return facts.has_int8;
    case 3: return facts.matrices.has_value();
    default: return tier == 0;
  }
}

bool is_fast(const VulkanTierFacts& facts, std::uint32_t tier) {
  switch (tier) {
    case 1: return !facts.is_software;
    case 2: return facts.is_int8_fast;
    case 3: return facts.is_matrices_trusted;
    default: return true;
  }
}

}  // namespace

VulkanTierFacts read_vulkan_tier_facts(VkPhysicalDevice device, const std::set<std::string>& extensions,
                                       VkDriverId driver, bool is_software) {
  VulkanTierFacts facts;
  facts.is_software = is_software;
  VkPhysicalDeviceShaderIntegerDotProductFeatures int8{};
  int8.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES;
  VkPhysicalDeviceVulkan12Features with_1_2{};
  with_1_2.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &with_1_2;
  VkPhysicalDeviceShaderIntegerDotProductProperties speed{};
  speed.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  if (extensions.contains(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME)) {
    with_1_2.pNext = &int8;
    properties.pNext = &speed;
  }
  vkGetPhysicalDeviceFeatures2(device, &features);
  vkGetPhysicalDeviceProperties2(device, &properties);
  facts.has_half = with_1_2.shaderFloat16 == VK_TRUE;
  facts.has_int8 = int8.shaderIntegerDotProduct == VK_TRUE;
  facts.is_int8_fast = speed.integerDotProduct4x8BitPackedSignedAccelerated == VK_TRUE;
  facts.matrices = find_matrices(device, extensions);
  // Others have crashed or answered wrongly (ggml-org/llama.cpp#22034, #24005, #28648), or compute in software.
  facts.is_matrices_trusted = driver == VK_DRIVER_ID_NVIDIA_PROPRIETARY || driver == VK_DRIVER_ID_MESA_RADV;
  return facts;
}

// The sizes are those that the shaders are written for. 16 KiB of shared memory is what every driver has. A submission
// takes half a second of a slow integrated GPU: desktops end work of two, and wait for ours before they draw.
GpuArithmetic VulkanTier::arithmetic() const {
  const bool has_half_rows = number == 1 || number == 3;
  return {.has_int8 = has_int8,
          .half_rows = has_half_rows ? HalfRows::kOfAllWeights : HalfRows::kNone,
          .half_exponent = matrices ? args::kHalfExponent : 0,  // matmul_half adds up in F16
          .matrices = matrices,
          .attend = {.n_threads = 128,
                     .team = 8,
                     .shared_words = 4096,
                     .most_queries = 16,
                     .queries_of_rows = 8,
                     .least_rows = 32},
          .group_sizes = {.embedded_cols = 128, .encoded_groups = 16, .added_cols = 128},
          .most_products = 2e10};
}

VulkanTier choose_vulkan_tier(const VulkanTierFacts& facts, std::optional<std::uint32_t> asked) {
  VulkanTier tier;
  tier.number = asked.value_or(kMostVulkanTier);
  while (!can_run(facts, tier.number) || (!asked && !is_fast(facts, tier.number))) --tier.number;
  tier.has_int8 = tier.number >= 2 && facts.has_int8 && (facts.is_int8_fast || asked);
  if (tier.number == 3) tier.matrices = facts.matrices;
  return tier;
}

std::optional<std::uint32_t> parse_vulkan_tier(std::string_view text) {
  if (text.size() != 1 || text[0] < '0' || text[0] > static_cast<char>('0' + kMostVulkanTier)) return std::nullopt;
  return static_cast<std::uint32_t>(text[0] - '0');
}

std::string vulkan_tier_text(const VulkanTier& tier) {
  switch (tier.number) {
    case 1: return "Vulkan, tier 1 (f16)";
    case 2: return "Vulkan, tier 2 (int8)";
    case 3: return tier.has_int8 ? "Vulkan, tier 3 (matrices, int8)" : "Vulkan, tier 3 (matrices)";
    default: return "Vulkan, tier 0 (f32)";
  }
}

Message vulkan_tier_note(const VulkanTier& tier, const VulkanTierFacts& facts) {
  if (tier.has_int8) return {};
  const Message why = facts.has_int8 ? Message::say("its driver has no instruction for products of int8")
                                     : Message::say("its driver has no products of int8");
  if (tier.number == 0) return Message::say("quantized weights are multiplied in f32: {}.", why);
  return Message::say("quantized weights are multiplied in f32 with few rows, in f16 with many: {}.", why);
}

VulkanTierFeatures::VulkanTierFeatures(const VulkanTier& tier) {
  with_1_2_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  with_1_2_.timelineSemaphore = VK_TRUE;
  with_1_2_.shaderFloat16 = tier.arithmetic().half_rows != HalfRows::kNone ? VK_TRUE : VK_FALSE;
  last_ = reinterpret_cast<VkBaseOutStructure*>(&with_1_2_);
  if (tier.has_int8) {
    int8_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES;
    int8_.shaderIntegerDotProduct = VK_TRUE;
    chain(&int8_);
    extensions_.push_back(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
  }
  if (tier.matrices) {
    with_1_2_.vulkanMemoryModel = VK_TRUE;
    subgroups_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES;
    subgroups_.subgroupSizeControl = VK_TRUE;
    subgroups_.computeFullSubgroups = VK_TRUE;
    chain(&subgroups_);
    matrices_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR;
    matrices_.cooperativeMatrix = VK_TRUE;
    chain(&matrices_);
    extensions_.insert(extensions_.end(),
                       {VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME});
  }
}

void VulkanTierFeatures::chain(void* feature) {
  last_->pNext = static_cast<VkBaseOutStructure*>(feature);
  last_ = last_->pNext;
}

}  // namespace headroom
