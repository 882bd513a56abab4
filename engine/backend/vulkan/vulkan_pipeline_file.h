// What a driver made of our kernels, kept between starts of the program: one file for each device and driver.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "backend/vulkan/vulkan_api.h"
#include "base/bytes.h"

namespace headroom {

// Larger ones are given up, so that what older programs compiled does not stay for good.
inline constexpr Bytes kMostPipelineBytes = 64 * kMiB;
// Of all devices and drivers together; those that were written longest ago go first.
inline constexpr std::size_t kMostPipelineFiles = 8;

class VulkanPipelineFile {
 public:
  // In `folder`, which may not exist yet; empty: nothing is kept.
  VulkanPipelineFile(const std::filesystem::path& folder, const VkPhysicalDeviceProperties& device);

  const std::filesystem::path& path() const { return path_; }  // empty: nothing is kept

  // What vkCreatePipelineCache() may begin with. Empty when there is no file, or one that is damaged, cut off, too
  // large or of another device or driver: the next write() replaces it.
  std::vector<std::byte> read() const;

  // In one step; where it cannot be written, the next start compiles again.
  void write(std::span<const std::byte> data) const;

 private:
  bool is_of_device(std::span<const std::byte> data) const;

  VkPhysicalDeviceProperties device_;
  std::filesystem::path path_;
};

}  // namespace headroom
