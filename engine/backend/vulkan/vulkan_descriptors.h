// Descriptor sets: the eight buffers that a dispatch is bound to. A set is made once and used each time its commands
// run.
#pragma once

#include <array>
#include <memory>

#include "backend/vulkan/vulkan_pipelines.h"

namespace headroom {

// The destructor frees the sets; commands that use one must have run by then.
class VulkanDescriptors {
 public:
  using Buffers = std::array<VkDescriptorBufferInfo, kKernelBuffers>;  // by binding, none of them empty

  static Result<std::unique_ptr<VulkanDescriptors>> open(std::shared_ptr<VulkanDevice> device, std::size_t n_sets);
  VulkanDescriptors(const VulkanDescriptors&) = delete;
  VulkanDescriptors& operator=(const VulkanDescriptors&) = delete;
  ~VulkanDescriptors();

  // Makes one more set; n_sets can be made.
  Result<VkDescriptorSet> bind(const VulkanPipelines& pipelines, const Buffers& buffers);

 private:
  explicit VulkanDescriptors(std::shared_ptr<VulkanDevice> device) : device_(std::move(device)) {}

  std::shared_ptr<VulkanDevice> device_;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
};

}  // namespace headroom
