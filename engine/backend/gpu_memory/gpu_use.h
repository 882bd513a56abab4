// What this process has on a card, as it counts by itself. Any thread.
#pragma once

#include <atomic>

#include "base/bytes.h"

namespace headroom {

struct GpuUse {
  std::atomic<Bytes> device_arena_bytes = 0;  // in the card's own memory
  std::atomic<Bytes> host_arena_bytes = 0;    // page-locked memory of the host, mapped through it
  std::atomic<int> n_open = 0;                // devices that are open on it
  // What the card's use grew by when the first of them was opened, where that is told; 0: not known.
  std::atomic<Bytes> driver_bytes = 0;
};

}  // namespace headroom
