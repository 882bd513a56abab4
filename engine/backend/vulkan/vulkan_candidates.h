// Finds the likeliest tokens of rows of logits on the device that has the logits.
#pragma once

#include <memory>
#include <set>
#include <span>

#include "backend/gpu/gpu_candidates.h"
#include "backend/vulkan/vulkan_commands.h"
#include "backend/vulkan/vulkan_descriptors.h"

namespace headroom {

// Records its commands once; steps allocate nothing.
class VulkanCandidates {
 public:
  static const std::set<PipelineKey>& kernels();

  // kUnsupported names a vocabulary that is too large for the driver.
  static Result<std::unique_ptr<VulkanCandidates>> record(std::shared_ptr<VulkanDevice> device,
                                                          VulkanPipelines& pipelines, const CandidateSlices& slices);

  // As Backend::top_k(), of at most slices.sizes.n_rows queries: what write_queries(), a submission of commands() and
  // read_answers() do of GpuCandidates.
  Status find(std::span<CandidateQuery> queries);
  const GpuCandidates& host() const { return candidates_; }
  VkCommandBuffer commands() const { return (*commands_)[0]; }

 private:
  VulkanCandidates(std::shared_ptr<VulkanDevice> device, const CandidateSlices& slices)
      : device_(std::move(device)), n_vocab_(slices.n_vocab), candidates_(slices) {}
  Status check_limits() const;
  Status record_commands(VulkanPipelines& pipelines);

  std::shared_ptr<VulkanDevice> device_;
  std::uint32_t n_vocab_;
  GpuCandidates candidates_;
  std::unique_ptr<VulkanDescriptors> descriptors_;
  std::unique_ptr<VulkanCommands> commands_;
};

}  // namespace headroom
