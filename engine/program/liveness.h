// Lays buffers out so that those alive at the same time never overlap.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace headroom {

// A buffer of `size` bytes in use from op `first` to op `last`, both included.
struct Life {
  Bytes size = 0;
  std::uint32_t first = 0, last = 0;
};

struct Layout {
  std::vector<Bytes> offsets;  // (lives.size())
  Bytes peak = 0;              // where the furthest buffer ends
};

// Greedy, each at the lowest offset that is free throughout its life: by size, largest first, and where that is not the
// best there can be, by length of life, longest first; the smaller of the two, ties in the order given. Deterministic;
// offsets are sums of sizes, so they keep the sizes' alignment. Not optimal in general, optimal for a forward pass: the
// residual lives longer than whatever stands beside it. The sum of all sizes fits 64 bits.
Layout pack_lives(std::span<const Life> lives);

}  // namespace headroom
