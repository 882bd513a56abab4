// An open Vulkan device: its queue, what was submitted to it, and a place for its pipelines.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "backend/gpu/gpu_step.h"
#include "backend/vulkan/vulkan_faults.h"
#include "backend/vulkan/vulkan_instance.h"

namespace headroom {

// Shared by a backend and its arenas.
class VulkanDevice final : public GpuDriver, public std::enable_shared_from_this<VulkanDevice> {
 public:
  // kResource when the driver refuses.
  static Result<std::shared_ptr<VulkanDevice>> open(const VulkanCard& card);
  VulkanDevice(const VulkanDevice&) = delete;
  VulkanDevice& operator=(const VulkanDevice&) = delete;
  ~VulkanDevice() override;

  VkDevice handle() const { return device_; }
  const VulkanCard& card() const { return card_; }
  const std::string& id() const override { return card_.info.id; }

  // Behind all that was submitted before; what is submitted later waits for it.
  Status submit(std::span<const VkCommandBuffer> commands);
  std::uint64_t n_submitted() const { return n_submitted_; }
  // Until at most `n_left` submissions are running. kCancelled is left to the caller.
  Status wait(std::uint64_t n_left = 0);
  // As submit(), of commands that are recorded here and used once, and waits.
  template <class Record>
  Status run_once(std::string_view what, Record record) {
    if (Status begun = begin_once(what); !begun) return begun;
    record(once_);
    return finish_once(what);
  }

  Status check_present() const override;
  Status wait_idle() override { return wait(); }
  Status copy(std::string_view what, std::span<const GpuCopy> copies) override;
  Status clear(const GpuSlice& slice) override;
  Result<std::unique_ptr<GpuUploads>> make_uploads(std::uint32_t n_parts) override;

  // Remembers that the device was lost.
  Error failed(std::string_view what, VkResult result);

 private:
  explicit VulkanDevice(VulkanCard card);
  Status create();
  Status begin_once(std::string_view what);
  Status finish_once(std::string_view what);

  VulkanCard card_;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer once_ = VK_NULL_HANDLE;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  std::uint64_t n_submitted_ = 0;  // the timeline's value when all of it is done
  bool is_lost_ = false;
};

// All that was written before, by whatever, is seen by all that comes behind it, in these commands and those that are
// submitted later.
void record_barrier(VkCommandBuffer commands);

}  // namespace headroom
