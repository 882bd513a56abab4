// What the rows of a chunk of a delta net make of each other, for each chunk and value head: delta_pairs.cu writes it,
// delta_rule.cu says what it is for. In words of 32 bits.
#pragma once

#include "backend/cuda/kernel_limits.h"
#include "lib/params.cuh"

namespace headroom::cuda {

struct DeltaPairs {
  static constexpr u32 kCorrect = 0;                                    // M: (kDeltaChunk, kDeltaChunk)
  static constexpr u32 kRead = kCorrect + kDeltaChunk * kDeltaChunk;    // N: likewise
  static constexpr u32 kFromStart = kRead + kDeltaChunk * kDeltaChunk;  // (kDeltaChunk): exp(G_t)
  static constexpr u32 kToEnd = kFromStart + kDeltaChunk;               // (kDeltaChunk): exp(G_last - G_t)
  static constexpr u32 kWords = kDeltaPairWords;
  static_assert(kWords == kToEnd + kDeltaChunk);
};

}  // namespace headroom::cuda
