// From a model, devices and options to arenas: the one piece of memory arithmetic, used whole by plan_memory and
// without its regions by every search.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/result.h"
#include "plan/arena_builder.h"
#include "plan/memory_plan.h"

namespace headroom {

struct PlanLayout {
  PlanOptions options;  // resolved
  DeviceIndex cpu = 0;
  Placement placement;
  Program prefill;
  Bytes buffer_alignment = 64;        // the strictest of the devices in use
  std::vector<ArenaPlan> arenas;      // the chosen device's first; without regions under Keep::kSizesOnly
  std::vector<DeviceBudget> budgets;  // one per device that holds an arena, the chosen device first

  bool fits() const;
};

// What a search knows of the automatic number of layers: at least `least` of them fit on the device, and at most
// `most`.
struct LayerRange {
  std::uint32_t least = 0, most = std::numeric_limits<std::uint32_t>::max();
};

// Pure. kUsage as plan_memory. `known` makes the same answer come sooner.
Result<PlanLayout> lay_out(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& options,
                           Keep keep, LayerRange known = {});

}  // namespace headroom
