// The tests of candidates on Vulkan: see gpu_contract/gpu_candidates.h.
#pragma once

#include <memory>
#include <span>

#include "backend/vulkan/vulkan_arena.h"
#include "backend/vulkan/vulkan_candidates.h"
#include "backend/vulkan/vulkan_pipelines.h"
#include "vulkan/vulkan_fixture.h"

namespace headroom::test {

inline constexpr bool kCopiesQueries = false;

class CandidateDevice {
 public:
  std::unique_ptr<GpuArena> map(const ArenaPlan& plan) { return take(VulkanArena::map(device_, plan)); }
  Status prepare(const CandidateSlices& slices) {
    Result<std::unique_ptr<VulkanCandidates>> made = VulkanCandidates::record(device_, *pipelines_, slices);
    if (!made) return made.error();
    candidates_ = std::move(*made);
    return ok_status();
  }
  Status find(std::span<CandidateQuery> queries) { return candidates_->find(queries); }

 private:
  std::shared_ptr<VulkanDevice> device_ = take(VulkanDevice::open(vulkan_cards().cards.at(0)));
  std::unique_ptr<VulkanPipelines> pipelines_ = take(VulkanPipelines::open(device_, {}));
  std::unique_ptr<VulkanCandidates> candidates_;
};

}  // namespace headroom::test
