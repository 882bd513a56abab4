#include "backend/vulkan/vulkan_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "backend/vulkan/vulkan_pipelines.h"
#include "devices/device_catalogue.h"
#include "format/dtype_table.h"

namespace headroom {
namespace {

// The limits that tier 0 stands on; the smallest that desktop drivers report.
constexpr std::uint32_t kLeastPushBytes = 128, kLeastInvocations = 256, kLeastSharedBytes = 16 * 1024,
                        kLeastBuffers = 8;

// Puts what is asked about at the end of a query.
template <class Query, class Part>
void ask_for(Query& query, Part& part, VkStructureType type) {
  part.sType = type;
  part.pNext = query.pNext;
  query.pNext = &part;
}

void read_extensions(VkPhysicalDevice device, VulkanFacts& facts) {
  std::uint32_t n = 0;
  vkEnumerateDeviceExtensionProperties(device, nullptr, &n, nullptr);
  std::vector<VkExtensionProperties> found(n);
  vkEnumerateDeviceExtensionProperties(device, nullptr, &n, found.data());
  for (const VkExtensionProperties& extension : found)
    facts.extensions.insert(static_cast<const char*>(extension.extensionName));
}

void read_queues(VkPhysicalDevice device, VulkanFacts& facts) {
  std::uint32_t n = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &n, nullptr);
  std::vector<VkQueueFamilyProperties> families(n);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &n, families.data());
  for (std::uint32_t i = 0; i < n && !facts.compute_queue; ++i) {
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0) facts.compute_queue = i;
  }
}

void read_heaps(VkPhysicalDevice device, VulkanFacts& facts) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(device, &memory);
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    const VkMemoryHeap& heap = memory.memoryHeaps[i];
    if ((heap.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) == 0 || heap.size <= facts.heap_bytes) continue;
    facts.heap = i;
    facts.heap_bytes = heap.size;
  }
}

void read_properties(VkPhysicalDevice device, VulkanFacts& facts) {
  VkPhysicalDeviceProperties2 all{};
  all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  VkPhysicalDeviceVulkan12Properties driver{};
  VkPhysicalDeviceIDProperties id{};
  VkPhysicalDeviceMaintenance3Properties sizes{};
  VkPhysicalDevicePCIBusInfoPropertiesEXT pci{};
  ask_for(all, driver, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES);
  ask_for(all, id, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES);
  ask_for(all, sizes, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES);
  const bool has_pci = facts.extensions.contains(VK_EXT_PCI_BUS_INFO_EXTENSION_NAME);
  if (has_pci) ask_for(all, pci, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT);
  vkGetPhysicalDeviceProperties2(device, &all);
  facts.driver_id = driver.driverID;
  facts.driver =
      fmt::format("{} {}", static_cast<const char*>(driver.driverName), static_cast<const char*>(driver.driverInfo));
  for (const std::uint8_t byte : id.deviceUUID) facts.uuid += fmt::format("{:02x}", byte);
  facts.limits = all.properties.limits;
  facts.max_allocation_bytes = sizes.maxMemoryAllocationSize;
  if (has_pci) facts.pci = PciAddress{pci.pciDomain, pci.pciBus, pci.pciDevice, pci.pciFunction};
}

void read_features(VkPhysicalDevice device, VulkanFacts& facts) {
  VkPhysicalDeviceFeatures2 all{};
  all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  VkPhysicalDeviceVulkan12Features with_1_2{};
  ask_for(all, with_1_2, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  vkGetPhysicalDeviceFeatures2(device, &all);
  facts.has_timeline_semaphores = with_1_2.timelineSemaphore == VK_TRUE;
}

// Without what Mesa's drivers add in brackets: "llvmpipe (LLVM 15.0.6, 256 bits)", "AMD Radeon RX 6800 (RADV NAVI21)".
std::string plain_name(const std::string& name) {
  const std::size_t bracket = name.find(" (");
  return name.ends_with(')') && bracket != std::string::npos && bracket > 0 ? name.substr(0, bracket) : name;
}

}  // namespace

VulkanFacts read_vulkan_facts(VkPhysicalDevice device) {
  VulkanFacts facts;
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(device, &properties);
  facts.name = static_cast<const char*>(properties.deviceName);
  facts.type = properties.deviceType;
  facts.api_version = properties.apiVersion;
  facts.vendor = properties.vendorID;
  facts.product = properties.deviceID;
  // An older driver knows none of what is asked below, and is refused anyway.
  if (facts.api_version < VK_API_VERSION_1_2) return facts;
  read_extensions(device, facts);
  read_queues(device, facts);
  read_heaps(device, facts);
  read_properties(device, facts);
  read_features(device, facts);
  facts.tier =
      read_vulkan_tier_facts(device, facts.extensions, facts.driver_id, facts.type == VK_PHYSICAL_DEVICE_TYPE_CPU);
  return facts;
}

VulkanFacts without_options(VulkanFacts facts) {
  facts.extensions.clear();
  facts.tier = {.is_software = facts.tier.is_software};
  facts.pci.reset();
  return facts;
}

Message why_not_usable(const VulkanFacts& facts) {
  if (facts.api_version < VK_API_VERSION_1_2) {
    return Message::say("expected Vulkan 1.2, found {}.{}", VK_API_VERSION_MAJOR(facts.api_version),
                        VK_API_VERSION_MINOR(facts.api_version));
  }
  if (!facts.has_timeline_semaphores) return Message::say("expected timeline semaphores, found none");
  if (!facts.compute_queue) return Message::say("expected a queue that computes, found none");
  if (facts.heap_bytes == 0) return Message::say("expected memory of the device's own, found none");
  struct Limit {
    Message::Mark words;
    std::uint32_t least, found;
  };
  for (const Limit& limit :
       {Limit{Message::mark("push constants"), kLeastPushBytes, facts.limits.maxPushConstantsSize},
        Limit{Message::mark("workgroups"), kLeastInvocations, facts.limits.maxComputeWorkGroupInvocations},
        Limit{Message::mark("shared memory"), kLeastSharedBytes, facts.limits.maxComputeSharedMemorySize},
        Limit{Message::mark("storage buffers"), kLeastBuffers, facts.limits.maxPerStageDescriptorStorageBuffers}}) {
    if (limit.found < limit.least)
      return Message::say("expected {} of at least {}, found {}", Message::of(limit.words), limit.least, limit.found);
  }
  return {};
}

VulkanCard make_vulkan_card(const VulkanFacts& facts, std::size_t index, std::string_view tier_setting,
                            const std::filesystem::path& sys_folder) {
  VulkanCard card;
  card.queue_family = facts.compute_queue.value_or(0);
  card.is_software = facts.type == VK_PHYSICAL_DEVICE_TYPE_CPU;
  card.has_memory_budget = facts.extensions.contains(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  card.vendor = facts.vendor;
  if (!card.is_software) card.pci = facts.pci ? facts.pci : find_pci_card(sys_folder, facts.vendor, facts.product);
  card.skips_long_loops = facts.driver_id == VK_DRIVER_ID_MESA_LLVMPIPE;
  card.binding_alignment = facts.limits.minStorageBufferOffsetAlignment;
  card.heap = facts.heap;
  card.heap_bytes = facts.heap_bytes;
  DeviceInfo& info = card.info;
  info.id = fmt::format("vulkan:{}", index);
  info.name = plain_name(facts.name);
  info.kind = DeviceKind::kVulkan;
  info.traits = kVulkanTraits;
  info.is_software = card.is_software;
  info.has_unified_memory = card.is_software || facts.type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  if (!info.has_unified_memory && card.pci) info.heap = pci_text(*card.pci);
  info.alignment = std::max<Bytes>(256, card.binding_alignment);
  info.granularity = 64 * kKiB;
  // One that computes on the CPU takes its share of the process, like any library.
  if (!card.is_software) info.driver_bytes = kAssumedVulkanDriverBytes;
  info.driver = facts.driver;
  info.max_arena_bytes = facts.max_allocation_bytes;
  info.max_binding_bytes = facts.limits.maxStorageBufferRange;
  const std::optional<std::uint32_t> asked = parse_vulkan_tier(tier_setting);
  card.tier = choose_vulkan_tier(facts.tier, asked);
  info.kernels = vulkan_tier_text(card.tier);
  if (const Message note = vulkan_tier_note(card.tier, facts.tier); !note.empty() && !asked)
    info.kernel_note = note.said_of(info.name);
  info.proof = Proof::kMissing;
  info.proof_key = fmt::format("{}|{}|{}|{:016x}", facts.uuid, info.kernels, info.driver, vulkan_kernels_fingerprint());
  for (const DTypeRow& row : kDTypes) {
    if (row.is_kv) info.kv_types.push_back(row.dtype);
  }
  return card;
}

}  // namespace headroom
