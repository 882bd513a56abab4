// What all threads of a block know together. Each is called by all of them; `room` is shared memory for a float of each
// warp, which is free again behind the next barrier.
#pragma once

#include "lib/params.cuh"

namespace headroom::cuda {

inline constexpr u32 kWarp = 32;

DEVICE float warp_sum(float value) {
  for (u32 mask = kWarp / 2; mask > 0; mask /= 2) value += shuffle_xor(value, mask);
  return value;
}

DEVICE float warp_max(float value) {
  for (u32 mask = kWarp / 2; mask > 0; mask /= 2) value = fmaxf(value, shuffle_xor(value, mask));
  return value;
}

// Added in the same order in every thread.
template <u32 kThreads>
DEVICE float block_sum(auto& room, float value) {
  const float of_warp = warp_sum(value);
  if (lane_index() == 0) room[warp_index()] = of_warp;
  BARRIER();
  float sum = 0;
  for (u32 warp = 0; warp < kThreads / kWarp; ++warp) sum += room[warp];
  return sum;
}

template <u32 kThreads>
DEVICE float block_max(auto& room, float value) {
  const float of_warp = warp_max(value);
  if (lane_index() == 0) room[warp_index()] = of_warp;
  BARRIER();
  float most = room[0];
  for (u32 warp = 1; warp < kThreads / kWarp; ++warp) most = fmaxf(most, room[warp]);
  return most;
}

}  // namespace headroom::cuda
