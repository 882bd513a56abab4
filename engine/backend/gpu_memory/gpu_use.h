// This process's own count of what it holds on a card. Any thread.
#pragma once

#include <atomic>

#include "base/bytes.h"

namespace headroom {

struct GpuUse {
  std::atomic<Bytes> device_arena_bytes = 0;  // in the card's own memory
  std::atomic<Bytes> host_arena_bytes = 0;    // page-locked memory of the host, mapped through it
  std::atomic<int> n_open = 0;                // devices that are open on it
  // By how much the card's use grew when the first of them was opened; 0: unknown.
  std::atomic<Bytes> driver_bytes = 0;
};

}  // namespace headroom
