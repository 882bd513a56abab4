// Does it fit, and by how much: the core's sentence with a tone, and who holds the rest.
#pragma once

#include <QString>

#include "plan/memory_plan.h"
#include "ui/theme/theme.h"

namespace headroom::ui {

struct Verdict {
  Tone tone = Tone::Neutral;
  QString sentence;  // "Fits: 6.31 of 8.00 GiB, 1.00 kept free, 0.69 to spare"
  QString detail;    // how fast, who holds the rest, what the driver's share rests on; empty: nothing to add
};

Verdict verdictOf(const ModelInfo& model, const MemoryPlan& plan);

}  // namespace headroom::ui
