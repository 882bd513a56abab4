#include "backend/vulkan/vulkan_memory.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "backend/gpu_memory/amdgpu_memory.h"
#include "backend/gpu_memory/drm_clients.h"
#include "backend/gpu_memory/nvml.h"
#include "backend/host/host_memory.h"
#include "backend/vulkan/vulkan_faults.h"

namespace headroom {
namespace {

constexpr const char* kProc = "/proc";
// Looking at every open file of a desktop's programs takes some ten milliseconds.
constexpr std::chrono::seconds kOthersKept{5};

ProcessBudget budget_of(VkPhysicalDevice device, std::uint32_t heap) {
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{};
  budget.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
  VkPhysicalDeviceMemoryProperties2 memory{};
  memory.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
  memory.pNext = &budget;
  vkGetPhysicalDeviceMemoryProperties2(device, &memory);
  return {budget.heapBudget[heap], budget.heapUsage[heap]};
}

std::optional<ClientUse> other_clients(const PciAddress& card) {
  static OtherDrmClients others(kOthersKept);
  return others.on(card);
}

}  // namespace

GpuUse& use_of_card(const VulkanCard& card) {
  static std::mutex mutex;
  static std::map<VkPhysicalDevice, GpuUse> uses;
  const std::lock_guard lock(mutex);
  return uses[card.handle];
}

MemoryReadings read_card_memory(const VulkanCard& card) {
  MemoryReadings readings;
  readings.heap_bytes = card.heap_bytes;
  const GpuUse& use = use_of_card(card);
  readings.device_arena_bytes = use.device_arena_bytes;
  readings.host_arena_bytes = use.host_arena_bytes;
  // A driver that computes on the CPU counts what all programs have of the machine's memory.
  if (card.has_memory_budget && !card.is_software) readings.budget = budget_of(card.handle, card.heap);
  if (const Bytes taken = vulkan_faults().taken; taken > 0) {
    const Bytes used = readings.device_arena_bytes + std::min(taken, card.heap_bytes - readings.device_arena_bytes);
    readings.device = DeviceUse{card.heap_bytes, used, "the test"};
  }
  if (!card.pci) return readings;
  readings.own_clients = own_drm_clients(kProc, *card.pci);
  readings.device = read_amdgpu_memory(kSysFolder, *card.pci, card.info.has_unified_memory);
  if (!readings.device && card.vendor == kNvidia) readings.device = read_nvml(*card.pci);
  const bool is_told = readings.device && readings.device->ok();
  if (!is_told && !card.info.has_unified_memory) readings.other_clients = other_clients(*card.pci);
  return readings;
}

Result<MemorySample> sample_card(const VulkanCard& card) {
  const MemoryReadings readings = read_card_memory(card);
  if (!card.info.has_unified_memory) return sample_own_memory(readings);
  const Result<MemorySample> host = sample_host_memory();
  if (!host) return host;
  return sample_shared_memory(*host, readings);
}

}  // namespace headroom
