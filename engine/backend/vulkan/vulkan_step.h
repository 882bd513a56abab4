// The ops of one device of a plan, recorded once and submitted with each step.
#pragma once

#include <memory>
#include <vector>

#include "backend/vulkan/vulkan_candidates.h"
#include "backend/vulkan/vulkan_commands.h"
#include "backend/vulkan/vulkan_descriptors.h"
#include "backend/vulkan/vulkan_dispatches.h"

namespace headroom {

class VulkanStep {
 public:
  // Makes the pipelines, descriptors and commands of every op of the device. kUnsupported names a limit of the driver
  // that this plan passes; pipelines end with kCancelled or an error that names the kernel.
  static Result<std::unique_ptr<VulkanStep>> record(std::shared_ptr<VulkanDevice> device, VulkanPipelines& pipelines,
                                                    VulkanBinding bound, std::span<const std::vector<float>> balance,
                                                    const StopToken& stop);
  VulkanStep(const VulkanStep&) = delete;
  VulkanStep& operator=(const VulkanStep&) = delete;
  ~VulkanStep();

  const VulkanBinding& bound() const { return bound_; }

  // Starts the ops of a segment. What runs at once is bounded, since drivers end what takes seconds: this waits between
  // two submissions, and returns false when it was stopped there. Allocates nothing.
  Result<bool> submit(const Segment& segment, const StepInputs& inputs, const StopToken& stop);

  VulkanCandidates* candidates() const { return candidates_.get(); }  // null where another device has the head

 private:
  struct Part {
    VkCommandBuffer commands = VK_NULL_HANDLE;
    std::uint32_t first_row = 0;
    double products_per_row = 0;
  };
  VulkanStep(std::shared_ptr<VulkanDevice> device, VulkanBinding bound)
      : device_(std::move(device)), bound_(std::move(bound)) {}
  Status check_limits() const;
  Status write_balance(std::span<const std::vector<float>> balance);
  bool has_head() const;
  Status record_parts(VulkanPipelines& pipelines, const std::vector<std::vector<OpPart>>& parts);
  Status record_part(VulkanPipelines& pipelines, const OpPart& part, VkCommandBuffer commands);
  Status record_candidates(VulkanPipelines& pipelines);
  VulkanDescriptors::Buffers buffers_of(const Dispatch& dispatch) const;
  std::uint32_t group_index(const GroupRule& rule);
  void write_inputs(const StepInputs& inputs);

  std::shared_ptr<VulkanDevice> device_;
  VulkanBinding bound_;
  std::unique_ptr<VulkanDescriptors> descriptors_;
  std::unique_ptr<VulkanCommands> commands_;
  std::unique_ptr<VulkanCandidates> candidates_;
  std::vector<std::vector<Part>> parts_;  // (RowClass, ops of the program); none of another device's
  std::vector<GroupRule> groups_;
  std::vector<VkCommandBuffer> batch_;
  std::uint64_t written_step_ = 0;  // StepInputs::number of the inputs that the device has
};

}  // namespace headroom
