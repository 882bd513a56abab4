// The parts of a device's memory as people see them: one order, one name and one colour everywhere.
#pragma once

#include <QString>
#include <array>

namespace headroom::ui {

// From the bottom of the chart to its top.
enum class Segment {
  Weights,
  KvUsed,
  KvReserved,
  State,
  Checkpoints,
  Activations,
  Program,
  Driver,
  Others,
  Headroom,
  Free
};
inline constexpr std::array kSegments{Segment::Weights,     Segment::KvUsed,      Segment::KvReserved, Segment::State,
                                      Segment::Checkpoints, Segment::Activations, Segment::Program,    Segment::Driver,
                                      Segment::Others,      Segment::Headroom,    Segment::Free};
// What few models have: the others have no line for it.
inline constexpr std::array kRareSegments{Segment::State, Segment::Checkpoints};
constexpr std::size_t segmentIndex(Segment segment) { return static_cast<std::size_t>(segment); }

QString segmentName(Segment segment);         // "KV cache, used"
QString segmentExplanation(Segment segment);  // one sentence for tool tips and screen readers
const char* segmentKey(Segment segment);      // "kv_used": columns of exported files

}  // namespace headroom::ui
