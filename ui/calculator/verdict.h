// Does it fit, and by how much: the core's sentence with a tone, and who holds the rest.
#pragma once

#include <QString>
#include <map>
#include <string>

#include "plan/memory_plan.h"
#include "ui/theme/tone.h"

namespace headroom::ui {

struct Verdict {
  Tone tone = Tone::Neutral;
  QString sentence;  // "Fits: 6.31 of 8.00 GiB, 1.00 kept free, 0.69 to spare"
  QString detail;    // how fast, who holds the rest, what the driver's share rests on; empty: nothing to add
};

// What other programs hold of a device, as it was read last; by DeviceInfo::id. The chart shows the same figures.
struct HeldByOthers {
  Bytes bytes = 0;
  MemoryAccount account = {};
};
using OthersNow = std::map<std::string, HeldByOthers>;

// Where nothing was read of a device yet, what others held when the plan was made.
Verdict verdictOf(const ModelInfo& model, const MemoryPlan& plan, const OthersNow& othersNow = {});

// What a load reserves, to the byte: the arenas that stay. Predicted and actual are this figure.
Bytes reservedBytes(const MemoryPlan& plan);

// "Takes 72.0 MiB: 71.8 MiB reserved exactly, 212 KiB for tokenizer and tables.": what the verdict counts, in its
// parts.
QString takesText(const MemoryPlan& plan);

}  // namespace headroom::ui
