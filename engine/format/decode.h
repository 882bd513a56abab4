// The meaning of every number format in plain C++, one element or block at a time. All kernels are tested against it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "format/blocks.h"
#include "format/dtype_table.h"
#include "format/grid_blocks.h"

namespace headroom {

// IEEE half precision; exact.
inline float f16_to_f32(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  const std::uint32_t exponent = (bits >> 10) & 31U, mantissa = bits & 1023U;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000U | (mantissa << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;  // subnormal
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
}

// Rounds to nearest, ties to even; beyond the range becomes infinity; NaN stays NaN.
inline std::uint16_t f32_to_f16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint16_t sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return sign | 0x7E00U;
  if (magnitude >= 0x477FF000U) return sign | 0x7C00U;  // 65520 and up rounds to infinity
  if (magnitude < 0x38800000U) {  // below 2^-14: adding 0.5 leaves the rounded subnormal in the low mantissa bits
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return sign | static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(shifted) - 0x3F000000U);
  }
  const std::uint32_t rounded = magnitude + 0xFFFU + ((magnitude >> 13) & 1U);
  return sign | static_cast<std::uint16_t>((rounded - 0x38000000U) >> 13);
}

inline float bf16_to_f32(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

// Rounds to nearest, ties to even; NaN stays NaN.
inline std::uint16_t f32_to_bf16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>((bits >> 16) | 64U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

inline constexpr float kE4M3Max = 448.0F;

// E4M3 without infinities (OCP 8-bit floating point, the "FN" form); 0x7F and 0xFF are NaN. Exact.
inline float e4m3_to_f32(std::uint8_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x80U) << 24;
  const std::uint32_t exponent = (bits >> 3) & 15U, mantissa = bits & 7U;
  if (exponent == 15 && mantissa == 7) return std::bit_cast<float>(sign | 0x7FC00000U);
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 120) << 23) | (mantissa << 20));
  const float magnitude = static_cast<float>(mantissa) * 0x1p-9F;  // subnormal
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
}

// Rounds to nearest, ties to even; beyond 448 saturates; NaN stays NaN.
inline std::uint8_t f32_to_e4m3(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint8_t sign = static_cast<std::uint8_t>((bits >> 24) & 0x80U);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return sign | 0x7FU;
  if (magnitude >= std::bit_cast<std::uint32_t>(kE4M3Max)) return sign | 0x7EU;
  if (magnitude <
      0x3C800000U) {  // below 2^-6: adding 2^14 leaves the rounded multiple of 2^-9 in the low mantissa bits
    const float shifted = std::bit_cast<float>(magnitude) + 0x1p14F;
    return sign | static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(shifted) - 0x46800000U);
  }
  const std::uint32_t rounded = magnitude + 0x7FFFFU + ((magnitude >> 20) & 1U);
  return sign | static_cast<std::uint8_t>((rounded - 0x3C000000U) >> 20);
}

inline void decode_block(const BlockQ8_0& block, float* out) {  // (32)
  const float scale = f16_to_f32(block.scale);
  for (int i = 0; i < 32; ++i) out[i] = scale * static_cast<float>(block.quants[i]);
}

inline void decode_block(const BlockQ4_0& block, float* out) {  // (32)
  const float scale = f16_to_f32(block.scale);
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * static_cast<float>((block.quants[i] & 15) - 8);
    out[i + 16] = scale * static_cast<float>((block.quants[i] >> 4) - 8);
  }
}

inline void decode_block(const BlockQ4_1& block, float* out) {  // (32)
  const float scale = f16_to_f32(block.scale), min = f16_to_f32(block.min);
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * static_cast<float>(block.quants[i] & 15) + min;
    out[i + 16] = scale * static_cast<float>(block.quants[i] >> 4) + min;
  }
}

// Element i of Q5_0 and Q5_1.
template <class Block>
int five_bits(const Block& block, int i) {
  return ((block.quants[i % 16] >> (i / 16 * 4)) & 15) | (((block.high_bits[i / 8] >> (i % 8)) & 1) << 4);
}

inline void decode_block(const BlockQ5_0& block, float* out) {  // (32)
  const float scale = f16_to_f32(block.scale);
  for (int i = 0; i < 32; ++i) out[i] = scale * static_cast<float>(five_bits(block, i) - 16);
}

inline void decode_block(const BlockQ5_1& block, float* out) {  // (32)
  const float scale = f16_to_f32(block.scale), min = f16_to_f32(block.min);
  for (int i = 0; i < 32; ++i) out[i] = scale * static_cast<float>(five_bits(block, i)) + min;
}

// The two bits of element i of Q2_K and Q3_K.
inline int two_bits(const std::uint8_t (&quants)[64], int i) {
  return (quants[i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2)) & 3;
}

inline void decode_block(const BlockQ2_K& block, float* out) {  // (256)
  const float scale = f16_to_f32(block.scale), min_scale = f16_to_f32(block.min_scale);
  for (int i = 0; i < 256; ++i) {
    const std::uint8_t packed = block.scales[i / 16];
    out[i] = scale * static_cast<float>(packed & 15) * static_cast<float>(two_bits(block.quants, i)) -
             min_scale * static_cast<float>(packed >> 4);
  }
}

inline void decode_block(const BlockQ3_K& block, float* out) {  // (256)
  const float scale = f16_to_f32(block.scale);
  for (int i = 0; i < 256; ++i) {
    const int three_bits = two_bits(block.quants, i) | (((block.high_bits[i % 32] >> (i / 32)) & 1) << 2);
    out[i] = scale * static_cast<float>(six_bit_scale(block.scales, i / 16) - 32) * static_cast<float>(three_bits - 4);
  }
}

inline void decode_block(const BlockQ4_K& block, float* out) {  // (256)
  const float scale = f16_to_f32(block.scale), min_scale = f16_to_f32(block.min_scale);
  for (int group = 0; group < 8; ++group) {
    const GroupScaleMin packed = group_scale_min(block.scales, group);
    const float group_scale = scale * static_cast<float>(packed.scale),
                group_min = min_scale * static_cast<float>(packed.min);
    const std::uint8_t* quants = block.quants + std::ptrdiff_t{group / 2} * 32;
    const int shift = group % 2 * 4;
    for (int i = 0; i < 32; ++i)
      out[group * 32 + i] = group_scale * static_cast<float>((quants[i] >> shift) & 15) - group_min;
  }
}

inline void decode_block(const BlockQ5_K& block, float* out) {  // (256)
  const float scale = f16_to_f32(block.scale), min_scale = f16_to_f32(block.min_scale);
  for (int group = 0; group < 8; ++group) {
    const GroupScaleMin packed = group_scale_min(block.scales, group);
    const float group_scale = scale * static_cast<float>(packed.scale),
                group_min = min_scale * static_cast<float>(packed.min);
    const std::uint8_t* quants = block.quants + std::ptrdiff_t{group / 2} * 32;
    const int shift = group % 2 * 4;
    for (int i = 0; i < 32; ++i) {
      const int five_bits = ((quants[i] >> shift) & 15) | (((block.high_bits[i] >> group) & 1) << 4);
      out[group * 32 + i] = group_scale * static_cast<float>(five_bits) - group_min;
    }
  }
}

inline void decode_block(const BlockQ6_K& block, float* out) {  // (256)
  const float scale = f16_to_f32(block.scale);
  for (int i = 0; i < 256; ++i) {
    const int half = i / 128, quarter = i % 128 / 32, lane = i % 32,
              group = i / 16;  // quarters 0 and 1 are low nibbles, 2 and 3 high nibbles
    const std::uint8_t low = block.low_bits[half * 64 + quarter % 2 * 32 + lane];
    const std::uint8_t high = block.high_bits[half * 32 + lane];
    const int six_bits = ((low >> (quarter / 2 * 4)) & 15) | (((high >> (quarter * 2)) & 3) << 4);
    out[i] = scale * static_cast<float>(block.scales[group]) * static_cast<float>(six_bits - 32);
  }
}

// 32 elements of 16 nibbles.
inline void decode_table(const std::uint8_t* quants, const std::int8_t (&values)[16], float scale, float* out) {
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * static_cast<float>(values[quants[i] & 15]);
    out[i + 16] = scale * static_cast<float>(values[quants[i] >> 4]);
  }
}

inline void decode_block(const BlockIQ4_NL& block, float* out) {  // (32)
  decode_table(block.quants, kIq4Values, f16_to_f32(block.scale), out);
}

inline void decode_block(const BlockIQ4_XS& block, float* out) {  // (256)
  const float scale = f16_to_f32(block.scale);
  for (int group = 0; group < 8; ++group)
    decode_table(block.quants + std::ptrdiff_t{group} * 16, kIq4Values,
                 scale * static_cast<float>(group_scale(block, group) - 32), out + std::ptrdiff_t{group} * 32);
}

// 2^(exponent - 128); the first two are subnormal.
inline float e8m0_half_to_f32(std::uint8_t exponent) {
  return std::bit_cast<float>(exponent < 2 ? 0x00200000U << exponent : (exponent - 1U) << 23);
}

inline void decode_block(const BlockMXFP4& block, float* out) {  // (32)
  decode_table(block.quants, kFp4Values, e8m0_half_to_f32(block.exponent), out);
}

// The formats of format/grid_blocks.h.
template <class Block>
void decode_block(const Block& block, float* out) {  // (256)
  using Format = GridFormat<Block>;
  const float scale = f16_to_f32(block_scale(block)) * Format::kFactor;
  for (int i = 0; i < 8; ++i, out += 32) {
    const GridGroup group = grid_group(block, i);
    for (int k = 0; k < 32; ++k) {
      const std::uint32_t point = group.indices[k / Format::kElems];
      const std::uint32_t code = grid_code<Format::kElems>(Format::kGrid, point, k % Format::kElems);
      const std::int8_t value = Format::kValues[code | ((group.signs >> k) & 1U) << 3];
      out[k] = scale * static_cast<float>(2 * group.scales[k / 16] + 1) * static_cast<float>(value);
    }
  }
}

// Decodes a row of whole blocks; the elements that pad the last block are dropped.
template <class Block, int kBlockElems>
void decode_block_row(const std::byte* row, std::uint64_t n_elems, float* out) {
  for (std::uint64_t first = 0; first < n_elems; first += kBlockElems, row += sizeof(Block)) {
    float elems[kBlockElems];
    decode_block(load_block<Block>(row), elems);
    std::memcpy(out + first, elems, std::min<std::uint64_t>(kBlockElems, n_elems - first) * sizeof(float));
  }
}

// The shift of the codes of a Q4_0 cache of values, as a share of a step: element = scale * (nibble - 8 + shift). It
// depends on the position. Why: equal tokens have equal values in the first layer, and similar ones in later layers.
// With the same rounding at all positions they would have the same error, which a head that averages over them does not
// average out. Sixteen shifts round them in sixteen ways; neighbours get shifts that are far apart. Source: subtractive
// dither (Roberts 1962).
inline constexpr std::uint32_t kValueShifts = 16;
constexpr float value_shift(std::uint64_t position) {
  return (static_cast<float>(position * 7 % kValueShifts) + 0.5F) / kValueShifts - 0.5F;
}

// row: row_bytes(dtype, n_elems) bytes in file (or cache) layout; out: (n_elems) f32.
inline void decode_row(DType dtype, const std::byte* row, std::uint64_t n_elems, float* out) {
  switch (dtype) {
    case DType::kF32: std::memcpy(out, row, n_elems * sizeof(float)); return;
    case DType::kF16:
      for (std::uint64_t i = 0; i < n_elems; ++i) out[i] = f16_to_f32(load_block<std::uint16_t>(row + 2 * i));
      return;
    case DType::kBF16:
      for (std::uint64_t i = 0; i < n_elems; ++i) out[i] = bf16_to_f32(load_block<std::uint16_t>(row + 2 * i));
      return;
    case DType::kQ8_0: decode_block_row<BlockQ8_0, 32>(row, n_elems, out); return;
    case DType::kQ4_0: decode_block_row<BlockQ4_0, 32>(row, n_elems, out); return;
    case DType::kQ4_1: decode_block_row<BlockQ4_1, 32>(row, n_elems, out); return;
    case DType::kQ5_0: decode_block_row<BlockQ5_0, 32>(row, n_elems, out); return;
    case DType::kQ5_1: decode_block_row<BlockQ5_1, 32>(row, n_elems, out); return;
    case DType::kQ2_K: decode_block_row<BlockQ2_K, 256>(row, n_elems, out); return;
    case DType::kQ3_K: decode_block_row<BlockQ3_K, 256>(row, n_elems, out); return;
    case DType::kQ4_K: decode_block_row<BlockQ4_K, 256>(row, n_elems, out); return;
    case DType::kQ5_K: decode_block_row<BlockQ5_K, 256>(row, n_elems, out); return;
    case DType::kQ6_K: decode_block_row<BlockQ6_K, 256>(row, n_elems, out); return;
    case DType::kIQ4_NL: decode_block_row<BlockIQ4_NL, 32>(row, n_elems, out); return;
    case DType::kIQ4_XS: decode_block_row<BlockIQ4_XS, 256>(row, n_elems, out); return;
    case DType::kMXFP4: decode_block_row<BlockMXFP4, 32>(row, n_elems, out); return;
    case DType::kIQ1_S: decode_block_row<BlockIQ1_S, 256>(row, n_elems, out); return;
    case DType::kIQ1_M: decode_block_row<BlockIQ1_M, 256>(row, n_elems, out); return;
    case DType::kIQ2_XXS: decode_block_row<BlockIQ2_XXS, 256>(row, n_elems, out); return;
    case DType::kIQ2_XS: decode_block_row<BlockIQ2_XS, 256>(row, n_elems, out); return;
    case DType::kIQ2_S: decode_block_row<BlockIQ2_S, 256>(row, n_elems, out); return;
    case DType::kIQ3_XXS: decode_block_row<BlockIQ3_XXS, 256>(row, n_elems, out); return;
    case DType::kIQ3_S: decode_block_row<BlockIQ3_S, 256>(row, n_elems, out); return;
    case DType::kF8E4M3: {
      const float scale = f16_to_f32(load_block<std::uint16_t>(row + n_elems));
      for (std::uint64_t i = 0; i < n_elems; ++i) out[i] = scale * e4m3_to_f32(std::to_integer<std::uint8_t>(row[i]));
      return;
    }
  }
}

// As decode_row(), of a cache row whose codes are shifted: Q4_0 only, the others have no shift.
inline void decode_shifted_row(DType dtype, const std::byte* row, std::uint64_t n_elems, float shift, float* out) {
  decode_row(dtype, row, n_elems, out);
  if (dtype != DType::kQ4_0) return;
  for (std::uint64_t i = 0; i < n_elems; ++i)
    out[i] += shift * f16_to_f32(load_block<std::uint16_t>(row + i / 32 * sizeof(BlockQ4_0)));
}

}  // namespace headroom
