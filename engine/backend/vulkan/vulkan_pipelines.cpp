#include "backend/vulkan/vulkan_pipelines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <thread>

#include "base/check.h"
#include "base/usable_cores.h"

namespace headroom {
namespace {

constexpr std::size_t kMostConstants = 16;  // of a kernel
constexpr std::uint32_t kMostThreads = 8;   // a driver's compiler takes memory on each

}  // namespace

Result<std::unique_ptr<VulkanPipelines>> VulkanPipelines::open(std::shared_ptr<VulkanDevice> device,
                                                               const std::filesystem::path& kernel_folder) {
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(device->card().handle, &properties);
  std::unique_ptr<VulkanPipelines> made(new VulkanPipelines(  // NOLINT: the constructor is private
      std::move(device), VulkanPipelineFile(kernel_folder, properties)));
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
  const std::vector<std::byte> kept = file_.read();
  if (!kept.empty() && make_cache(kept, cache_) == VK_SUCCESS) kept_bytes_ = cache_data().size();
  if (cache_ != VK_NULL_HANDLE) return ok_status();
  if (const VkResult made = make_cache({}, cache_); made != VK_SUCCESS)
    return device_->failed("making a cache of kernels", made);
  return ok_status();
}

VkResult VulkanPipelines::make_cache(std::span<const std::byte> begins_with, VkPipelineCache& made) const {
  VkPipelineCacheCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  create.initialDataSize = begins_with.size();
  create.pInitialData = begins_with.data();
  return vkCreatePipelineCache(device_->handle(), &create, nullptr, &made);
}

VulkanPipelines::~VulkanPipelines() {
  device_->release([device = device_->handle(), made = std::move(made_), cache = cache_, layout = layout_,
                    set_layout = set_layout_] {
    for (const auto& [key, pipeline] : made) vkDestroyPipeline(device, pipeline, nullptr);
    vkDestroyPipelineCache(device, cache, nullptr);
    vkDestroyPipelineLayout(device, layout, nullptr);
    vkDestroyDescriptorSetLayout(device, set_layout, nullptr);
  });
}

Result<VkPipeline> VulkanPipelines::find(Kernel kernel, std::span<const std::uint32_t> constants) {
  const PipelineKey key{kernel, {constants.begin(), constants.end()}};
  if (Status made = prepare({key}, {}); !made) return made.error();
  return made_.at(key);
}

void VulkanPipelines::bind(VkCommandBuffer commands, VkPipeline pipeline, VkDescriptorSet set,
                           std::span<const std::uint32_t> push) const {
  CHECK(push.size_bytes() <= kPushBytes, "a kernel is given more than every driver passes");
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set, 0, nullptr);
  if (!push.empty()) {
    vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, static_cast<std::uint32_t>(push.size_bytes()),
                       push.data());
  }
}

Status VulkanPipelines::prepare(const std::set<PipelineKey>& keys, const StopToken& stop) {
  std::vector<Job> jobs;
  for (const PipelineKey& key : keys) {
    CHECK(key.constants.size() <= kMostConstants, "a kernel has too many constants");
    if (!made_.contains(key)) jobs.push_back({.key = &key});
  }
  if (jobs.empty()) return ok_status();
  make_all(jobs, stop);
  const std::size_t n_before = made_.size();
  const Job* unmade = nullptr;
  for (const Job& job : jobs) {
    if (job.result == VK_SUCCESS) {
      made_.emplace(*job.key, job.pipeline);
    } else if (unmade == nullptr || unmade->result == VK_NOT_READY) {
      unmade = &job;
    }
  }
  if (made_.size() > n_before) keep();
  if (unmade == nullptr) return ok_status();
  if (unmade->result == VK_NOT_READY) return Error{ErrorCode::kCancelled, Message::say("loading was cancelled")};
  return device_->failed(fmt::format("compiling the kernel {}", kernel_name(unmade->key->kernel)), unmade->result);
}

// Until one fails; what nobody began stays VK_NOT_READY.
void VulkanPipelines::make_all(std::span<Job> jobs, const StopToken& stop) const {
  const std::size_t failing = vulkan_faults().fail_at_pipeline.exchange(0);
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> has_failed = false;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size() && !has_failed && !stop.stop_requested(); i = next++) {
      Job& job = jobs[i];
      job.result = i + 1 == failing ? VK_ERROR_OUT_OF_HOST_MEMORY : make(*job.key, job.pipeline);
      if (job.result != VK_SUCCESS) has_failed = true;
    }
  };
  std::vector<std::thread> helpers;
  try {
    const std::size_t n_threads = std::min<std::size_t>(std::min(usable_cores(), kMostThreads), jobs.size());
    for (std::size_t i = 1; i < n_threads; ++i) helpers.emplace_back(work);
  } catch (const std::exception&) {
    // The system gives no more threads: fewer take longer.
  }
  work();
  for (std::thread& helper : helpers) helper.join();
}

// On any thread: drivers synchronize their cache. Allocates nothing of ours, since a thread has nobody to tell.
VkResult VulkanPipelines::make(const PipelineKey& key, VkPipeline& made) const {
  const std::span<const std::uint32_t> code = kernel_code(key.kernel);
  VkShaderModuleCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  create.codeSize = code.size_bytes();
  create.pCode = code.data();
  VkShaderModule module = VK_NULL_HANDLE;
  VkDevice device = device_->handle();
  if (const VkResult read = vkCreateShaderModule(device, &create, nullptr, &module); read != VK_SUCCESS) return read;
  std::array<VkSpecializationMapEntry, kMostConstants> entries{};
  const auto n_constants = static_cast<std::uint32_t>(key.constants.size());
  for (std::uint32_t i = 0; i < n_constants; ++i) entries[i] = {i, i * 4, 4};
  const VkSpecializationInfo special{n_constants, entries.data(), n_constants * sizeof(std::uint32_t),
                                     key.constants.data()};
  VkComputePipelineCreateInfo pipeline{};
  pipeline.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  pipeline.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  pipeline.stage.module = module;
  pipeline.stage.pName = "main";
  pipeline.stage.pSpecializationInfo = &special;
  pipeline.layout = layout_;
  // Fragments of matrices belong to subgroups of one size, all of whose threads are there.
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size{};
  size.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  if (key.kernel == Kernel::kMatmulMatrices || key.kernel == Kernel::kPeakMatrices) {
    size.requiredSubgroupSize = device_->card().tier.matrices->subgroup_size;
    pipeline.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    pipeline.stage.pNext = &size;
  }
  const VkResult compiled = vkCreateComputePipelines(device, cache_, 1, &pipeline, nullptr, &made);
  vkDestroyShaderModule(device, module, nullptr);
  return compiled;
}

// Empty when the driver does not tell.
std::vector<std::byte> VulkanPipelines::cache_data() const {
  std::size_t n_bytes = 0;
  if (vkGetPipelineCacheData(device_->handle(), cache_, &n_bytes, nullptr) != VK_SUCCESS) return {};
  std::vector<std::byte> data(n_bytes);
  if (vkGetPipelineCacheData(device_->handle(), cache_, &n_bytes, data.data()) != VK_SUCCESS) return {};
  data.resize(n_bytes);
  return data;
}

// Writes what the driver has made, if that is more than the file was known to hold. What another program added to it
// meanwhile stays.
void VulkanPipelines::keep() {
  if (file_.path().empty()) return;
  std::vector<std::byte> data = cache_data();
  if (data.size() <= kept_bytes_) return;
  VkPipelineCache others = VK_NULL_HANDLE;
  if (const std::vector<std::byte> now = file_.read(); !now.empty() && make_cache(now, others) == VK_SUCCESS) {
    if (vkMergePipelineCaches(device_->handle(), cache_, 1, &others) == VK_SUCCESS) data = cache_data();
    vkDestroyPipelineCache(device_->handle(), others, nullptr);
  }
  file_.write(data);
  kept_bytes_ = data.size();
}

}  // namespace headroom
