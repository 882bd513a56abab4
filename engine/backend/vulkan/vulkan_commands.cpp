#include "backend/vulkan/vulkan_commands.h"

namespace headroom {

Result<std::unique_ptr<VulkanCommands>> VulkanCommands::open(std::shared_ptr<VulkanDevice> device, std::size_t n,
                                                             VkCommandPoolCreateFlags flags) {
  std::unique_ptr<VulkanCommands> made(new VulkanCommands(std::move(device)));  // NOLINT: the constructor is private
  VulkanDevice& on = *made->device_;
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.flags = flags;
  pool.queueFamilyIndex = on.card().queue_family;
  if (const VkResult result = vkCreateCommandPool(on.handle(), &pool, nullptr, &made->pool_); result != VK_SUCCESS)
    return on.failed("making a pool of commands", result);
  if (n == 0) return made;
  std::vector<VkCommandBuffer> commands(n);
  VkCommandBufferAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = made->pool_;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = static_cast<std::uint32_t>(n);
  if (const VkResult result = vkAllocateCommandBuffers(on.handle(), &allocate, commands.data()); result != VK_SUCCESS)
    return on.failed("making commands", result);
  made->commands_ = std::move(commands);
  return made;
}

VulkanCommands::~VulkanCommands() {
  device_->release([device = device_->handle(), pool = pool_] { vkDestroyCommandPool(device, pool, nullptr); });
}

Status VulkanCommands::begin(std::size_t i) {
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  if (const VkResult begun = vkBeginCommandBuffer(commands_[i], &begin); begun != VK_SUCCESS)
    return device_->failed("recording commands", begun);
  record_barrier(commands_[i]);
  return ok_status();
}

Status VulkanCommands::end(std::size_t i) {
  record_barrier(commands_[i]);
  if (const VkResult ended = vkEndCommandBuffer(commands_[i]); ended != VK_SUCCESS)
    return device_->failed("recording commands", ended);
  return ok_status();
}

}  // namespace headroom
