#include "backend/vulkan/vulkan_uploads.h"

#include <array>

#include "backend/vulkan/vulkan_arena.h"

namespace headroom {
namespace {

constexpr const char* kUploading = "streaming weights to it";

}  // namespace

Result<std::unique_ptr<GpuUploads>> VulkanUploads::open(std::shared_ptr<VulkanDevice> device, std::uint32_t n_parts) {
  std::unique_ptr<VulkanUploads> made(new VulkanUploads(device, n_parts));  // NOLINT: the constructor is private
  Result<std::unique_ptr<VulkanCommands>> commands =
      VulkanCommands::open(std::move(device), n_parts, VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT);
  if (!commands) return commands.error();
  made->commands_ = std::move(*commands);
  return std::unique_ptr<GpuUploads>(std::move(made));
}

VulkanUploads::~VulkanUploads() { (void)device_->wait(kUploading); }

Status VulkanUploads::wait(std::uint32_t part) {
  return submitted_[part] == 0 ? ok_status() : device_->wait(kUploading, device_->n_submitted() - submitted_[part]);
}

Status VulkanUploads::start(const GpuCopy& copy, std::uint32_t part) {
  const Status recorded = commands_->record(part, [&](VkCommandBuffer commands) {
    const VkBufferCopy region{copy.from.offset, copy.to.offset, copy.from.size};
    vkCmdCopyBuffer(commands, buffer_of(copy.from), buffer_of(copy.to), 1, &region);
    return ok_status();
  });
  if (!recorded) return recorded;
  const std::array commands{(*commands_)[part]};
  if (Status submitted = device_->submit(commands); !submitted) return submitted;
  submitted_[part] = device_->n_submitted();
  return ok_status();
}

}  // namespace headroom
