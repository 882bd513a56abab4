// Rows of a cache in shared memory, as they are, and what their numbers mean: as format/decode.h has it.
#pragma once

#include "lib/numbers.cuh"

namespace headroom::cuda {

// Every 32 words are followed by four that nobody uses, so that rows of a power of two of bytes do not all begin in the
// same bank of shared memory.
DEVICE u32 place(u32 word) { return word + (word >> 5) * 4; }

// Neighbouring threads load neighbouring 16 bytes. The first byte comes to stand at this byte of the tile: byte % 16.
template <u32 kThreads>
DEVICE void load_tile(auto& area, const uint4* cache, std::uint64_t byte, u32 n_bytes) {
  const uint4* from = cache + byte / 16;
  const u32 n = divide_up(static_cast<u32>(byte % 16) + n_bytes, 16);
  for (u32 i = thread_index(); i < n; i += kThreads) {
    const uint4 words = from[i];
    const u32 at = place(4 * i);
    area[at] = words.x;
    area[at + 1] = words.y;
    area[at + 2] = words.z;
    area[at + 3] = words.w;
  }
}

DEVICE u32 tile_word(auto& area, u32 word) { return area[place(word)]; }
DEVICE u32 tile_half(auto& area, u32 byte) { return (tile_word(area, byte >> 2) >> ((byte & 2) * 8)) & 0xFFFFU; }
// Four bytes from an even byte on.
DEVICE u32 tile_bytes(auto& area, u32 byte) {
  const u32 low = tile_word(area, byte >> 2);
  if ((byte & 2) == 0) return low;
  return (low >> 16) | (tile_word(area, (byte >> 2) + 1) << 16);
}
DEVICE float tile_scale(auto& area, u32 byte) {
  return half_to_float(static_cast<std::uint16_t>(tile_half(area, byte)));
}

// Four elements of a row of head_dim, those from `col` on, a multiple of 4; 0 behind its end. `row`: the row's first
// byte. `shift` is that of decode_shifted_row(); 0 for keys.
template <u32 kType>
DEVICE Four tile_elems(auto& area, u32 row, u32 col, u32 head_dim, float shift) {
  Four elems;
  if constexpr (kType == kF32) {
    for (u32 i = 0; i < 4; ++i) elems.of[i] = float_of(tile_word(area, (row >> 2) + smaller(col + i, head_dim - 1)));
  } else if constexpr (kType == kF16) {
    const u32 low = tile_bytes(area, row + 2 * col),
              high = col + 4 > head_dim ? 0 : tile_bytes(area, row + 2 * col + 4);
    elems = {half_of_word(low, false), half_of_word(low, true), half_of_word(high, false), half_of_word(high, true)};
  } else if constexpr (kType == kFp8) {
    const u32 bytes = tile_bytes(area, row + col);
    const float scale = tile_scale(area, row + head_dim);
    for (u32 i = 0; i < 4; ++i) elems.of[i] = scale * e4m3_to_float((bytes >> (8 * i)) & 255U);
  } else if constexpr (kType == kQ8_0) {
    const u32 at = row + col / 32 * 34, bytes = tile_bytes(area, at + 2 + col % 32);
    const float scale = tile_scale(area, at);
    for (u32 i = 0; i < 4; ++i) elems.of[i] = scale * signed_byte(bytes, i);
  } else {
    const u32 at = row + col / 32 * 18, bytes = tile_bytes(area, at + 2 + col % 16) >> (col % 32 < 16 ? 0 : 4);
    const float scale = tile_scale(area, at);
    for (u32 i = 0; i < 4; ++i) elems.of[i] = scale * (plain_byte(bytes & 0x0F0F0F0FU, i) - 8 + shift);
  }
  // Heads have an even number of elements.
  if (col + 4 > head_dim) elems.of[2] = elems.of[3] = 0;
  return elems;
}

// Calls f with the format as a compile-time number: all threads of a block have the same.
template <class F>
DEVICE void with_cache_type(u32 type, F f) {
  switch (type) {
    case kF32: f.template operator()<kF32>(); return;
    case kF16: f.template operator()<kF16>(); return;
    case kFp8: f.template operator()<kFp8>(); return;
    case kQ8_0: f.template operator()<kQ8_0>(); return;
    default: f.template operator()<kQ4_0>(); return;
  }
}

}  // namespace headroom::cuda
