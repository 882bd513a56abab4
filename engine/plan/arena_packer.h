// Which arena a region goes to, in sizes alone: what a plan lays out and what a search sums follow this one rule.
#pragma once

#include <cstdint>
#include <optional>

#include "plan/device_info.h"

namespace headroom {

// What one device's arenas are measured with.
struct ArenaRules {
  Bytes alignment = 64;                     // of regions; a power of two
  Bytes granularity = 4096;                 // of arenas; a multiple of the alignment
  std::optional<Bytes> largest_arena = {};  // padding included, a multiple of the granularity; absent: no limit
};
ArenaRules arena_rules(const DeviceInfo& device);

// Fills arenas of one device, memory and lifetime in order: a region that would take the last arena beyond the limit
// closes it and opens the next.
class ArenaPacker {
 public:
  enum class Where : std::uint8_t {
    kSameArena,
    kNextArena,
    kNowhere,  // larger than any arena: it was not added
    kBeyond,   // a sum left 64 bits, now or before
  };

  explicit ArenaPacker(const ArenaRules& rules);

  // Adds a region of `bytes`, not 0, rounded up to the alignment.
  Where add(Bytes bytes);

  // Of the last arena: its regions, and with its padding; absent when beyond 64 bits.
  Bytes open_bytes() const { return open_; }
  std::optional<Bytes> open_arena() const;
  // Of all arenas with their padding; absent when beyond 64 bits.
  std::optional<Bytes> total() const;

 private:
  ArenaRules rules_;
  Bytes closed_ = 0;  // arenas before the last
  Bytes open_ = 0;
  bool is_beyond_ = false;
};

}  // namespace headroom
