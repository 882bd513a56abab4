// What would make a plan that fits faster, each change with its price.
#pragma once

#include <span>
#include <vector>

#include "plan/fixes.h"

namespace headroom {

// A change that makes decode less than this much faster is not worth a word.
inline constexpr double kLeastSpeedup = 1.1;
// Nor is one of a plan that is far ahead of who reads.
inline constexpr double kFastEnough = 200;  // tokens/s
inline constexpr std::size_t kMaxImprovements = 3;

// Cheapest first; each is clearly faster than those before it. Their plans fit, with layers where they are fastest
// then. Empty when the plan does not fit (see find_fixes), when a speed is unknown, when it is fast enough, and when
// nothing is worth its price. kUsage as plan_memory.
Result<std::vector<Fix>> find_improvements(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                           const PlanOptions& options);

// What to offer beside a plan: fixes when it does not fit, else improvements.
Result<std::vector<Fix>> find_advice(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                     const PlanOptions& options);

}  // namespace headroom
