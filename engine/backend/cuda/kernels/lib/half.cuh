// Activations as f16: a row is n_cols f16, divided by a power of 2 that leaves the largest below 2, and behind them
// that power as f32. It stands where a row of f32 would.
#pragma once

#include "lib/numbers.cuh"
#include "lib/reduce.cuh"

namespace headroom::cuda {

// The power of 2, of each thread's largest magnitude. All threads of the block call together.
template <u32 kThreads>
DEVICE float scale_of_row(auto& room, float most) {
  return float_of(bits_of(block_max<kThreads>(room, most)) & 0x7F800000U);
}

}  // namespace headroom::cuda
