#include "backend/vulkan/vulkan_instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <set>
#include <string_view>

#include "backend/vulkan/vulkan_memory.h"
#include "format/dtype_table.h"
#include "plan/device_catalogue.h"

namespace headroom {
namespace {

// The limits that tier 0 stands on; the smallest that desktop drivers report.
constexpr std::uint32_t kLeastPushBytes = 128, kLeastInvocations = 256, kLeastSharedBytes = 16 * 1024,
                        kLeastBuffers = 8;

struct Instance {
  VkInstance handle = VK_NULL_HANDLE;
  std::string problem;  // why there is none
};

Instance make_instance() {
  if (volkInitialize() != VK_SUCCESS) return {VK_NULL_HANDLE, "Vulkan: this machine has no loader (libvulkan.so.1)"};
  VkApplicationInfo app{};
  app.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  app.pApplicationName = "Headroom";
  app.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  create.pApplicationInfo = &app;
  VkInstance handle = VK_NULL_HANDLE;
  const VkResult made = vkCreateInstance(&create, nullptr, &handle);
  if (made == VK_ERROR_INCOMPATIBLE_DRIVER) return {VK_NULL_HANDLE, "Vulkan: this machine has a loader and no driver"};
  if (made != VK_SUCCESS)
    return {VK_NULL_HANDLE, fmt::format("Vulkan: opening the drivers failed: {}", vk_result_name(made))};
  volkLoadInstance(handle);
  return {handle, {}};
}

// Lasts as long as the process: drivers do not take well to being opened and closed again.
const Instance& instance() {
  static const Instance made = make_instance();
  return made;
}

std::set<std::string> extensions_of(VkPhysicalDevice device) {
  std::uint32_t n = 0;
  vkEnumerateDeviceExtensionProperties(device, nullptr, &n, nullptr);
  std::vector<VkExtensionProperties> found(n);
  vkEnumerateDeviceExtensionProperties(device, nullptr, &n, found.data());
  std::set<std::string> names;
  for (const VkExtensionProperties& extension : found) names.insert(static_cast<const char*>(extension.extensionName));
  return names;
}

std::optional<std::uint32_t> find_compute_queue(VkPhysicalDevice device) {
  std::uint32_t n = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &n, nullptr);
  std::vector<VkQueueFamilyProperties> families(n);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &n, families.data());
  for (std::uint32_t i = 0; i < n; ++i) {
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0) return i;
  }
  return std::nullopt;
}

// What tier 0 lacks on this device; empty: nothing.
std::string missing_for_tier_0(VkPhysicalDevice device, const VkPhysicalDeviceProperties& properties) {
  if (properties.apiVersion < VK_API_VERSION_1_2) {
    return fmt::format("expected Vulkan 1.2, found {}.{}", VK_API_VERSION_MAJOR(properties.apiVersion),
                       VK_API_VERSION_MINOR(properties.apiVersion));
  }
  VkPhysicalDeviceVulkan12Features with_1_2{};
  with_1_2.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &with_1_2;
  vkGetPhysicalDeviceFeatures2(device, &features);
  if (with_1_2.timelineSemaphore == VK_FALSE) return "expected timeline semaphores, found none";
  if (!find_compute_queue(device)) return "expected a queue that computes, found none";
  const VkPhysicalDeviceLimits& limits = properties.limits;
  const auto too_small = [](std::string_view name, std::uint32_t least, std::uint32_t found) {
    return fmt::format("expected {} of at least {}, found {}", name, least, found);
  };
  if (limits.maxPushConstantsSize < kLeastPushBytes)
    return too_small("push constants", kLeastPushBytes, limits.maxPushConstantsSize);
  if (limits.maxComputeWorkGroupInvocations < kLeastInvocations)
    return too_small("workgroups", kLeastInvocations, limits.maxComputeWorkGroupInvocations);
  if (limits.maxComputeSharedMemorySize < kLeastSharedBytes)
    return too_small("shared memory", kLeastSharedBytes, limits.maxComputeSharedMemorySize);
  if (limits.maxPerStageDescriptorStorageBuffers < kLeastBuffers)
    return too_small("storage buffers", kLeastBuffers, limits.maxPerStageDescriptorStorageBuffers);
  return {};
}

// Where the driver does not tell, the kernel does of a card that has no twin.
std::optional<PciAddress> pci_address_of(VkPhysicalDevice device, const VkPhysicalDeviceProperties& properties,
                                         const std::set<std::string>& extensions) {
  if (!extensions.contains(VK_EXT_PCI_BUS_INFO_EXTENSION_NAME))
    return find_pci_card(kSysFolder, properties.vendorID, properties.deviceID);
  VkPhysicalDevicePCIBusInfoPropertiesEXT pci{};
  pci.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT;
  VkPhysicalDeviceProperties2 all{};
  all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  all.pNext = &pci;
  vkGetPhysicalDeviceProperties2(device, &all);
  return PciAddress{pci.pciDomain, pci.pciBus, pci.pciDevice, pci.pciFunction};
}

// What HEADROOM_VULKAN_TIER asks for; absent: nothing, or no tier.
std::optional<std::uint32_t> asked_tier() {
  const char* setting = std::getenv(kVulkanTierVariable);
  const std::string_view text = setting == nullptr ? "" : setting;
  if (text.size() != 1 || text[0] < '0' || text[0] > static_cast<char>('0' + kMostVulkanTier)) return std::nullopt;
  return static_cast<std::uint32_t>(text[0] - '0');
}

VulkanCard describe(VkPhysicalDevice device, std::size_t index) {
  VkPhysicalDeviceVulkan12Properties driver{};
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
  VkPhysicalDeviceMaintenance3Properties sizes{};
  sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES;
  sizes.pNext = &driver;
  VkPhysicalDeviceProperties2 all{};
  all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  all.pNext = &sizes;
  vkGetPhysicalDeviceProperties2(device, &all);
  const VkPhysicalDeviceProperties& properties = all.properties;
  VulkanCard card;
  card.handle = device;
  card.queue_family = find_compute_queue(device).value_or(0);
  card.is_software = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  const std::set<std::string> extensions = extensions_of(device);
  card.has_memory_budget = extensions.contains(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  card.vendor = properties.vendorID;
  if (!card.is_software) card.pci = pci_address_of(device, properties, extensions);
  card.skips_long_loops = driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE;
  card.binding_alignment = properties.limits.minStorageBufferOffsetAlignment;
  DeviceInfo& info = card.info;
  info.id = fmt::format("vulkan:{}", index);
  info.name = static_cast<const char*>(properties.deviceName);
  info.kind = DeviceKind::kVulkan;
  info.has_unified_memory = card.is_software || properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  info.alignment = std::max<Bytes>(256, card.binding_alignment);
  info.granularity = 64 * kKiB;
  // One that computes on the CPU takes its share of the process, like any library.
  if (!card.is_software) info.driver_bytes = kAssumedVulkanDriverBytes;
  info.driver =
      fmt::format("{} {}", static_cast<const char*>(driver.driverName), static_cast<const char*>(driver.driverInfo));
  info.max_arena_bytes = sizes.maxMemoryAllocationSize;
  info.max_binding_bytes = properties.limits.maxStorageBufferRange;
  const VulkanTierFacts facts =
      read_vulkan_tier_facts(instance().handle, device, extensions, driver.driverID, card.is_software);
  card.tier = choose_vulkan_tier(facts, asked_tier());
  info.kernels = vulkan_tier_text(card.tier);
  if (const std::string note = vulkan_tier_note(card.tier, facts); !note.empty() && !asked_tier())
    info.kernel_note = fmt::format("{}: {}", info.name, note);
  for (const DTypeRow& row : kDTypes) {
    if (row.is_kv) info.kv_types.push_back(row.dtype);
  }
  return card;
}

// Puts those that the setting names in its order; the sentence says what is wrong with it.
void choose_cards(VulkanCards& found, std::string_view setting) {
  std::vector<VulkanCard> chosen;
  for (std::string_view rest = setting; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view number = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
    if (error != std::errc() || end != number.data() + number.size() || index >= found.cards.size()) {
      found.refused.push_back(fmt::format("{}: expected numbers below {} such as 0 or 1,0, or none, found \"{}\"",
                                          kVulkanDevicesVariable, found.cards.size(), setting));
      return;
    }
    chosen.push_back(found.cards[index]);
    chosen.back().info.id = fmt::format("vulkan:{}", chosen.size() - 1);
  }
  found.cards = std::move(chosen);
}

}  // namespace

VulkanCards vulkan_cards() {
  VulkanCards found;
  const char* setting = std::getenv(kVulkanDevicesVariable);
  if (setting != nullptr && std::string_view(setting) == "none") return found;
  const Instance& vulkan = instance();
  if (vulkan.handle == VK_NULL_HANDLE) {
    found.refused.push_back(vulkan.problem);
    return found;
  }
  std::uint32_t n = 0;
  vkEnumeratePhysicalDevices(vulkan.handle, &n, nullptr);
  std::vector<VkPhysicalDevice> devices(n);
  vkEnumeratePhysicalDevices(vulkan.handle, &n, devices.data());
  devices.resize(n);
  if (devices.empty()) found.refused.emplace_back("Vulkan: the loader finds no device");
  const bool takes_software = std::getenv(kSoftwareVariable) != nullptr;
  for (VkPhysicalDevice device : devices) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(device, &properties);
    const char* name = static_cast<const char*>(properties.deviceName);
    if (const std::string missing = missing_for_tier_0(device, properties); !missing.empty()) {
      found.refused.push_back(fmt::format("Vulkan: {}: {}", name, missing));
      continue;
    }
    if (properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU && !takes_software) {
      found.refused.push_back(fmt::format("Vulkan: {} computes on the CPU, where our own kernels are faster", name));
      continue;
    }
    VulkanCard card = describe(device, found.cards.size());
    const Result<MemorySample> memory = sample_card(card);
    if (!memory) {
      found.refused.push_back(fmt::format("Vulkan: {}: {}", name, memory.error().message));
      continue;
    }
    card.info.total_bytes = memory->total;
    card.info.free_bytes = memory->free;
    card.info.account = memory->account;
    found.cards.push_back(std::move(card));
  }
  if (setting != nullptr && *setting != '\0') choose_cards(found, setting);
  const char* tier = std::getenv(kVulkanTierVariable);
  if (tier != nullptr && *tier != '\0' && !asked_tier()) {
    found.refused.push_back(
        fmt::format("{}: expected 0 to {}, found \"{}\"", kVulkanTierVariable, kMostVulkanTier, tier));
  }
  return found;
}

}  // namespace headroom
