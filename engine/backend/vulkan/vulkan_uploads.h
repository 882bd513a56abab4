// Uploads of streamed weights on Vulkan: copies between the ops, on the one queue that computes.
#pragma once

#include <memory>
#include <vector>

#include "backend/vulkan/vulkan_commands.h"

namespace headroom {

// A queue runs submissions in order with a barrier between them, so begin(), mark() and end() have nothing to do.
// Copies do not overlap with ops here. The host still packs the next weights while the device computes.
class VulkanUploads final : public GpuUploads {
 public:
  static Result<std::unique_ptr<GpuUploads>> open(std::shared_ptr<VulkanDevice> device, std::uint32_t n_parts);
  VulkanUploads(const VulkanUploads&) = delete;
  VulkanUploads& operator=(const VulkanUploads&) = delete;
  ~VulkanUploads() override;

  Status begin() override { return ok_status(); }
  Status mark() override { return ok_status(); }
  Status wait(std::uint32_t part) override;
  Status start(const GpuCopy& copy, std::uint32_t part) override;
  Status end() override { return ok_status(); }

 private:
  VulkanUploads(std::shared_ptr<VulkanDevice> device, std::uint32_t n_parts)
      : device_(std::move(device)), submitted_(n_parts) {}

  std::shared_ptr<VulkanDevice> device_;
  std::unique_ptr<VulkanCommands> commands_;  // of each part
  std::vector<std::uint64_t> submitted_;      // VulkanDevice::n_submitted() with its last copy; 0: none
};

}  // namespace headroom
