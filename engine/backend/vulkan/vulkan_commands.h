// Commands that are recorded once and submitted as often as they run, or, where the pool has the flag for that,
// recorded anew.
#pragma once

#include <memory>
#include <vector>

#include "backend/vulkan/vulkan_device.h"

namespace headroom {

// Gone with this object; what was submitted must have run by then.
class VulkanCommands {
 public:
  static Result<std::unique_ptr<VulkanCommands>> open(std::shared_ptr<VulkanDevice> device, std::size_t n,
                                                      VkCommandPoolCreateFlags flags = 0);
  VulkanCommands(const VulkanCommands&) = delete;
  VulkanCommands& operator=(const VulkanCommands&) = delete;
  ~VulkanCommands();

  VkCommandBuffer operator[](std::size_t i) const { return commands_[i]; }

  // Has `record`, a function of commands that returns a Status, fill the i-th, behind all that was submitted before and
  // before all that comes after.
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
