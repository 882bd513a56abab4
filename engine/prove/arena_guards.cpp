#include "prove/arena_guards.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace headroom {
namespace {

// No two neighbouring bytes are the same, and none is what an arena is cleared to.
std::byte pattern_at(Bytes i) { return static_cast<std::byte>(1 + i * 37 % 251); }

// Where the regions that are not padding begin and end.
std::pair<Bytes, Bytes> used_part(const ArenaPlan& plan) {
  Bytes first = plan.size, last = 0;
  for (const Region& region : plan.regions) {
    if (region.kind == RegionKind::kPadding) continue;
    first = std::min(first, region.offset);
    last = std::max(last, region.offset + region.size);
  }
  return {first, last};
}

std::string what_it_holds(const ArenaPlan& plan) {
  for (const Region& region : plan.regions) {
    if (region.kind != RegionKind::kPadding) return std::string(region_group_name(region_group(region.kind)));
  }
  return "nothing";
}

}  // namespace

MemoryPlan with_guards(const MemoryPlan& plan) {
  MemoryPlan guarded = plan;
  for (ArenaPlan& arena : guarded.arenas) {
    const Bytes granule = std::max(guarded.devices[arena.device].granularity, kGuardBytes);
    Region before{.kind = RegionKind::kPadding, .name = std::string(region_kind_name(RegionKind::kPadding))};
    before.size = granule;
    Region behind = before;
    for (Region& region : arena.regions) {
      region.offset += granule;
      ++region.id;
    }
    behind.offset = granule + arena.size;
    behind.id = static_cast<RegionId>(arena.regions.size() + 1);
    arena.regions.insert(arena.regions.begin(), std::move(before));
    arena.regions.push_back(std::move(behind));
    arena.size += 2 * granule;
    for (DeviceBudget& budget : guarded.budgets) {
      if (budget.device != arena.device) continue;
      if (arena.lifetime != Lifetime::kLoad) budget.planned += 2 * granule;
      if (arena.lifetime != Lifetime::kSession) budget.loading += 2 * granule;
    }
  }
  return guarded;
}

Status write_guards(Backend& backend, const ArenaPlan& plan, Arena& arena, Arena& bounce) {
  const std::span<std::byte> bytes(bounce.host_address(), kGuardBytes);
  for (Bytes i = 0; i < kGuardBytes; ++i) bytes[i] = pattern_at(i);
  const auto [first, last] = used_part(plan);
  for (const Bytes at : {first - kGuardBytes, last}) {
    if (Status written = backend.copy_bytes({&bounce, 0, &arena, at, kGuardBytes}); !written) return written;
  }
  return ok_status();
}

Result<std::string> find_guard_damage(Backend& backend, const ArenaPlan& plan, Arena& arena, Arena& bounce) {
  const std::span<std::byte> bytes(bounce.host_address(), kGuardBytes);
  const auto [first, last] = used_part(plan);
  for (const auto& [at, where] : {std::pair{first - kGuardBytes, "before"}, std::pair{last, "behind"}}) {
    if (Status read = backend.copy_bytes({&arena, at, &bounce, 0, kGuardBytes}); !read) return read.error();
    for (Bytes i = 0; i < kGuardBytes; ++i) {
      if (bytes[i] == pattern_at(i)) continue;
      return fmt::format("byte {} {} the arena of {} was written", i, where, what_it_holds(plan));
    }
  }
  return std::string();
}

}  // namespace headroom
