// The ops of one device of a plan, recorded once and submitted with each step.
#pragma once

#include <memory>
#include <vector>

#include "backend/gpu/gpu_dispatches.h"
#include "backend/vulkan/vulkan_arena.h"
#include "backend/vulkan/vulkan_candidates.h"
#include "backend/vulkan/vulkan_commands.h"
#include "backend/vulkan/vulkan_descriptors.h"

namespace headroom {

class VulkanStep final : public GpuStep {
 public:
  // Makes the pipelines, descriptors and commands of every op of the device. kUnsupported names a limit of the driver
  // that this plan exceeds; compiling pipelines fails with kCancelled or an error that names the kernel.
  static Result<std::unique_ptr<VulkanStep>> record(std::shared_ptr<VulkanDevice> device, VulkanPipelines& pipelines,
                                                    GpuBinding bound, const StopToken& stop);
  VulkanStep(const VulkanStep&) = delete;
  VulkanStep& operator=(const VulkanStep&) = delete;
  ~VulkanStep() override;

  const GpuBinding& bound() const override { return bound_; }

  // Splits the ops into submissions of bounded work, because drivers end work that takes seconds, and waits between
  // them: two run or wait to run at a time.
  Result<bool> submit(const DeviceSubgraph& subgraph, const StepInputs& inputs, const StopToken& stop) override;
  Status copy_in(const GpuCopy& copy) override;
  Status finish_copies() override;
  Status top_k(std::span<CandidateQuery> queries) override;
  Status read_answers(std::span<CandidateQuery> queries) override;

 private:
  struct Part {
    VkCommandBuffer commands = VK_NULL_HANDLE;
    std::uint32_t first_row = 0;
    double products_per_row = 0;
  };
  VulkanStep(std::shared_ptr<VulkanDevice> device, GpuBinding bound)
      : device_(std::move(device)), bound_(std::move(bound)) {}
  Status check_limits() const;
  bool has_head() const;
  Status record_parts(VulkanPipelines& pipelines, const std::vector<std::vector<OpPart>>& parts);
  Status record_part(VulkanPipelines& pipelines, const OpPart& part, VkCommandBuffer commands);
  Status record_candidates(VulkanPipelines& pipelines);
  VulkanDescriptors::Buffers buffers_of(const Dispatch& dispatch) const;
  std::uint32_t group_index(const GridSize& rule);
  void write_groups(const StepInputs& inputs);

  std::shared_ptr<VulkanDevice> device_;
  GpuBinding bound_;
  std::unique_ptr<VulkanDescriptors> descriptors_;
  std::unique_ptr<VulkanCommands> commands_;
  std::unique_ptr<VulkanCandidates> candidates_;  // null where another device has the head
  std::vector<std::vector<Part>> parts_;          // (RowClass, ops of the program); none of another device's
  std::vector<GridSize> groups_;
  std::vector<VkCommandBuffer> batch_;
  VkCommandBuffer arrival_ = VK_NULL_HANDLE;  // recorded by copy_in(), until it is submitted with a batch or alone
  std::uint64_t written_step_ = 0;            // StepInputs::number of the inputs that the device has
};

}  // namespace headroom
