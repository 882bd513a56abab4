#include "backend/vulkan/vulkan_descriptors.h"

#include <algorithm>

namespace headroom {

Result<std::unique_ptr<VulkanDescriptors>> VulkanDescriptors::open(std::shared_ptr<VulkanDevice> device,
                                                                   std::size_t n_sets) {
  std::unique_ptr<VulkanDescriptors> made(
      new VulkanDescriptors(std::move(device)));  // NOLINT: the constructor is private
  const auto n = static_cast<std::uint32_t>(std::max<std::size_t>(1, n_sets));
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, n * kKernelBuffers};
  VkDescriptorPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.maxSets = n;
  pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  if (const VkResult result = vkCreateDescriptorPool(made->device_->handle(), &pool, nullptr, &made->pool_);
      result != VK_SUCCESS)
    return made->device_->failed("making descriptors", result);
  return made;
}

VulkanDescriptors::~VulkanDescriptors() {
  device_->release([device = device_->handle(), pool = pool_] { vkDestroyDescriptorPool(device, pool, nullptr); });
}

Result<VkDescriptorSet> VulkanDescriptors::bind(const VulkanPipelines& pipelines, const Buffers& buffers) {
  VkDescriptorSetLayout layout = pipelines.set_layout();
  VkDescriptorSetAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate.descriptorPool = pool_;
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &layout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  if (const VkResult result = vkAllocateDescriptorSets(device_->handle(), &allocate, &set); result != VK_SUCCESS)
    return device_->failed("making descriptors", result);
  std::array<VkWriteDescriptorSet, kKernelBuffers> writes{};
  for (std::uint32_t i = 0; i < kKernelBuffers; ++i) {
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = set;
    writes[i].dstBinding = i;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    writes[i].pBufferInfo = &buffers[i];
  }
  vkUpdateDescriptorSets(device_->handle(), kKernelBuffers, writes.data(), 0, nullptr);
  return set;
}

}  // namespace headroom
