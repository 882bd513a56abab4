#include "plan/reload_need.h"

#include <algorithm>

namespace headroom {
namespace {

bool is_same(const Region& a, const Region& b) {
  return a.kind == b.kind && a.layer == b.layer && a.weight == b.weight && a.kv_part == b.kv_part &&
         a.state_part == b.state_part && a.role == b.role && a.dtype == b.dtype && a.offset == b.offset &&
         a.size == b.size;
}

bool is_same(const ArenaPlan& a, const ArenaPlan& b) {
  return a.device == b.device && a.mapped_by == b.mapped_by && a.memory == b.memory && a.size == b.size &&
         std::ranges::equal(a.regions, b.regions, [](const Region& x, const Region& y) { return is_same(x, y); });
}

std::vector<const ArenaPlan*> arenas_of(const MemoryPlan& plan, Lifetime lifetime) {
  std::vector<const ArenaPlan*> arenas;
  for (const ArenaPlan& arena : plan.arenas) {
    if (arena.lifetime == lifetime) arenas.push_back(&arena);
  }
  return arenas;
}

bool has_same_arenas(const MemoryPlan& a, const MemoryPlan& b, Lifetime lifetime) {
  return std::ranges::equal(arenas_of(a, lifetime), arenas_of(b, lifetime),
                            [](const ArenaPlan* x, const ArenaPlan* y) { return is_same(*x, *y); });
}

// A model's backends stay with its weights: a session finds them under the indices of the plan that was loaded, and
// each has its number of threads for good.
bool uses_same_devices(const MemoryPlan& loaded, const MemoryPlan& wanted) {
  const auto is_known = [&](const ArenaPlan& arena) {
    if (arena.device >= loaded.devices.size() || arena.device >= wanted.devices.size()) return false;
    const DeviceInfo &a = loaded.devices[arena.device], &b = wanted.devices[arena.device];
    return a.id == b.id && a.n_threads == b.n_threads;
  };
  return std::ranges::all_of(loaded.arenas, is_known) && std::ranges::all_of(wanted.arenas, is_known);
}

}  // namespace

ReloadNeed what_to_load_again(const MemoryPlan& loaded, const MemoryPlan& wanted) {
  if (loaded.model_fingerprint != wanted.model_fingerprint || !uses_same_devices(loaded, wanted) ||
      !(loaded.placement == wanted.placement) || !has_same_arenas(loaded, wanted, Lifetime::kModel))
    return ReloadNeed::kModel;
  const bool is_same_session = loaded.options == wanted.options && loaded.streaming == wanted.streaming &&
                               has_same_arenas(loaded, wanted, Lifetime::kSession);
  return is_same_session ? ReloadNeed::kNothing : ReloadNeed::kSession;
}

}  // namespace headroom
