// What to change when a plan does not fit, each change with its price.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/option_changes.h"

namespace headroom {

struct Fix {
  Message words;        // "KV as Q8: frees 2.1 GiB, quality unchanged, about 41 tokens/s"
  PlanOptions options;  // as asked, with the change
  Bytes freed = 0;      // on the device that lacks most; exact, from a plan of `options`
  QualityLoss quality = QualityLoss::kNone;
  std::optional<double> tokens_per_s;  // of its plan, at half of its context; absent: unknown
  std::optional<double> speedup;       // of decode, of an improvement: 3.1 is 3.1 times the tokens per second
  std::optional<double> slowdown;      // of decode: 0.35 is 35 % fewer tokens per second; absent: none, or unknown
  bool makes_it_fit = false;
  double price = 0;  // only an order: cheaper first
};

// Empty when the plan fits. Those that suffice come first, cheapest first; then single changes that only help.
// Combinations are added, the cheapest few, when no single change suffices or only one that more than halves the
// context. kUsage as plan_memory.
Result<std::vector<Fix>> find_fixes(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                    const PlanOptions& options);

}  // namespace headroom
