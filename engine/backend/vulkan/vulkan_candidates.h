// Candidates of rows of logits, looked for by the device that has them.
#pragma once

#include <memory>
#include <set>
#include <span>

#include "backend/candidates.h"
#include "backend/vulkan/vulkan_binding.h"
#include "backend/vulkan/vulkan_commands.h"
#include "backend/vulkan/vulkan_descriptors.h"

namespace headroom {

// Where it looks and what it has for it.
struct CandidateSlices {
  std::uint32_t n_vocab = 0;
  VulkanSlice logits;   // (rows, n_vocab) f32
  VulkanSlice scratch;  // see CandidateScratch
  VulkanSlice inputs;   // see GpuInputs
  CandidateScratch sizes;
  GpuInputs layout;
};

// Recorded once; nothing is allocated when it is asked.
class VulkanCandidates {
 public:
  static const std::set<PipelineKey>& kernels();

  // kUnsupported names a vocabulary that is too large for the driver.
  static Result<std::unique_ptr<VulkanCandidates>> record(std::shared_ptr<VulkanDevice> device,
                                                          VulkanPipelines& pipelines, const CandidateSlices& slices);

  // As Backend::find_candidates(), of at most sizes.n_rows queries.
  Status find(std::span<CandidateQuery> queries);

 private:
  VulkanCandidates(std::shared_ptr<VulkanDevice> device, const CandidateSlices& slices)
      : device_(std::move(device)), slices_(slices), answer_(gpu_answer(slices.n_vocab)) {}
  Status check_limits() const;
  Status record_commands(VulkanPipelines& pipelines);
  void ask(std::span<const CandidateQuery> queries);
  void read_answer(std::uint32_t index, CandidateQuery& query) const;
  std::uint32_t n_sums() const;

  std::shared_ptr<VulkanDevice> device_;
  CandidateSlices slices_;
  GpuAnswer answer_;
  std::unique_ptr<VulkanDescriptors> descriptors_;
  std::unique_ptr<VulkanCommands> commands_;
};

}  // namespace headroom
