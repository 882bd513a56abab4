// The meaning of every number format of a cache, as format/decode.h has it, read from the words of a buffer. Before it is included,
// WORD(which, index) is defined: the words of buffer `which`, a constant. Rows stand at even bytes.

const uint kF32 = 0, kF16 = 1, kQ8_0 = 3, kQ4_0 = 4, kFp8 = 23;

uint u8_at(uint which, uint byte) { return (WORD(which, byte >> 2) >> ((byte & 3u) * 8u)) & 255u; }
uint u16_at(uint which, uint byte) { return (WORD(which, byte >> 2) >> ((byte & 2u) * 8u)) & 0xFFFFu; }

// Four bytes from an even byte on.
uint u32_at(uint which, uint byte) {
  const uint low = WORD(which, byte >> 2);
  if ((byte & 2u) == 0u) return low;
  return (low >> 16) | (WORD(which, (byte >> 2) + 1u) << 16);
}

vec4 nibbles(uint bytes, uint shift) {
  return vec4((bytes >> shift) & 15u, (bytes >> (shift + 8u)) & 15u, (bytes >> (shift + 16u)) & 15u,
              (bytes >> (shift + 24u)) & 15u);
}

vec4 signed_bytes(uint bytes) {
  const int word = int(bytes);
  return vec4(bitfieldExtract(word, 0, 8), bitfieldExtract(word, 8, 8), bitfieldExtract(word, 16, 8),
              bitfieldExtract(word, 24, 8));
}

// Four elements of a row in a block format: those from `col` on, a multiple of 4. `row`: the row's first byte. `shift`
// is that of decode_shifted_row(); 0 for keys.
vec4 block_elems(uint which, uint dtype, uint row, uint col, float shift) {
  if (dtype == kQ8_0) {
    const uint at = row + col / 32u * 34u;
    return f16_to_f32(u16_at(which, at)) * signed_bytes(u32_at(which, at + 2u + col % 32u));
  }
  const uint at = row + col / 32u * 18u, i = col % 32u;
  return f16_to_f32(u16_at(which, at)) * (nibbles(u32_at(which, at + 2u + (i & 15u)), i < 16u ? 0u : 4u) - 8.0 + shift);
}

// One element of a row of `n` in a format of single elements.
float plain_elem(uint which, uint dtype, uint row, uint col, uint n) {
  if (dtype == kF32) return uintBitsToFloat(WORD(which, (row >> 2) + col));
  if (dtype == kF16) return f16_to_f32(u16_at(which, row + 2u * col));
  return f16_to_f32(u16_at(which, row + n)) * e4m3_to_f32(u8_at(which, row + col));
}

bool is_block_format(uint dtype) { return dtype == kQ8_0 || dtype == kQ4_0; }

// Four elements of a row of `n`, those from `col` on, a multiple of 4; 0 behind its end.
vec4 elems4(uint which, uint dtype, uint row, uint col, uint n, float shift) {
  vec4 elems = vec4(0.0);
  if (is_block_format(dtype)) {
    elems = block_elems(which, dtype, row, col, shift);
    // A row that does not end on a block is padded to one; what pads it is no zero where codes are shifted.
    if (col + 4u > n) elems = mix(vec4(0.0), elems, lessThan(uvec4(col, col + 1u, col + 2u, col + 3u), uvec4(n)));
    return elems;
  }
  [[unroll]] for (uint i = 0u; i < 4u; ++i) {
    if (col + i < n) elems[i] = plain_elem(which, dtype, row, col + i, n);
  }
  return elems;
}
