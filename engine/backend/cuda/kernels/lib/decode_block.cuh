// Quantized rows of a cache become f16, 32 elements of a row by each thread.
#pragma once

#include "lib/key_tile.cuh"

namespace headroom::cuda {

inline constexpr u32 kBlockElems = 32;  // of a quantized row, that one thread decodes

// Words of a quantized row, which begin at an even byte of the area.
template <u32 kWords>
DEVICE void read_raw(auto& area, u32 byte, u32 (&to)[kWords]) {
  const u32 first = byte / 4;
  const bool is_between = byte % 4 != 0;
  u32 low = area[first];
#pragma unroll
  for (u32 i = 0; i < kWords; ++i) {
    const u32 high = i + 1 < kWords || is_between ? area[first + i + 1] : low;
    to[i] = choose_bytes(low, high, is_between ? 0x5432U : 0x3210U);
    low = high;
  }
}
DEVICE float raw_scale(auto& area, u32 byte) { return half_of_word(area[byte / 4], byte % 4 != 0); }

// (byte - less) * scale of four bytes as f16. As the middle of a number's bits a byte is 128 and its 256th part: an
// instruction that takes less time than those that make floats of integers, and no number is rounded before f16.
DEVICE void decode_four(u32 bytes, float less, float scale, u32 (&pairs)[kBlockElems / 2], u32 at) {
  float elems[4];
#pragma unroll
  for (u32 i = 0; i < 4; ++i)
    elems[i] = (float_of(choose_bytes(bytes, 0x43000000U, 0x7404U + 0x10U * i)) - (128 + less / 256)) * (256 * scale);
  pairs[at] = floats_to_halves(elems[0], elems[1]);
  pairs[at + 1] = floats_to_halves(elems[2], elems[3]);
}

// 32 elements of the row that begins at a byte of the area, those from `first` on. `shift`: that of tile_elems().
template <u32 kType>
DEVICE void decode_block(auto& area, u32 row, u32 first, u32 head_dim, float shift, u32 (&pairs)[kBlockElems / 2]) {
  if constexpr (kType == kQ8_0) {
    const u32 at = row + first / 32 * 34;
    const float scale = raw_scale(area, at);
    u32 words[8];
    read_raw(area, at + 2, words);
#pragma unroll
    for (u32 i = 0; i < 8; ++i) decode_four(words[i] ^ 0x80808080U, 128, scale, pairs, 2 * i);
  } else if constexpr (kType == kQ4_0) {
    const u32 at = row + first / 32 * 18;
    const float scale = raw_scale(area, at);
    u32 words[4];
    read_raw(area, at + 2, words);
#pragma unroll
    for (u32 i = 0; i < 4; ++i) {
      decode_four(words[i] & 0x0F0F0F0FU, 8 - shift, scale, pairs, 2 * i);
      decode_four(words[i] >> 4 & 0x0F0F0F0FU, 8 - shift, scale, pairs, 2 * i + 8);
    }
  } else if constexpr (kType == kFp8) {
    const float scale = raw_scale(area, row + head_dim);
#pragma unroll
    for (u32 i = 0; i < 8; ++i) {
      if (first + 4 * i >= head_dim) continue;
      u32 word[1];
      read_raw(area, row + first + 4 * i, word);
      const auto elem = [&](u32 n) { return scale * e4m3_to_float((word[0] >> (8 * n)) & 255U); };
      pairs[2 * i] = floats_to_halves(elem(0), elem(1));
      pairs[2 * i + 1] = floats_to_halves(elem(2), elem(3));
    }
  }
}

}  // namespace headroom::cuda
