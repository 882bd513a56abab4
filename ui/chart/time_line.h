// The history of a device's memory in bounded space; knows no widget.
#pragma once

#include <span>
#include <vector>

#include "ui/chart/memory_frame.h"

namespace headroom::ui {

// Keeps the whole history in at most `capacity` frames: when full, neighbours are merged two by two and from then on
// twice as many readings share a frame. Merging keeps the frame of the higher use (of equals, that with the fuller
// cache), so a peak is never averaged away and every frame is a moment that really was.
class TimeLine {
 public:
  explicit TimeLine(std::size_t capacity = 1200);

  void append(const MemoryFrame& frame);  // an earlier time than the last one's is taken as the last one's
  void clear();

  std::span<const MemoryFrame> frames() const { return m_frames; }
  std::size_t readingsPerFrame() const { return m_readingsPerFrame; }
  bool isEmpty() const { return m_frames.empty(); }
  Bytes highestUse() const;

 private:
  void halve();

  std::size_t m_capacity;
  std::size_t m_readingsPerFrame = 1;
  std::size_t m_readingsInLast = 0;
  std::vector<MemoryFrame> m_frames;
};

}  // namespace headroom::ui
