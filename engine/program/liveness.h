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

// Places each buffer at the lowest offset that is free throughout its life, the largest buffers first. Where the result
// is larger than the most bytes alive at once, it also tries the longest lives first, and returns the smaller of the
// two. Deterministic: ties go by the given order. Offsets are sums of sizes, so they keep the sizes' alignment. This is
// not optimal in general, but it is for a forward pass, whose residual lives longer than everything beside it. The sum
// of all sizes fits 64 bits.
Layout pack_lives(std::span<const Life> lives);

}  // namespace headroom
