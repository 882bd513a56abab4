// The machine code that a driver compiled our kernels to, kept between starts of the program: one file for each device
// and driver.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "backend/vulkan/vulkan_api.h"
#include "base/bytes.h"

namespace headroom {

// A larger file is not kept: the next start begins an empty one, so that kernels of older versions do not pile up.
inline constexpr Bytes kMostPipelineBytes = 64 * kMiB;
// The most files in the folder, over all devices and drivers. The one that was written longest ago is removed first.
inline constexpr std::size_t kMostPipelineFiles = 8;

class VulkanPipelineFile {
 public:
  // In `folder`, which may not exist yet; empty: nothing is kept.
  VulkanPipelineFile(const std::filesystem::path& folder, const VkPhysicalDeviceProperties& device);

  const std::filesystem::path& path() const { return path_; }  // empty: nothing is kept

  // The file's content, for vkCreatePipelineCache(). Empty when there is no file, or one that is damaged, cut off, too
  // large or made by another device or driver; the next write() replaces it.
  std::vector<std::byte> read() const;

  // Replaces the file in one step. Failing is harmless: the next start compiles again.
  void write(std::span<const std::byte> data) const;

 private:
  bool is_of_device(std::span<const std::byte> data) const;

  VkPhysicalDeviceProperties device_;
  std::filesystem::path path_;
};

}  // namespace headroom
