// Plans as values, for tests of what shows them.
#pragma once

#include <memory>
#include <vector>

#include "plan/memory_plan.h"
#include "support/model_specs.h"

namespace headroom::test {

// Null when the planner refuses.
inline std::shared_ptr<const MemoryPlan> plan_for(const ModelInfo& model, const std::vector<DeviceInfo>& devices,
                                                  const PlanOptions& options = {}) {
  auto plan = plan_memory(model, devices, options);
  return plan.ok() ? std::make_shared<const MemoryPlan>(std::move(plan).value()) : nullptr;
}

}  // namespace headroom::test
