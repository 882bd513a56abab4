#include "ui/chart/memory_frame.h"

#include <algorithm>
#include <numeric>

namespace headroom::ui {
namespace {

// Divides what nobody holds into what the user wants to keep and what may be used.
void divideFree(MemoryFrame& frame, Bytes unheld, const HeadroomRule& rule, Bytes ours) {
  Bytes kept = 0;
  if (const auto* keep = std::get_if<KeepFree>(&rule)) {
    kept = std::min(unheld, keep->bytes);
  } else {
    const Bytes limit = std::get<AtMost>(rule).bytes;
    const Bytes stillAllowed = limit > ours ? limit - ours : 0;
    kept = unheld > stillAllowed ? unheld - stillAllowed : 0;
  }
  frame.of(Segment::Headroom) = kept;
  frame.of(Segment::Free) = unheld - kept;
}

Bytes usedKv(const PlannedShare& share, quint64 tokens) {
  if (share.kvTokens == 0) return 0;
  const double part = std::min(1.0, static_cast<double>(tokens) / static_cast<double>(share.kvTokens));
  return std::min(share.kv, static_cast<Bytes>(part * static_cast<double>(share.kv)));
}

// Takes at most `wanted` from `left`.
Bytes take(Bytes& left, Bytes wanted) {
  const Bytes taken = std::min(left, wanted);
  left -= taken;
  return taken;
}

}  // namespace

Bytes MemoryFrame::total() const { return std::accumulate(bytes.begin(), bytes.end(), Bytes{0}); }

MemoryFrame oursAlone(MemoryFrame frame) {
  for (const Segment segment : {Segment::Others, Segment::Headroom, Segment::Free}) frame.of(segment) = 0;
  return frame;
}

PlannedShare shareOf(const MemoryPlan& plan, DeviceIndex device) {
  PlannedShare share;
  share.weights = plan.bytes_of(RegionGroup::kWeights, device);
  share.kv = plan.bytes_of(RegionGroup::kKv, device);
  share.state = plan.bytes_of(RegionGroup::kState, device);
  share.checkpoints = plan.bytes_of(RegionGroup::kCheckpoints, device);
  const Bytes planned = plan.planned_bytes(device);
  share.activations = planned - std::min(planned, share.weights + share.kv + share.state + share.checkpoints);
  share.kvTokens = static_cast<quint64>(plan.options.n_ctx) * plan.options.n_slots;
  share.isHost = plan.devices[device].kind == DeviceKind::kCpu;
  share.headroom = plan.options.headroom_of(device);
  for (const DeviceBudget& budget : plan.budgets) {
    if (budget.device != device) continue;
    share.driver = budget.driver;
    share.program = budget.heap;
    share.prompts = budget.prompts;
  }
  return share;
}

MemoryFrame measuredFrame(const MemoryReading& reading, const PlannedShare& loaded) {
  MemoryFrame frame;
  frame.timeMs = reading.timeMs;
  const Bytes free = std::min(reading.free, reading.total);
  const Bytes used = reading.total - free;
  frame.spilled = reading.account.spilled;
  const Bytes here = loaded.ours() - std::min(loaded.ours(), frame.spilled);
  frame.isContradictory = reading.free > reading.total || reading.ours > used || used < here;
  Bytes left = std::min(used, here);
  Bytes notOurs = used - left;
  // Which part was pushed out nobody tells: most of it are weights.
  frame.of(Segment::Weights) = take(left, loaded.weights - std::min(loaded.weights, frame.spilled));
  const Bytes kv = take(left, loaded.kv);
  frame.of(Segment::KvUsed) = std::min(kv, usedKv(loaded, reading.kvTokensUsed));
  frame.of(Segment::KvReserved) = kv - frame.of(Segment::KvUsed);
  frame.of(Segment::State) = take(left, loaded.state);
  frame.of(Segment::Checkpoints) = take(left, loaded.checkpoints);
  frame.of(Segment::Activations) = take(left, loaded.activations);
  frame.of(Segment::Program) = take(left, loaded.program);
  // What the system counts to this process beyond the plan.
  frame.of(loaded.isHost ? Segment::Program : Segment::Driver) +=
      take(notOurs, reading.ours > here ? reading.ours - here : 0);
  frame.of(Segment::Others) = notOurs;
  if (reading.account.others) frame.withheld = notOurs - std::min(notOurs, *reading.account.others);
  divideFree(frame, free, loaded.headroom, std::max(reading.ours, loaded.ours()));
  return frame;
}

MemoryFrame plannedFrame(Bytes total, Bytes others, const PlannedShare& planned) {
  MemoryFrame frame;
  frame.of(Segment::Weights) = planned.weights;
  frame.of(Segment::KvReserved) = planned.kv;
  frame.of(Segment::State) = planned.state;
  frame.of(Segment::Checkpoints) = planned.checkpoints;
  frame.of(Segment::Activations) = planned.activations;
  frame.of(Segment::Program) = planned.program + planned.prompts;
  frame.of(Segment::Driver) = planned.driver;
  frame.of(Segment::Others) = others;
  const Bytes held = frame.total();
  divideFree(frame, total > held ? total - held : 0, planned.headroom,
             planned.ours() + planned.prompts + planned.driver);
  return frame;
}

}  // namespace headroom::ui
