// How each number of a plan came to be, as arithmetic that a reader can redo.
#pragma once

#include <vector>

#include "plan/memory_plan.h"

namespace headroom {

struct Formula {
  DeviceIndex device = 0;
  RegionKind kind = RegionKind::kWeights;
  Lifetime lifetime = Lifetime::kModel;
  Message label;       // "KV cache, keys, layers 0-15"
  Message expression;  // "16 layers x 1 slots x 4096 positions x 8 KV heads x 64 elements x 2 bytes": products,
                       // sums and parentheses of numbers
  Bytes bytes = 0;     // what it evaluates to
};

// For each device and lifetime, formulas whose bytes add up to its arenas. A number stands alone; a word after it says
// what it counts.
std::vector<Formula> plan_formulas(const ModelInfo& model, const MemoryPlan& plan);

}  // namespace headroom
