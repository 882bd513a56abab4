// The quantized blocks as they stand in files and caches: plain bytes, little-endian, no padding.
// Source: the block layouts of the GGUF tensor types (ggml).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

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

// NOLINTEND(readability-identifier-naming)

static_assert(sizeof(BlockQ8_0) == 34 && alignof(BlockQ8_0) == 2);
static_assert(sizeof(BlockQ4_0) == 18);
static_assert(sizeof(BlockQ4_K) == 144);
static_assert(sizeof(BlockQ5_K) == 176);
static_assert(sizeof(BlockQ6_K) == 210);

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

}  // namespace headroom
