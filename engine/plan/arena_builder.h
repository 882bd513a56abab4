// Fills arenas with regions that have names and places, as the packer says.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/arena_packer.h"
#include "plan/memory_plan.h"

namespace headroom {

// Whether regions are kept, or only summed: the same code answers "does it fit?" many times a second without making a
// thousand strings.
enum class Keep : std::uint8_t { kRegions, kSizesOnly };

class ArenaBuilder {
 public:
  // `info` is that of `device` and outlives the builder.
  ArenaBuilder(DeviceIndex device, const DeviceInfo& info, Memory memory, Lifetime lifetime, Keep keep);

  // Another device's backend maps it.
  void set_mapped_by(DeviceIndex device) { empty_.mapped_by = device; }

  void reserve(std::size_t n_regions);
  // Appends `region` with `bytes` rounded up to the alignment; nothing when bytes is 0. id, offset and size are set
  // here; `name` is copied only when regions are kept.
  void add(Region region, std::string_view name, std::optional<Bytes> bytes);
  void add(RegionKind kind, std::optional<Bytes> bytes) { add({.kind = kind}, region_kind_name(kind), bytes); }

  // The arenas in order, each padded to the granularity; none when nothing was added. kUsage names the first region
  // that is larger than the device allocates at once, or, other than a weight, than a kernel there sees at once; else
  // `beyond` says what it is when a size or sum was beyond 64 bits.
  template <class Beyond>
  Result<std::vector<ArenaPlan>> finish(Beyond beyond) && {
    if (!arenas_.empty()) close(packer_.open_arena());
    if (refused_) return *refused_;
    if (is_beyond_) return beyond();
    return std::move(arenas_);
  }

 private:
  void append(Region region, std::string_view name, Bytes size);
  void close(std::optional<Bytes> padded_size);

  const DeviceInfo& info_;
  const ArenaRules rules_;
  const Keep keep_;
  ArenaPlan empty_;  // what every arena begins as
  std::size_t n_reserved_ = 0;
  ArenaPacker packer_;
  std::vector<ArenaPlan> arenas_;
  std::optional<Error> refused_;
  bool is_beyond_ = false;
};

}  // namespace headroom
