#include "backend/vulkan/vulkan_pipeline_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "file/input_file.h"
#include "file/replace_file.h"

namespace headroom {
namespace {

// Before what the driver gave.
struct FileHeader {
  std::array<char, 8> magic{'H', 'R', 'k', 'e', 'r', 'n', 'e', 'l'};
  std::uint64_t version = 1;
  std::uint64_t n_bytes = 0;  // of what follows
  std::uint64_t checksum = 0;
};
static_assert(sizeof(FileHeader) == 32, "no byte of it is left unset");

// FNV-1a.
std::uint64_t checksum_of(std::span<const std::byte> data) {
  std::uint64_t sum = 14695981039346656037ULL;
  for (const std::byte byte : data) sum = (sum ^ static_cast<std::uint64_t>(byte)) * 1099511628211ULL;
  return sum;
}

std::string name_of(const VkPhysicalDeviceProperties& device) {
  std::string uuid;
  for (const std::uint8_t byte : device.pipelineCacheUUID) uuid += fmt::format("{:02x}", byte);
  return fmt::format("{:04x}-{:04x}-{}-{:08x}", device.vendorID, device.deviceID, uuid, device.driverVersion);
}

// Drivers are replaced and cards go; a writer that was killed leaves an unfinished file.
void remove_oldest(const std::filesystem::path& folder) {
  std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> files;
  std::error_code problem;
  for (std::filesystem::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem))
    files.emplace_back(at->last_write_time(problem), at->path());
  if (files.size() <= kMostPipelineFiles) return;
  std::sort(files.begin(), files.end(), std::greater<>());
  for (std::size_t i = kMostPipelineFiles; i < files.size(); ++i) std::filesystem::remove(files[i].second, problem);
}

}  // namespace

VulkanPipelineFile::VulkanPipelineFile(const std::filesystem::path& folder, const VkPhysicalDeviceProperties& device)
    : device_(device), path_(folder.empty() ? folder : folder / name_of(device)) {}

// Of data of another driver the driver itself would say so, but not every one is careful.
bool VulkanPipelineFile::is_of_device(std::span<const std::byte> data) const {
  VkPipelineCacheHeaderVersionOne header;
  if (data.size() < sizeof header) return false;
  std::memcpy(&header, data.data(), sizeof header);
  return header.headerSize == sizeof header && header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE &&
         header.vendorID == device_.vendorID && header.deviceID == device_.deviceID &&
         std::equal(std::begin(header.pipelineCacheUUID), std::end(header.pipelineCacheUUID),
                    std::begin(device_.pipelineCacheUUID));
}

std::vector<std::byte> VulkanPipelineFile::read() const {
  if (path_.empty()) return {};
  const Result<InputFile> file = InputFile::open(path_);
  FileHeader header;
  if (!file || file->n_bytes() < sizeof header || file->n_bytes() > sizeof header + kMostPipelineBytes) return {};
  if (!file->read_at(0, std::as_writable_bytes(std::span(&header, 1)))) return {};
  const FileHeader expected{.n_bytes = file->n_bytes() - sizeof header};
  if (header.magic != expected.magic || header.version != expected.version || header.n_bytes != expected.n_bytes)
    return {};
  std::vector<std::byte> data(header.n_bytes);
  if (!file->read_at(sizeof header, data) || checksum_of(data) != header.checksum || !is_of_device(data)) return {};
  return data;
}

void VulkanPipelineFile::write(std::span<const std::byte> data) const {
  if (path_.empty()) return;
  if (data.size() > kMostPipelineBytes) {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    return;
  }
  const FileHeader header{.n_bytes = data.size(), .checksum = checksum_of(data)};
  const auto of_header = std::as_bytes(std::span(&header, 1));
  std::vector<std::byte> all(of_header.begin(), of_header.end());
  all.insert(all.end(), data.begin(), data.end());
  if (replace_file(path_, all)) remove_oldest(path_.parent_path());
}

}  // namespace headroom
