// Fills arenas with regions in order: one that would take the last arena beyond what a device allocates at once closes
// it and opens the next.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/memory_plan.h"

namespace headroom {

// Whether regions are kept, or only summed: the same code answers "does it fit?" many times a second without making a
// thousand strings.
enum class Keep : std::uint8_t { kRegions, kSizesOnly };

// Whole granules, padding included; absent: no limit.
std::optional<Bytes> largest_arena(const DeviceInfo& device);

class ArenaBuilder {
 public:
  // `info` is that of `device` and outlives the builder.
  ArenaBuilder(DeviceIndex device, const DeviceInfo& info, Memory memory, Lifetime lifetime, Keep keep);

  // Another device's backend maps it.
  void set_mapped_by(DeviceIndex device) { empty_.mapped_by = device; }

  void reserve(std::size_t n_regions);
  // Appends `region` with `bytes` rounded up to the alignment; nothing when bytes is 0. id, offset and size are set
  // here; `name` is copied only when regions are kept. at_once: the most of it that a kernel sees at once; absent: all.
  void add(Region region, std::string_view name, std::optional<Bytes> bytes,
           std::optional<Bytes> at_once = std::nullopt);
  void add(RegionKind kind, std::optional<Bytes> bytes, std::optional<Bytes> at_once = std::nullopt) {
    add({.kind = kind}, region_kind_name(kind), bytes, at_once);
  }

  // Regions that were summed up, each a multiple of the alignment, where only sizes are kept: the last arena grows by
  // them. False when it has no room for all, or there is none: they are to be added one by one.
  bool add_sum(Bytes bytes);

  // The arenas in order, each padded to the granularity; none when nothing was added. kUsage names the first region
  // that is larger than the device allocates at once, or of which a kernel would see more than one there can; else
  // `beyond` says what it is when a size or sum was beyond 64 bits.
  template <class Beyond>
  Result<std::vector<ArenaPlan>> finish(Beyond beyond) && {
    if (!arenas_.empty()) close();
    if (refused_) return *refused_;
    if (is_beyond_) return beyond();
    return std::move(arenas_);
  }

 private:
  bool has_room(Bytes bytes) const;
  void append(Region region, std::string_view name, Bytes size);
  void close();

  const DeviceInfo& info_;
  const std::optional<Bytes> largest_;
  const Keep keep_;
  ArenaPlan empty_;  // what every arena begins as
  std::size_t n_reserved_ = 0;
  std::vector<ArenaPlan> arenas_;
  std::optional<Error> refused_;
  bool is_beyond_ = false;
};

}  // namespace headroom
