// Some command buffers of one pool. Each is recorded once and submitted many times; with a flag of the pool it can be
// recorded anew.
#pragma once

#include <memory>
#include <vector>

#include "backend/vulkan/vulkan_device.h"

namespace headroom {

// The destructor frees the buffers; those that were submitted must have run by then.
class VulkanCommands {
 public:
  static Result<std::unique_ptr<VulkanCommands>> open(std::shared_ptr<VulkanDevice> device, std::size_t n,
                                                      VkCommandPoolCreateFlags flags = 0);
  VulkanCommands(const VulkanCommands&) = delete;
  VulkanCommands& operator=(const VulkanCommands&) = delete;
  ~VulkanCommands();

  VkCommandBuffer operator[](std::size_t i) const { return commands_[i]; }

  // Has `record`, a function of a VkCommandBuffer that returns a Status, fill the i-th buffer between two barriers: its
  // commands run after all earlier submissions and before all later ones.
  template <class Record>
  Status record(std::size_t i, Record record) {
    if (Status begun = begin(i); !begun) return begun;
    if (Status recorded = record(commands_[i]); !recorded) return recorded;
    return end(i);
  }

 private:
  explicit VulkanCommands(std::shared_ptr<VulkanDevice> device) : device_(std::move(device)) {}
  Status begin(std::size_t i);
  Status end(std::size_t i);

  std::shared_ptr<VulkanDevice> device_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::vector<VkCommandBuffer> commands_;
};

}  // namespace headroom
