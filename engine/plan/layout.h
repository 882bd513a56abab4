// From a model, devices and options to arenas: which layers stand where, and what that takes.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "plan/arena_builder.h"
#include "plan/memory_plan.h"

namespace headroom {

struct ArenaLayout {
  PlanOptions options;  // resolved
  DeviceIndex cpu = 0;
  Placement placement;
  WeightStreaming streaming;
  Program program;                    // with Keep::kRegions
  std::vector<ArenaPlan> arenas;      // of each budget's device in turn; without regions under Keep::kSizesOnly
  std::vector<DeviceBudget> budgets;  // one per device that holds an arena, in the order of layers, the CPU last

  std::vector<Note> choices;  // between layouts: what was chosen, and by which times
  bool fits() const;
};

// Pure. kUsage as plan_memory.
Result<ArenaLayout> compute_arenas(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                   const PlanOptions& options, Keep keep);

}  // namespace headroom
