// A plan for scripts.
#pragma once

#include <span>
#include <string>

#include "plan/fixes.h"
#include "plan/memory_plan.h"

namespace headroom {

// An object, indented by two: fits, verdict, model, options, devices[] (planned_bytes, by_kind, ...), arenas[],
// regions[], formulas[], fixes[], improvements[], notes[]; tokens_per_s of decode at half of the context, or null.
// `advice` as for plan_text. Every size is an integer of bytes; a region's offset is from the start of
// its arena; by_kind and the regions of arenas whose lifetime is not "load" add up to
// planned_bytes.
std::string plan_json(const ModelInfo& model, const MemoryPlan& plan, std::span<const Fix> advice);

}  // namespace headroom
