// What was taken beside a plan since it was loaded.
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace headroom {

struct MemoryGrowth {
  std::uint64_t n_arenas = 0;  // arenas that were mapped: a load maps all of a plan's
  Bytes driver = 0;            // that drivers hold more, over the devices of the plan whose system tells it
  // Of the whole process, all its threads together: heap in use, and private memory mapped beside the heap. In
  // headroom-cli and in tests the process is the engine, and what an answer holds while it runs (its prompt, its text)
  // is in it. In the window these grow with its own text and widgets, too.
  Bytes heap = 0, mapped = 0;

  // Nothing of the window's can be in these.
  bool engine_took_something() const { return n_arenas > 0 || driver > 0; }
  bool operator==(const MemoryGrowth&) const = default;
};

}  // namespace headroom
