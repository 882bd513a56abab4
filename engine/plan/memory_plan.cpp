#include "plan/memory_plan.h"

#include <algorithm>

#include "base/check.h"
#include "model/model_fingerprint.h"
#include "plan/layout.h"
#include "plan/notes.h"

namespace headroom {
namespace {

template <class Predicate>
std::optional<RegionRef> find_first(const MemoryPlan& plan, Predicate matches) {
  for (std::uint32_t a = 0; a < plan.arenas.size(); ++a) {
    for (const Region& region : plan.arenas[a].regions) {
      if (matches(plan.arenas[a], region)) return RegionRef{a, region.id};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view region_kind_name(RegionKind kind) {
  switch (kind) {
    case RegionKind::kWeights: return "weights";
    case RegionKind::kKv: return "kv";
    case RegionKind::kState: return "state";
    case RegionKind::kCheckpoints: return "checkpoints";
    case RegionKind::kActivations: return "activations";
    case RegionKind::kLogits: return "logits";
    case RegionKind::kScratch: return "scratch";
    case RegionKind::kCandidates: return "candidates";
    case RegionKind::kUnpackedRows: return "panel rows";
    case RegionKind::kStreamed: return "streamed";
    case RegionKind::kSampler: return "sampler";
    case RegionKind::kTokens: return "tokens";
    case RegionKind::kStaging: return "staging";
    case RegionKind::kInputs: return "inputs";
    case RegionKind::kStream: return "stream";
    case RegionKind::kUpload: return "upload";
    case RegionKind::kPadding: return "padding";
  }
  return "unknown";
}

RegionGroup region_group(RegionKind kind) {
  switch (kind) {
    case RegionKind::kWeights: return RegionGroup::kWeights;
    case RegionKind::kKv: return RegionGroup::kKv;
    case RegionKind::kState: return RegionGroup::kState;
    case RegionKind::kCheckpoints: return RegionGroup::kCheckpoints;
    case RegionKind::kActivations: return RegionGroup::kActivations;
    case RegionKind::kLogits: return RegionGroup::kLogits;
    case RegionKind::kScratch:
    case RegionKind::kCandidates:
    case RegionKind::kUnpackedRows: return RegionGroup::kScratch;
    case RegionKind::kStreamed: return RegionGroup::kStreamed;
    case RegionKind::kSampler:
    case RegionKind::kTokens:
    case RegionKind::kStaging:
    case RegionKind::kInputs:
    case RegionKind::kStream:
    case RegionKind::kUpload: return RegionGroup::kStaging;
    case RegionKind::kPadding: return RegionGroup::kPadding;
  }
  CHECK(false, "a kind of region without a group");
}

std::string_view region_group_name(RegionGroup group) {
  switch (group) {
    case RegionGroup::kWeights: return "weights";
    case RegionGroup::kKv: return "kv";
    case RegionGroup::kState: return "state";
    case RegionGroup::kCheckpoints: return "checkpoints";
    case RegionGroup::kActivations: return "activations";
    case RegionGroup::kLogits: return "logits";
    case RegionGroup::kScratch: return "scratch";
    case RegionGroup::kStreamed: return "streamed";
    case RegionGroup::kStaging: return "staging";
    case RegionGroup::kPadding: return "padding";
  }
  return "unknown";
}

std::string_view lifetime_name(Lifetime lifetime) {
  switch (lifetime) {
    case Lifetime::kModel: return "model";
    case Lifetime::kSession: return "session";
    case Lifetime::kLoad: return "load";
  }
  return "unknown";
}

HeadroomRule PlanOptions::headroom_of(DeviceIndex device) const {
  for (const DeviceChoice& choice : devices) {
    if (choice.device == device) return choice.headroom;
  }
  return KeepFree{};
}

void PlanOptions::set_headroom(DeviceIndex device, const HeadroomRule& rule) {
  if (devices.empty()) devices.push_back({main_device(), KeepFree{}});
  for (DeviceChoice& choice : devices) {
    if (choice.device != device) continue;
    choice.headroom = rule;
    return;
  }
  devices.push_back({device, rule});
}

bool MemoryPlan::fits() const {
  return std::all_of(budgets.begin(), budgets.end(), [](const DeviceBudget& budget) { return budget.fits(); });
}

Bytes MemoryPlan::planned_bytes(DeviceIndex device) const {
  Bytes sum = 0;
  for (const ArenaPlan& arena : arenas) {
    if (arena.device == device && arena.lifetime != Lifetime::kLoad) sum += arena.size;
  }
  return sum;
}

Bytes MemoryPlan::peak_bytes(DeviceIndex device) const {
  Bytes running = 0, loading = 0;
  for (const ArenaPlan& arena : arenas) {
    if (arena.device != device) continue;
    if (arena.lifetime != Lifetime::kLoad) running += arena.size;
    if (arena.lifetime != Lifetime::kSession) loading += arena.size;
  }
  return std::max(running, loading);
}

Bytes MemoryPlan::bytes_of(RegionGroup group) const {
  Bytes sum = 0;
  for (const DeviceBudget& budget : budgets) sum += bytes_of(group, budget.device);
  return sum;
}

Bytes MemoryPlan::bytes_of(RegionGroup group, DeviceIndex device) const {
  Bytes sum = 0;
  for (const ArenaPlan& arena : arenas) {
    if (arena.device != device || arena.lifetime == Lifetime::kLoad) continue;
    for (const Region& region : arena.regions) {
      if (region_group(region.kind) == group) sum += region.size;
    }
  }
  return sum;
}

Result<MemoryPlan> plan_memory(const ModelInfo& model, std::span<const DeviceInfo> devices,
                               const PlanOptions& options) {
  Result<ArenaLayout> layout = compute_arenas(model, devices, options, Keep::kRegions);
  if (!layout) return layout.error();
  MemoryPlan plan;
  plan.model_fingerprint = model_fingerprint(model);
  plan.devices.assign(devices.begin(), devices.end());
  plan.notes = make_notes(model, devices, options, *layout);
  plan.arenas = std::move(layout->arenas);
  plan.budgets = std::move(layout->budgets);
  plan.placement = std::move(layout->placement);
  plan.streaming = std::move(layout->streaming);
  plan.program = std::move(layout->program);
  plan.options = layout->options;
  return plan;
}

std::optional<RegionRef> find_weight_region(const MemoryPlan& plan, std::int32_t weight) {
  return find_first(plan, [&](const ArenaPlan&, const Region& region) {
    return region.kind == RegionKind::kWeights && region.weight == weight;
  });
}

std::optional<RegionRef> find_weight_region(const MemoryPlan& plan, std::int32_t weight, DeviceIndex device) {
  return find_first(plan, [&](const ArenaPlan& arena, const Region& region) {
    return arena.device == device && region.kind == RegionKind::kWeights && region.weight == weight;
  });
}

std::optional<RegionRef> find_kv_region(const MemoryPlan& plan, std::int32_t layer, KvPart part) {
  return find_first(plan, [&](const ArenaPlan&, const Region& region) {
    return region.kind == RegionKind::kKv && region.layer == layer && region.kv_part == part;
  });
}

std::optional<RegionRef> find_kv_region(const MemoryPlan& plan, std::int32_t layer, KvPart part, DeviceIndex device) {
  return find_first(plan, [&](const ArenaPlan& arena, const Region& region) {
    return arena.device == device && region.kind == RegionKind::kKv && region.layer == layer && region.kv_part == part;
  });
}

std::optional<RegionRef> find_state_region(const MemoryPlan& plan, std::int32_t layer, StatePart part,
                                           DeviceIndex device) {
  return find_first(plan, [&](const ArenaPlan& arena, const Region& region) {
    return arena.device == device && region.kind == RegionKind::kState && region.layer == layer &&
           region.state_part == part;
  });
}

std::optional<RegionRef> find_original(const MemoryPlan& plan, const Region& checkpoints) {
  return find_first(plan, [&](const ArenaPlan&, const Region& region) {
    const bool is_kind = region.kind == RegionKind::kKv || region.kind == RegionKind::kState;
    return is_kind && region.layer == checkpoints.layer && region.kv_part == checkpoints.kv_part &&
           region.state_part == checkpoints.state_part;
  });
}

std::optional<RegionRef> find_region(const MemoryPlan& plan, DeviceIndex mapped_by, RegionKind kind) {
  return find_first(plan, [&](const ArenaPlan& arena, const Region& region) {
    return arena.mapped_by == mapped_by && region.kind == kind;
  });
}

}  // namespace headroom
