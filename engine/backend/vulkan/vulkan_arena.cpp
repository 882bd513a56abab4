#include "backend/vulkan/vulkan_arena.h"

#include <cstdlib>

#include "backend/vulkan/vulkan_memory.h"
#include "base/check.h"

namespace headroom {
namespace {

constexpr std::uint32_t kNoType = ~0U;
constexpr const char* kExactBuffersVariable = "HEADROOM_VULKAN_EXACT_BUFFERS";

VkBufferCreateInfo buffer_info(Bytes size) {
  VkBufferCreateInfo buffer{};
  buffer.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  buffer.size = size;
  buffer.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
  buffer.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  return buffer;
}

}  // namespace

Result<std::unique_ptr<VulkanArena>> VulkanArena::map(std::shared_ptr<VulkanDevice> device, const ArenaPlan& plan) {
  if (Status present = device->check_present(); !present) return present.error();
  std::unique_ptr<VulkanArena> arena(new VulkanArena(std::move(device), plan));  // NOLINT: the constructor is private
  if (plan.size == 0) return arena;
  if (Status made = arena->create(); !made) return made.error();
  return arena;
}

std::atomic<Bytes>& VulkanArena::bytes_in_use() const {
  GpuUse& use = use_of_card(device_->card());
  return memory_kind_ == Memory::kPageLocked ? use.host_arena_bytes : use.device_arena_bytes;
}

// The first type of the kind that is asked for, in the order in which the driver prefers them; of what the host reads
// first those that it caches: of others it reads a hundred times as slowly.
std::uint32_t VulkanArena::find_memory_type(std::uint32_t allowed) const {
  constexpr VkMemoryPropertyFlags kReachable =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(device_->card().handle, &memory);
  VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, unwanted = 0;
  if (memory_kind_ == Memory::kPageLocked) wanted = kReachable;
  if (memory_kind_ == Memory::kDevice && device_->card().info.has_unified_memory) wanted |= kReachable;
  // Of a card's own memory the part that the host reaches is small and others want it.
  if (memory_kind_ == Memory::kDevice && !device_->card().info.has_unified_memory)
    unwanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
  const auto first = [&](VkMemoryPropertyFlags all, VkMemoryPropertyFlags none) {
    for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
      const VkMemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
      if ((allowed & (1U << i)) != 0 && (flags & all) == all && (flags & none) == 0) return i;
    }
    return kNoType;
  };
  const VkMemoryPropertyFlags cached = (wanted & kReachable) != 0 ? VK_MEMORY_PROPERTY_HOST_CACHED_BIT : 0;
  const std::uint32_t best = first(wanted | cached, unwanted);
  return best != kNoType ? best : first(wanted, 0);
}

Status VulkanArena::create() {
  const auto refused = [&](VkResult result) -> Status {
    if (result == VK_ERROR_DEVICE_LOST) return device_->failed("mapping memory", result);
    const Result<MemorySample> now = sample_card(device_->card());
    const Bytes free = now ? now->free : 0;
    return Error{ErrorCode::kResource,
                 Message::say("{}: asked for {} ({} bytes) of {} memory, free {} ({} bytes), refused by the driver: {}",
                              device_->id(), amount(size_), size_, memory_words(memory_kind_), amount(free), free,
                              vk_result_name(result))};
  };
  const VkBufferCreateInfo buffer = buffer_info(size_);
  if (const VkResult made = vkCreateBuffer(device_->handle(), &buffer, nullptr, &buffer_); made != VK_SUCCESS)
    return refused(made);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device_->handle(), buffer_, &needs);
  needs.size += vulkan_faults().more_for_buffers;
  if (needs.size > size_) {
    return Error{ErrorCode::kUnsupported,
                 Message::say("{}: expected a driver that takes {} bytes for a buffer of this size, found {}",
                              device_->id(), size_, needs.size)};
  }
  VkMemoryAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.allocationSize = size_;
  allocate.memoryTypeIndex = find_memory_type(needs.memoryTypeBits);
  if (allocate.memoryTypeIndex == kNoType) return refused(VK_ERROR_FEATURE_NOT_PRESENT);
  if (vulkan_faults().refuse_at_map > 0 && --vulkan_faults().refuse_at_map == 0)
    return refused(VK_ERROR_OUT_OF_DEVICE_MEMORY);
  if (const VkResult made = vkAllocateMemory(device_->handle(), &allocate, nullptr, &memory_); made != VK_SUCCESS)
    return refused(made);
  bytes_in_use() += size_;
  if (const VkResult bound = vkBindBufferMemory(device_->handle(), buffer_, memory_, 0); bound != VK_SUCCESS)
    return refused(bound);
  if (memory_kind_ != Memory::kPageLocked && !device_->card().info.has_unified_memory) return ok_status();
  void* mapped = nullptr;
  if (const VkResult result = vkMapMemory(device_->handle(), memory_, 0, VK_WHOLE_SIZE, 0, &mapped);
      result != VK_SUCCESS)
    return refused(result);
  mapped_ = static_cast<std::byte*>(mapped);
  return ok_status();
}

VkDescriptorBufferInfo VulkanArena::binding(Bytes offset, Bytes size) const {
  if (std::getenv(kExactBuffersVariable) == nullptr) return {buffer_, offset, size};
  VkBuffer& exact = exact_[{offset, size}];
  if (exact == VK_NULL_HANDLE) {
    VkBufferCreateInfo create = buffer_info(size);
    if (vkCreateBuffer(device_->handle(), &create, nullptr, &exact) != VK_SUCCESS ||
        vkBindBufferMemory(device_->handle(), exact, memory_, offset) != VK_SUCCESS) {
      vkDestroyBuffer(device_->handle(), std::exchange(exact, VK_NULL_HANDLE), nullptr);
      return {buffer_, offset, size};  // it is for checkers alone
    }
  }
  return {exact, 0, size};
}

VulkanArena::~VulkanArena() {
  device_->release([device = device_->handle(), exact = std::move(exact_), buffer = buffer_, memory = memory_,
                    size = size_, &in_use = bytes_in_use()] {
    for (const auto& [place, part] : exact) vkDestroyBuffer(device, part, nullptr);
    vkDestroyBuffer(device, buffer, nullptr);
    vkFreeMemory(device, memory, nullptr);
    if (memory != VK_NULL_HANDLE) in_use -= size;
  });
}

VkBuffer buffer_of(const GpuSlice& slice) { return static_cast<const VulkanArena*>(slice.arena)->buffer(); }

VkDescriptorBufferInfo binding_of(const GpuSlice& slice) {
  return static_cast<const VulkanArena*>(slice.arena)->binding(slice.offset, slice.size);
}

}  // namespace headroom
