// An open Vulkan device: its queue, and how far the queue has come.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/gpu/gpu_step.h"
#include "backend/vulkan/vulkan_faults.h"
#include "backend/vulkan/vulkan_instance.h"

namespace headroom {

// Shared by a backend and its arenas.
class VulkanDevice final : public GpuDriver, public std::enable_shared_from_this<VulkanDevice> {
 public:
  // kResource when the driver refuses; kDeviceLost where a device of the card was given up and has not answered since.
  static Result<std::shared_ptr<VulkanDevice>> open(const VulkanCard& card);
  VulkanDevice(const VulkanDevice&) = delete;
  VulkanDevice& operator=(const VulkanDevice&) = delete;
  ~VulkanDevice() override;

  VkDevice handle() const { return device_; }
  const VulkanCard& card() const { return card_; }
  const std::string& id() const override { return card_.info.id; }

  // Submits commands, which run after earlier and before later submissions.
  Status submit(std::span<const VkCommandBuffer> commands);
  std::uint64_t n_submitted() const { return n_submitted_; }
  // Until at most `n_left` submissions are running; `what` is for the message. A device of which none has ended within
  // device_wait_limit() is given up (kDeviceLost). kCancelled is left to the caller.
  Status wait(std::string_view what, std::uint64_t n_left = 0);
  // Destroys what was made on this device: at once, or, once the device was given up, not before it has answered after
  // all, which it may never do. Until then it may still use what was made.
  void release(std::function<void()> destroy);
  // Commands that are recorded here and used once: to be submitted, or left, before others are recorded so.
  template <class Record>
  Result<VkCommandBuffer> record_once(std::string_view what, Record record) {
    if (Status begun = begin_once(what); !begun) return begun.error();
    record(once_);
    if (Status ended = end_once(what); !ended) return ended.error();
    return once_;
  }
  // The same, submitted and waited for.
  template <class Record>
  Status run_once(std::string_view what, Record record) {
    const Result<VkCommandBuffer> commands = record_once(what, record);
    if (!commands) return commands.error();
    if (Status submitted = submit({&*commands, 1}); !submitted) return submitted;
    return wait(what);
  }

  Status check_present() const override;
  Status wait_idle(std::string_view what) override { return wait(what); }
  Status copy(std::string_view what, std::span<const GpuCopy> copies) override;
  Status clear(const GpuSlice& slice) override;
  Result<std::unique_ptr<GpuUploads>> make_uploads(std::uint32_t n_parts) override;

  // Remembers that the device was lost.
  Error failed(std::string_view what, VkResult result);

 private:
  explicit VulkanDevice(VulkanCard card);
  Status create();
  Result<VkSemaphore> make_timeline();
  Error give_up(std::string_view what, std::chrono::milliseconds waited);
  bool has_answered() const;
  Status begin_once(std::string_view what);
  Status end_once(std::string_view what);

  VulkanCard card_;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer once_ = VK_NULL_HANDLE;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  std::uint64_t n_submitted_ = 0;      // the timeline's value when all of it is done
  std::uint64_t n_ended_ = 0;          // of these, known by the waits so far
  VkSemaphore hang_ = VK_NULL_HANDLE;  // of a test: what the submissions that hang wait for
  bool is_lost_ = false, is_given_up_ = false;
  std::vector<std::function<void()>> left_;  // see release()
};

// Records a barrier for all memory: commands after it, and later submissions, see everything that was written before it
// by commands, copies or the host.
void record_barrier(VkCommandBuffer commands);

}  // namespace headroom
