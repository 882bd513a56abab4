// Does it fit, and by how much: the core's sentence with a tone, and who holds the rest.
#pragma once

#include <QString>
#include <map>
#include <string>
#include <vector>

#include "plan/memory_plan.h"
#include "ui/theme/tone.h"

namespace headroom::ui {

// One device of a plan, in the figures of the verdict.
struct DeviceVerdict {
  QString name;
  Bytes used = 0;     // the most that is asked for at any one time
  Bytes whole = 0;    // what that is counted against: see verdict_whole()
  Bytes kept = 0;     // of it: what the headroom rule leaves free
  Bytes missing = 0;  // 0: it fits
  Bytes spare() const { return saturating_sub(whole, used + kept); }
  bool operator==(const DeviceVerdict&) const = default;
};

struct Verdict {
  Tone tone = Tone::Neutral;
  QString heading;                     // "Fits", "Does not fit by 1.30 GiB"; empty: no model is open
  QString speed;                       // "about 42 tokens/s"; empty: unknown
  QString sentence;                    // all of it: "Fits: 6.31 of 8.00 GiB, 1.00 kept free, 0.69 to spare"
  QString detail;                      // who holds the rest, what the driver's share rests on; empty: nothing to add
  std::vector<DeviceVerdict> devices;  // as in the plan
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
