// Fills one arena from its start, region after region, in 64-bit arithmetic that notices when it would wrap.
#pragma once

#include "plan/memory_plan.h"

namespace headroom {

// What one device's arenas are measured with.
struct ArenaRules {
  Bytes alignment = 64;
  Bytes granularity = 4096;
};

// Whether regions are kept, or only summed: the same code answers "does it fit?" many times a second without making a
// thousand strings.
enum class Keep : std::uint8_t { kRegions, kSizesOnly };

class ArenaBuilder {
 public:
  ArenaBuilder(DeviceIndex device, Memory memory, Lifetime lifetime, ArenaRules rules, Keep keep);

  void reserve(std::size_t n_regions);
  // Appends `region` with `bytes` rounded up to the alignment; nothing when bytes is 0. id, offset and size are set
  // here; `name` is copied only when regions are kept.
  void add(Region region, std::string_view name, std::optional<Bytes> bytes);

  // Pads to the granularity. Absent when any size or sum was beyond 64 bits.
  std::optional<ArenaPlan> finish() &&;

 private:
  ArenaPlan arena_;
  ArenaRules rules_;
  Keep keep_;
  bool overflowed_ = false;
};

}  // namespace headroom
