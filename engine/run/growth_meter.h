// What the process and the drivers take beside a plan, as the system counts it.
#pragma once

#include <optional>
#include <vector>

#include "base/heap.h"
#include "base/memory_growth.h"
#include "run/backends.h"

namespace headroom {

// Remembers what is held when it is made, which is when a session is open. Used on the thread of the backends, which
// live longer.
class GrowthMeter {
 public:
  explicit GrowthMeter(const Backends& backends);
  // Since then. What was given back meanwhile counts as nothing: of what is taken and given back again and again the
  // most is seen only while it is held. Takes about a millisecond.
  MemoryGrowth growth() const;

 private:
  const Backends& backends_;
  std::uint64_t n_arenas_;
  OwnMemory own_;
  std::vector<std::optional<Bytes>> drivers_;  // as backends; absent: nothing tells
};

}  // namespace headroom
