// The most that was held of each device, and the least that was free, while something ran.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "run/backends.h"

namespace headroom {

// Used on the thread of the backends, which live longer.
class PeakMeter {
 public:
  explicit PeakMeter(const Backends& backends);  // the first reading is that of now

  struct Peak {
    Bytes ours = 0;                           // of this process, as the system counts it
    std::optional<Bytes> driver, least_free;  // absent: nothing told of it
  };
  void sample_when_due();  // ten times a second at most, however often it is called
  void sample();
  const Peak& of(DeviceIndex device) const { return peaks_[device]; }

 private:
  const Backends& backends_;
  std::vector<Peak> peaks_;  // as backends
  std::chrono::steady_clock::time_point sampled_;
};

}  // namespace headroom
