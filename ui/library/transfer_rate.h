// How fast bytes come, smoothed, and how long the rest will take.
#pragma once

#include <QtGlobal>
#include <deque>
#include <optional>

#include "base/bytes.h"

namespace headroom::ui {

// The mean of the last seconds: a figure that can be read, and that follows within them.
class TransferRate {
 public:
  void reset() { m_samples.clear(); }
  void add(qint64 nowMs, Bytes bytesDone);  // fewer bytes than before: it began anew

  std::optional<double> bytesPerSecond(qint64 nowMs) const;  // absent: too short to tell
  std::optional<qint64> msLeft(qint64 nowMs, Bytes bytesLeft) const;

 private:
  struct Sample {
    qint64 ms = 0;
    Bytes bytes = 0;
  };
  std::deque<Sample> m_samples;  // oldest first
};

}  // namespace headroom::ui
