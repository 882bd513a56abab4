#include "backend/vulkan/vulkan_device.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "backend/device_wait.h"
#include "backend/vulkan/vulkan_arena.h"
#include "backend/vulkan/vulkan_memory.h"
#include "backend/vulkan/vulkan_uploads.h"

namespace headroom {
namespace {

// Devices that were given up. Each lasts until it answers after all, or as long as the process: its driver may use it.
struct GivenUp {
  std::mutex mutex;
  std::vector<std::shared_ptr<VulkanDevice>> devices;
};
GivenUp& given_up() {
  static auto* all = new GivenUp;  // never destroyed: the end of the process waits for no device either
  return *all;
}

}  // namespace

Result<std::shared_ptr<VulkanDevice>> VulkanDevice::open(const VulkanCard& card) {
  {
    GivenUp& all = given_up();
    const std::lock_guard lock(all.mutex);
    std::erase_if(all.devices, [](const auto& each) { return each->has_answered(); });
    for (const auto& each : all.devices) {
      if (each->card().handle == card.handle) return is_given_up(card.info.id);
    }
  }
  std::shared_ptr<VulkanDevice> device(new VulkanDevice(card));  // NOLINT: the constructor is private
  if (Status made = device->create(); !made) return made.error();
  return device;
}

VulkanDevice::VulkanDevice(VulkanCard card) : card_(std::move(card)) { ++use_of_card(card_).n_open; }

Status VulkanDevice::create() {
  const float priority = 1.0F;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = card_.queue_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  const VulkanTierFeatures features(card_.tier);
  VkDeviceCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  create.pNext = features.features();
  create.enabledExtensionCount = static_cast<std::uint32_t>(features.extensions().size());
  create.ppEnabledExtensionNames = features.extensions().data();
  create.queueCreateInfoCount = 1;
  create.pQueueCreateInfos = &queue;
  if (const VkResult made = vkCreateDevice(card_.handle, &create, nullptr, &device_); made != VK_SUCCESS)
    return failed("opening the device", made);
  vkGetDeviceQueue(device_, card_.queue_family, 0, &queue_);
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = card_.queue_family;
  if (const VkResult made = vkCreateCommandPool(device_, &pool, nullptr, &pool_); made != VK_SUCCESS)
    return failed("making a command pool", made);
  VkCommandBufferAllocateInfo once{};
  once.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  once.commandPool = pool_;
  once.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  once.commandBufferCount = 1;
  if (const VkResult made = vkAllocateCommandBuffers(device_, &once, &once_); made != VK_SUCCESS)
    return failed("making commands", made);
  Result<VkSemaphore> timeline = make_timeline();
  if (!timeline) return timeline.error();
  timeline_ = *timeline;
  return ok_status();
}

Result<VkSemaphore> VulkanDevice::make_timeline() {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo semaphore{};
  semaphore.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  semaphore.pNext = &type;
  VkSemaphore made = VK_NULL_HANDLE;
  if (const VkResult result = vkCreateSemaphore(device_, &semaphore, nullptr, &made); result != VK_SUCCESS)
    return failed("making a semaphore", result);
  return made;
}

// Of a device that was given up only once it has answered after all.
VulkanDevice::~VulkanDevice() {
  --use_of_card(card_).n_open;
  if (device_ == VK_NULL_HANDLE) return;
  vkDeviceWaitIdle(device_);
  for (const auto& destroy : left_) destroy();
  vkDestroySemaphore(device_, hang_, nullptr);
  vkDestroySemaphore(device_, timeline_, nullptr);
  vkDestroyCommandPool(device_, pool_, nullptr);
  vkDestroyDevice(device_, nullptr);
}

Error VulkanDevice::failed(std::string_view what, VkResult result) {
  is_lost_ |= result == VK_ERROR_DEVICE_LOST;
  return vk_error(id(), what, result);
}

Error VulkanDevice::give_up(std::string_view what, std::chrono::milliseconds waited) {
  is_given_up_ = true;
  GivenUp& all = given_up();
  const std::lock_guard lock(all.mutex);
  all.devices.push_back(shared_from_this());
  return no_answer(id(), what, waited);
}

bool VulkanDevice::has_answered() const {
  if (hang_ != VK_NULL_HANDLE && vulkan_faults().ends_hangs) {
    VkSemaphoreSignalInfo signal{};
    signal.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
    signal.semaphore = hang_;
    signal.value = 1;
    vkSignalSemaphore(device_, &signal);
    return true;
  }
  std::uint64_t n_ended = 0;
  const VkResult read = vkGetSemaphoreCounterValue(device_, timeline_, &n_ended);
  return read == VK_ERROR_DEVICE_LOST || (read == VK_SUCCESS && n_ended >= n_submitted_);
}

void VulkanDevice::release(std::function<void()> destroy) {
  if (!is_given_up_) return destroy();
  left_.push_back(std::move(destroy));
}

Status VulkanDevice::check_present() const {
  if (is_given_up_) return is_given_up(id());
  if (!is_lost_) return ok_status();
  return Error{ErrorCode::kDeviceLost, Message::say("{}: the device was lost", id())};
}

Status VulkanDevice::submit(std::span<const VkCommandBuffer> commands) {
  if (Status present = check_present(); !present) return present;
  if (vulkan_faults().lose_at_submit > 0 && --vulkan_faults().lose_at_submit == 0) {
    vkDeviceWaitIdle(device_);  // a lost device does nothing any more
    return failed("submitting work", VK_ERROR_DEVICE_LOST);
  }
  const std::uint64_t done = n_submitted_ + 1, hangs_until = 1;
  if (vulkan_faults().hang_at_submit > 0 && --vulkan_faults().hang_at_submit == 0) {
    Result<VkSemaphore> never = make_timeline();
    if (!never) return never.error();
    hang_ = *never;
  }
  VkTimelineSemaphoreSubmitInfo timeline{};
  timeline.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  timeline.signalSemaphoreValueCount = 1;
  timeline.pSignalSemaphoreValues = &done;
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.pNext = &timeline;
  submit.commandBufferCount = static_cast<std::uint32_t>(commands.size());
  submit.pCommandBuffers = commands.data();
  submit.signalSemaphoreCount = 1;
  submit.pSignalSemaphores = &timeline_;
  constexpr VkPipelineStageFlags kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  if (hang_ != VK_NULL_HANDLE) {
    timeline.waitSemaphoreValueCount = submit.waitSemaphoreCount = 1;
    timeline.pWaitSemaphoreValues = &hangs_until;
    submit.pWaitSemaphores = &hang_;
    submit.pWaitDstStageMask = &kAll;
  }
  if (const VkResult result = vkQueueSubmit(queue_, 1, &submit, VK_NULL_HANDLE); result != VK_SUCCESS)
    return failed("submitting work", result);
  n_submitted_ = done;
  return ok_status();
}

Status VulkanDevice::wait(std::string_view what, std::uint64_t n_left) {
  if (Status present = check_present(); !present) return present;
  if (n_submitted_ <= n_left) return ok_status();
  const std::uint64_t until = n_submitted_ - n_left;
  if (until <= n_ended_) return ok_status();
  VkSemaphoreWaitInfo wait{};
  wait.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  wait.semaphoreCount = 1;
  wait.pSemaphores = &timeline_;
  wait.pValues = &until;
  const std::chrono::milliseconds limit = device_wait_limit();
  const auto limit_ns = static_cast<std::uint64_t>(std::chrono::nanoseconds(limit).count());
  for (;;) {
    const VkResult result = vkWaitSemaphores(device_, &wait, limit_ns);
    if (result != VK_SUCCESS && result != VK_TIMEOUT) return failed(what, result);
    std::uint64_t n_ended = until;
    if (result == VK_TIMEOUT && vkGetSemaphoreCounterValue(device_, timeline_, &n_ended) != VK_SUCCESS)
      return give_up(what, limit);
    const bool goes_on = n_ended > std::exchange(n_ended_, std::max(n_ended_, n_ended));
    if (result == VK_SUCCESS) return ok_status();
    // Where one of several submissions has ended meanwhile, the device is slow, and it answers.
    if (!goes_on) return give_up(what, limit);
  }
}

Status VulkanDevice::begin_once(std::string_view what) {
  if (Status idle = wait(what); !idle) return idle;
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  if (const VkResult begun = vkBeginCommandBuffer(once_, &begin); begun != VK_SUCCESS) return failed(what, begun);
  record_barrier(once_);
  return ok_status();
}

Status VulkanDevice::end_once(std::string_view what) {
  record_barrier(once_);
  if (const VkResult ended = vkEndCommandBuffer(once_); ended != VK_SUCCESS) return failed(what, ended);
  return ok_status();
}

Status VulkanDevice::copy(std::string_view what, std::span<const GpuCopy> copies) {
  return run_once(what, [&](VkCommandBuffer commands) {
    for (const GpuCopy& each : copies) {
      const VkBufferCopy region{each.from.offset, each.to.offset, each.from.size};
      vkCmdCopyBuffer(commands, buffer_of(each.from), buffer_of(each.to), 1, &region);
    }
  });
}

Result<std::unique_ptr<GpuUploads>> VulkanDevice::make_uploads(std::uint32_t n_parts) {
  return VulkanUploads::open(shared_from_this(), n_parts);
}

Status VulkanDevice::clear(const GpuSlice& slice) {
  return run_once("clearing memory", [&](VkCommandBuffer commands) {
    vkCmdFillBuffer(commands, buffer_of(slice), slice.offset, slice.size, 0);
  });
}

void record_barrier(VkCommandBuffer commands) {
  constexpr VkPipelineStageFlags kStages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                          VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(commands, kStages, kStages | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

}  // namespace headroom
