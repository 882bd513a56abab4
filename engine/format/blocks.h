// The quantized blocks as they stand in files and caches: plain bytes, little-endian, no padding.
// Source: the block layouts of the GGUF tensor types (ggml).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "format/code_values.h"

namespace headroom {

// Rows in a file need not be aligned for the blocks in them, so a block is copied out before it is read.
template <class Block>
Block load_block(const std::byte* bytes) {
  static_assert(std::is_trivially_copyable_v<Block>);
  Block block;
  std::memcpy(&block, bytes, sizeof(Block));
  return block;
}

// NOLINTBEGIN(readability-identifier-naming): the names of the formats.
// Scales are f16 bit patterns. Element order: "halves" means that byte i holds element i (low nibble) and i + half
// (high nibble).

struct BlockQ8_0 {  // 32 elements: scale * quants[i]
  std::uint16_t scale;
  std::int8_t quants[32];
};

struct BlockQ4_0 {  // 32 elements: scale * (nibble - 8), halves of 16
  std::uint16_t scale;
  std::uint8_t quants[16];
};

struct BlockQ4_1 {  // 32 elements: scale * nibble + min, halves of 16
  std::uint16_t scale, min;
  std::uint8_t quants[16];
};

// As Q4_0 and Q4_1 with a fifth bit: bit i of high_bits belongs to element i. Q5_0: scale * (five bits - 16).
struct BlockQ5_0 {
  std::uint16_t scale;
  std::uint8_t high_bits[4];
  std::uint8_t quants[16];
};
struct BlockQ5_1 {
  std::uint16_t scale, min;
  std::uint8_t high_bits[4];
  std::uint8_t quants[16];
};

// 256 elements in 16 groups of 16: (scale * group_scale) * two bits - (min_scale * group_min); scales[g] holds the
// scale of its group in the low four bits, the min in the upper ones. Per half of 128 elements 32 bytes, of 2 bits for
// each of elements i, i + 32, i + 64, i + 96.
struct BlockQ2_K {
  std::uint8_t scales[16];
  std::uint8_t quants[64];
  std::uint16_t scale, min_scale;
};

// 256 elements in 16 groups of 16: (scale * (group_scale - 32)) * (three bits - 4); the low two bits are those of Q2_K,
// the third bit of element i of part p (of 32) is bit p of high_bits[i].
struct BlockQ3_K {
  std::uint8_t high_bits[32];
  std::uint8_t quants[64];
  std::uint8_t scales[12];  // 16 scales of 6 bits: see six_bit_scale()
  std::uint16_t scale;
};

// 256 elements in 8 groups of 32: (scale * group_scale) * nibble - (min_scale * group_min). Each 32 bytes of quants
// hold two groups, low nibbles first.
struct BlockQ4_K {
  std::uint16_t scale, min_scale;
  std::uint8_t scales[12];  // 8 group scales and 8 group mins of 6 bits: see group_scale_min()
  std::uint8_t quants[128];
};

// As Q4_K with a fifth bit: high_bits[i] bit g belongs to element i of group g.
struct BlockQ5_K {
  std::uint16_t scale, min_scale;
  std::uint8_t scales[12];
  std::uint8_t high_bits[32];
  std::uint8_t quants[128];
};

// 256 elements in 16 groups of 16: (scale * scales[g]) * (six bits - 32). Per half of 128 elements: 64 low bytes, 32
// high bytes (2 bits for each of elements i, i + 32, i + 64, i + 96).
struct BlockQ6_K {
  std::uint8_t low_bits[128];
  std::uint8_t high_bits[64];
  std::int8_t scales[16];
  std::uint16_t scale;
};

struct BlockIQ4_NL {  // 32 elements: scale * kIq4Values[nibble], halves of 16
  std::uint16_t scale;
  std::uint8_t quants[16];
};

// 256 elements in 8 groups of 32, each as a block of IQ4_NL whose scale is scale * (group_scale - 32).
struct BlockIQ4_XS {
  std::uint16_t scale;
  std::uint16_t scales_high;   // 2 bits a group, the first group's lowest
  std::uint8_t scales_low[4];  // 4 bits a group, low nibble first
  std::uint8_t quants[128];
};

struct BlockMXFP4 {       // 32 elements: 2^(exponent - 128) * kFp4Values[nibble], halves of 16
  std::uint8_t exponent;  // E8M0 (OCP microscaling formats)
  std::uint8_t quants[16];
};

// Formats whose groups of elements are points of a grid, with signs beside it: format/grid_blocks.h reads them. 256
// elements in 8 groups of 32; indices are the low eight bits where there are more.
struct BlockIQ3_XXS {
  std::uint16_t scale;
  std::uint8_t quants[64];            // indices of points of 4 elements
  std::uint8_t signs_and_scales[32];  // a word a group: four times 7 signs, then the group's scale
};
struct BlockIQ3_S {
  std::uint16_t scale;
  std::uint8_t quants[64];
  std::uint8_t high_bits[8];  // the ninth bits of indices
  std::uint8_t signs[32];     // a bit an element
  std::uint8_t scales[4];     // 4 bits a group
};
struct BlockIQ2_XXS {
  std::uint16_t scale;
  std::uint8_t
      quants[64];  // two words a group: four indices of points of 8 elements, then as signs_and_scales of IQ3_XXS
};
struct BlockIQ2_XS {
  std::uint16_t scale;
  std::uint16_t quants[32];  // 9 bits of an index, then 7 signs
  std::uint8_t scales[8];    // 4 bits for 16 elements
};
struct BlockIQ2_S {
  std::uint16_t scale;
  std::uint8_t quants[32];
  std::uint8_t signs[32];
  std::uint8_t high_bits[8];  // 2 bits an index
  std::uint8_t scales[8];
};
struct BlockIQ1_S {
  std::uint16_t scale;
  std::uint8_t quants[32];
  std::uint16_t high_bits[8];  // a group's: 3 bits an index, the group's scale (3 bits), and whether its shift is down
};
struct BlockIQ1_M {
  std::uint8_t quants[32];
  std::uint8_t high_bits[16];  // 4 bits an index: 3 of it, and whether the shift of its 8 elements is down
  std::uint16_t scales[4];     // 3 bits for 16 elements, and 4 of the block's scale above them
};

// NOLINTEND(readability-identifier-naming)

static_assert(sizeof(BlockQ8_0) == 34 && alignof(BlockQ8_0) == 2);
static_assert(sizeof(BlockQ4_0) == 18);
static_assert(sizeof(BlockQ4_1) == 20 && sizeof(BlockQ5_0) == 22 && sizeof(BlockQ5_1) == 24);
static_assert(sizeof(BlockQ2_K) == 84 && sizeof(BlockQ3_K) == 110);
static_assert(sizeof(BlockQ4_K) == 144);
static_assert(sizeof(BlockQ5_K) == 176);
static_assert(sizeof(BlockQ6_K) == 210);
static_assert(sizeof(BlockIQ4_NL) == 18 && sizeof(BlockIQ4_XS) == 136 && sizeof(BlockMXFP4) == 17);
static_assert(sizeof(BlockIQ3_XXS) == 98 && sizeof(BlockIQ3_S) == 110);
static_assert(sizeof(BlockIQ2_XXS) == 66 && sizeof(BlockIQ2_XS) == 74 && sizeof(BlockIQ2_S) == 82);
static_assert(sizeof(BlockIQ1_S) == 50 && sizeof(BlockIQ1_M) == 56);

// A FP8 cache row of n elements is n E4M3 bytes, then one f16 scale at byte n.

// Scale and min of group 0..7 from the 12 packed bytes: groups 0-3 have whole bytes (low 6 bits), groups 4-7 take 4
// bits from the last 4 bytes and their top 2 bits from the first 8.
struct GroupScaleMin {
  std::uint8_t scale, min;
};
inline GroupScaleMin group_scale_min(const std::uint8_t (&packed)[12], int group) {
  if (group < 4)
    return {static_cast<std::uint8_t>(packed[group] & 63), static_cast<std::uint8_t>(packed[group + 4] & 63)};
  return {static_cast<std::uint8_t>((packed[group + 4] & 15) | ((packed[group - 4] >> 6) << 4)),
          static_cast<std::uint8_t>((packed[group + 4] >> 4) | ((packed[group] >> 6) << 4))};
}

// Scale 0..15 of Q3_K from the 12 packed bytes: low four bits in the first 8 bytes (scale g and g + 8 share one), two
// more in the last 4 (scales g, g + 4, g + 8, g + 12 share one).
inline std::uint8_t six_bit_scale(const std::uint8_t (&packed)[12], int group) {
  return static_cast<std::uint8_t>(((packed[group % 8] >> (group / 8 * 4)) & 15) |
                                   (((packed[8 + group % 4] >> (group / 4 * 2)) & 3) << 4));
}

// Scale 0..7 of IQ4_XS.
inline std::uint8_t group_scale(const BlockIQ4_XS& block, int group) {
  return static_cast<std::uint8_t>(((block.scales_low[group / 2] >> (group % 2 * 4)) & 15) |
                                   (((block.scales_high >> (2 * group)) & 3) << 4));
}

}  // namespace headroom
