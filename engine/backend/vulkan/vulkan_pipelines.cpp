#include "backend/vulkan/vulkan_pipelines.h"

#include <array>

namespace headroom {

Result<std::unique_ptr<VulkanPipelines>> VulkanPipelines::open(std::shared_ptr<VulkanDevice> device) {
  std::unique_ptr<VulkanPipelines> made(new VulkanPipelines(std::move(device)));  // NOLINT: the constructor is private
  if (Status created = made->create(); !created) return created.error();
  return made;
}

Status VulkanPipelines::create() {
  std::array<VkDescriptorSetLayoutBinding, kKernelBuffers> bindings{};
  for (std::uint32_t i = 0; i < kKernelBuffers; ++i) {
    bindings[i].binding = i;
    bindings[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    bindings[i].descriptorCount = 1;
    bindings[i].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  }
  VkDescriptorSetLayoutCreateInfo set{};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = kKernelBuffers;
  set.pBindings = bindings.data();
  VkDevice device = device_->handle();
  if (const VkResult made = vkCreateDescriptorSetLayout(device, &set, nullptr, &set_layout_); made != VK_SUCCESS)
    return device_->failed("describing bindings", made);
  VkPushConstantRange push{};
  push.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  push.size = kPushBytes;
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &set_layout_;
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &push;
  if (const VkResult made = vkCreatePipelineLayout(device, &layout, nullptr, &layout_); made != VK_SUCCESS)
    return device_->failed("describing kernels", made);
  VkPipelineCacheCreateInfo cache{};
  cache.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  if (const VkResult made = vkCreatePipelineCache(device, &cache, nullptr, &cache_); made != VK_SUCCESS)
    return device_->failed("making a cache of kernels", made);
  return ok_status();
}

VulkanPipelines::~VulkanPipelines() {
  VkDevice device = device_->handle();
  for (const auto& [key, pipeline] : made_) vkDestroyPipeline(device, pipeline, nullptr);
  vkDestroyPipelineCache(device, cache_, nullptr);
  vkDestroyPipelineLayout(device, layout_, nullptr);
  vkDestroyDescriptorSetLayout(device, set_layout_, nullptr);
}

Result<VkPipeline> VulkanPipelines::find(Kernel kernel, std::span<const std::uint32_t> constants) {
  const std::pair key(kernel, std::vector<std::uint32_t>(constants.begin(), constants.end()));
  if (const auto found = made_.find(key); found != made_.end()) return found->second;
  Result<VkPipeline> made = make(kernel, constants);
  if (made) made_.emplace(key, *made);
  return made;
}

Result<VkPipeline> VulkanPipelines::make(Kernel kernel, std::span<const std::uint32_t> constants) {
  const std::span<const std::uint32_t> code = kernel_code(kernel);
  VkShaderModuleCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  create.codeSize = code.size_bytes();
  create.pCode = code.data();
  VkShaderModule module = VK_NULL_HANDLE;
  VkDevice device = device_->handle();
  if (const VkResult made = vkCreateShaderModule(device, &create, nullptr, &module); made != VK_SUCCESS)
    return device_->failed("reading a kernel", made);
  std::vector<VkSpecializationMapEntry> entries;
  for (std::uint32_t i = 0; i < constants.size(); ++i) entries.push_back({i, i * 4, 4});
  const VkSpecializationInfo special{static_cast<std::uint32_t>(entries.size()), entries.data(), constants.size_bytes(),
                                     constants.data()};
  VkComputePipelineCreateInfo pipeline{};
  pipeline.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  pipeline.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  pipeline.stage.module = module;
  pipeline.stage.pName = "main";
  pipeline.stage.pSpecializationInfo = &special;
  pipeline.layout = layout_;
  VkPipeline handle = VK_NULL_HANDLE;
  const VkResult made = vkCreateComputePipelines(device, cache_, 1, &pipeline, nullptr, &handle);
  vkDestroyShaderModule(device, module, nullptr);
  if (made != VK_SUCCESS) return device_->failed("compiling a kernel", made);
  return handle;
}

}  // namespace headroom
