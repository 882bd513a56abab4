// A plan in words: the verdict, the table of segments, the arithmetic. Shared by the command line and the window.
#pragma once

#include <span>
#include <string>

#include "plan/fixes.h"
#include "plan/memory_plan.h"

namespace headroom {

// "Fits: 6.31 of 8.00 GiB, 1.00 kept free, 0.69 to spare", or "Does not fit by 1.30 GiB: ..." with the device, the
// bytes asked and the bytes free.
Message verdict_words(const MemoryPlan& plan);

// What the verdict counts a device's bytes against, "8.00 GiB" above: what is free there, or what may be used where
// that is said ("at most"), or what other devices leave of memory that they share.
Bytes verdict_whole(const MemoryPlan& plan, const DeviceBudget& budget);

// One line per device, kind and run of layers of one make, with bytes; fixed width, lines end in '\n'.
std::string segments_text(const ModelInfo& model, const MemoryPlan& plan);

// One line per formula: "label: expression = N bytes (X GiB)".
std::string formulas_text(const ModelInfo& model, const MemoryPlan& plan);

// All of it: model, options, verdict, advice, segments, formulas, speed, notes. `advice`: find_fixes of a plan that
// does not fit, find_improvements of one that does.
std::string plan_text(const ModelInfo& model, const MemoryPlan& plan, std::span<const Fix> advice);

}  // namespace headroom
