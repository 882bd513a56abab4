// One moment of a device's memory, divided into segments that add up to its total.
#pragma once

#include <QtGlobal>
#include <array>

#include "plan/memory_plan.h"
#include "ui/engine_port.h"
#include "ui/theme/segment.h"

namespace headroom::ui {

struct MemoryFrame {
  qint64 timeMs = 0;  // since the epoch
  std::array<Bytes, kSegments.size()> bytes{};
  // Of other programs: what the driver does not offer to this one although nobody holds it.
  Bytes withheld = 0;
  Bytes spilled = 0;             // of ours, beside all this: its driver pushed it out of the device
  bool isContradictory = false;  // the system's own figures did not agree; clamped, and shown with less confidence

  Bytes of(Segment segment) const { return bytes[segmentIndex(segment)]; }
  Bytes& of(Segment segment) { return bytes[segmentIndex(segment)]; }
  Bytes total() const;
  Bytes used() const { return total() - of(Segment::Headroom) - of(Segment::Free); }
  bool operator==(const MemoryFrame&) const = default;
};

// Without what other programs hold, and what is free or kept so: a small model in a large memory is a hair otherwise.
MemoryFrame oursAlone(MemoryFrame frame);

// A plan's share of one device, as far as the chart needs it.
struct PlannedShare {
  Bytes weights = 0, kv = 0, state = 0, checkpoints = 0, activations = 0, driver = 0;
  Bytes program = 0;     // on the host: tokenizer and tables, and of a plan what else this program holds now
  Bytes prompts = 0;     // the most that reading them takes: not held while none is read
  bool isHost = false;   // what is ours there beside the plan is this program; on other devices it is the driver's
  quint64 kvTokens = 0;  // positions that the whole cache holds, all slots
  HeadroomRule headroom = KeepFree{};

  Bytes ours() const { return weights + kv + state + checkpoints + activations + program; }
};
PlannedShare shareOf(const MemoryPlan& plan, DeviceIndex device);

// What is measured now. `loaded` is the share of the loaded model (all zero: nothing is loaded).
MemoryFrame measuredFrame(const MemoryReading& reading, const PlannedShare& loaded);

// What it would be once `planned` is loaded, with `others` bytes held by other programs.
MemoryFrame plannedFrame(Bytes total, Bytes others, const PlannedShare& planned);

}  // namespace headroom::ui
