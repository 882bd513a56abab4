// Activations as int8: a group of 32 elements is 12 words, eight of four codes, then as f32 its scale, and scale times
// the sum of the first 16 codes, of the last 16, and of all.
#pragma once

#include "lib/numbers.cuh"

namespace headroom::cuda {

inline constexpr u32 kGroupWords = 12;

// All lanes of a warp call together. Eight neighbours have a group, four elements each; writes it to the 12 words at
// `to`, where this group `is_there`.
DEVICE void put_group(u32* to, const Four& elems, bool is_there) {
  float most = 0;
  for (const float elem : elems.of) most = fmaxf(most, fabsf(elem));
  for (u32 mask = 4; mask > 0; mask /= 2) most = fmaxf(most, shuffle_xor(most, mask));
  const float scale = most / 127, inverse = inverse_of(scale);
  u32 codes = 0;
  float sum = 0;
  for (u32 i = 0; i < 4; ++i) {
    const float code = fminf(fmaxf(rintf(elems.of[i] * inverse), -127.0F), 127.0F);
    codes |= (static_cast<u32>(static_cast<int>(code)) & 255U) << (8 * i);
    sum += code;
  }
  for (u32 mask = 2; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);  // of 16 elements
  const float other = shuffle_xor(sum, 4);
  if (!is_there) return;
  const u32 word = lane_index() % 8;
  to[word] = codes;
  if (word != 0) return;
  to[8] = bits_of(scale);
  to[9] = bits_of(scale * sum);
  to[10] = bits_of(scale * other);
  to[11] = bits_of(scale * (sum + other));
}

}  // namespace headroom::cuda
