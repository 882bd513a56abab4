#include "backend/gpu_memory/amdgpu_memory.h"

#include <fmt/format.h>

#include "base/number_file.h"

namespace headroom {
namespace {

Result<Bytes> read_bytes(const std::filesystem::path& file) {
  if (const std::optional<Bytes> bytes = read_number_file(file)) return *bytes;
  return Error{ErrorCode::kResource, Message::say("{}: expected a number of bytes, found none", file.string())};
}

Result<DeviceUse> read_pool(const std::filesystem::path& folder, const char* pool) {
  const Result<Bytes> total = read_bytes(folder / fmt::format("mem_info_{}_total", pool));
  if (!total) return total.error();
  const Result<Bytes> used = read_bytes(folder / fmt::format("mem_info_{}_used", pool));
  if (!used) return used.error();
  return DeviceUse{*total, *used, "amdgpu"};
}

}  // namespace

std::optional<Result<DeviceUse>> read_amdgpu_memory(const std::filesystem::path& sys, const PciAddress& card,
                                                    bool with_host) {
  const std::filesystem::path folder = pci_folder(sys, card);
  std::error_code none;
  if (!std::filesystem::exists(folder / "mem_info_vram_total", none)) return std::nullopt;
  Result<DeviceUse> own = read_pool(folder, "vram");
  if (!own || !with_host) return own;
  const Result<DeviceUse> mapped = read_pool(folder, "gtt");
  if (!mapped) return mapped;
  const std::optional<Bytes> total = checked_add(own->total, mapped->total),
                             used = checked_add(own->used, mapped->used);
  if (!total || !used)
    return Result<DeviceUse>(Error{ErrorCode::kResource, Message::say("{}: sizes beyond 64 bits", folder.string())});
  return DeviceUse{*total, *used, own->source};
}

}  // namespace headroom
