// Memory of one arena on a Vulkan device, and the one buffer that covers it.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <utility>

#include "backend/gpu/gpu_arena.h"
#include "backend/vulkan/vulkan_device.h"

namespace headroom {

class VulkanArena final : public GpuArena {
 public:
  // Maps memory of the device, which the host reaches as well where both share it, or page-locked memory of the host,
  // as the plan says. kResource names bytes asked and bytes free.
  static Result<std::unique_ptr<VulkanArena>> map(std::shared_ptr<VulkanDevice> device, const ArenaPlan& plan);
  VulkanArena(const VulkanArena&) = delete;
  VulkanArena& operator=(const VulkanArena&) = delete;
  ~VulkanArena() override;

  Bytes mapped_bytes() const override { return size_; }
  std::byte* host_address() const override { return memory_kind_ == Memory::kPageLocked ? mapped_ : nullptr; }

  std::byte* mapped() const override { return mapped_; }

  // For the backend alone.
  VkBuffer buffer() const { return buffer_; }
  // A part of the arena as a kernel is bound to it. Where HEADROOM_VULKAN_EXACT_BUFFERS is set each part gets a buffer
  // of its own, because some checkers of accesses know the ends of buffers and not those of bindings.
  VkDescriptorBufferInfo binding(Bytes offset, Bytes size) const;

 private:
  VulkanArena(std::shared_ptr<VulkanDevice> device, const ArenaPlan& plan)
      : device_(std::move(device)), memory_kind_(plan.memory), size_(plan.size) {}
  Status create();
  std::uint32_t find_memory_type(std::uint32_t allowed) const;
  std::atomic<Bytes>& bytes_in_use() const;  // of this process on the card, of this kind of memory

  std::shared_ptr<VulkanDevice> device_;
  Memory memory_kind_;
  Bytes size_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  mutable std::map<std::pair<Bytes, Bytes>, VkBuffer> exact_;  // by offset and size
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::byte* mapped_ = nullptr;
};

// The buffer of a slice's arena, and the slice as a binding; the arena is one of this backend.
VkBuffer buffer_of(const GpuSlice& slice);
VkDescriptorBufferInfo binding_of(const GpuSlice& slice);  // see VulkanArena::binding()

}  // namespace headroom
