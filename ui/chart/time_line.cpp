#include "ui/chart/time_line.h"

#include <algorithm>

#include "base/check.h"

namespace headroom::ui {
namespace {

// The frame to keep of two, at the time of the later one, so that the newest frame stays at the chart's edge.
MemoryFrame merged(const MemoryFrame& earlier, const MemoryFrame& later) {
  const bool keepEarlier = earlier.used() > later.used() ||
                           (earlier.used() == later.used() && earlier.of(Segment::KvUsed) > later.of(Segment::KvUsed));
  MemoryFrame kept = keepEarlier ? earlier : later;
  kept.timeMs = later.timeMs;
  kept.isContradictory = earlier.isContradictory || later.isContradictory;
  return kept;
}

}  // namespace

TimeLine::TimeLine(std::size_t capacity) : m_capacity(capacity) {
  CHECK(capacity >= 2 && capacity % 2 == 0, "frames are merged two by two");
  m_frames.reserve(capacity);
}

void TimeLine::append(const MemoryFrame& frame) {
  MemoryFrame next = frame;
  if (!m_frames.empty()) next.timeMs = std::max(next.timeMs, m_frames.back().timeMs);
  if (!m_frames.empty() && m_readingsInLast < m_readingsPerFrame) {
    m_frames.back() = merged(m_frames.back(), next);
    ++m_readingsInLast;
    return;
  }
  if (m_frames.size() == m_capacity) halve();
  m_frames.push_back(next);
  m_readingsInLast = 1;
}

void TimeLine::halve() {
  for (std::size_t i = 0; i + 1 < m_frames.size(); i += 2) m_frames[i / 2] = merged(m_frames[i], m_frames[i + 1]);
  m_frames.resize(m_frames.size() / 2);
  m_readingsPerFrame *= 2;
}

void TimeLine::clear() {
  m_frames.clear();
  m_readingsPerFrame = 1;
  m_readingsInLast = 0;
}

Bytes TimeLine::highestUse() const {
  Bytes highest = 0;
  for (const MemoryFrame& frame : m_frames) highest = std::max(highest, frame.used());
  return highest;
}

}  // namespace headroom::ui
