// Activations as f16: a row is n_cols f16, divided by a power of 2 that leaves the largest between 2^exponent and twice
// that (see kHalfExponent), and behind them that power as f32. It stands where a row of f32 would.
#pragma once

#include "lib/numbers.cuh"
#include "lib/reduce.cuh"

namespace headroom::cuda {

// The largest magnitude of four elements.
DEVICE float largest_of(const float4& quad) {
  return fmaxf(fmaxf(fabsf(quad.x), fabsf(quad.y)), fmaxf(fabsf(quad.z), fabsf(quad.w)));
}
// Eight elements times `by` as a unit of 16 bytes.
DEVICE uint4 unit_of_halves(const float4& low, const float4& high, float by) {
  return {floats_to_halves(by * low.x, by * low.y), floats_to_halves(by * low.z, by * low.w),
          floats_to_halves(by * high.x, by * high.y), floats_to_halves(by * high.z, by * high.w)};
}

// The power of 2, of the row's largest magnitude. 0 where f32 has no such number: the row counts as zeros then.
DEVICE float scale_of_half(float most, u32 exponent) {
  const u32 power = bits_of(most) & 0x7F800000U, target = exponent << 23;
  return float_of(power > target ? power - target : 0);
}

// Of each thread's largest magnitude. All threads of the block call together.
template <u32 kThreads>
DEVICE float scale_of_row(auto& room, float most, u32 exponent) {
  return scale_of_half(block_max<kThreads>(room, most), exponent);
}

}  // namespace headroom::cuda
