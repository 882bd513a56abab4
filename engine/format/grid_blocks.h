// Blocks of IQ3, IQ2 and IQ1 read and written a group of 32 elements at a time, alike for all of them.
#pragma once

#include <bit>
#include <iterator>

#include "format/blocks.h"
#include "format/grids.h"

namespace headroom {

// An element is (block's scale) * kFactor * (2 * scales[half] + 1) * value.
struct GridGroup {
  std::uint16_t indices[8] = {};  // of points; where they have eight elements, four of them
  std::uint32_t signs = 0;        // bit i: of element i
  std::uint8_t scales[2] = {};    // of elements 0-15 and 16-31
};

// What points a format has, and whether the halves of a group have scales of their own.
template <int kElemsOfPoint, bool kScalesHalves, int kLargestScale, auto& kGridOfFormat, auto& kValuesOfFormat>
struct GridPoints {
  static constexpr int kElems = kElemsOfPoint, kPoints = 2 * std::size(kGridOfFormat), kMostScale = kLargestScale;
  static constexpr bool kHasHalves = kScalesHalves;
  static constexpr const std::uint32_t* kGrid = kGridOfFormat;
  static constexpr const std::int8_t (&kValues)[16] = kValuesOfFormat;
};
template <class Block>
struct GridFormat;
template <>
struct GridFormat<BlockIQ3_XXS> : GridPoints<4, false, 15, kIq3XxsGrid, kIq3XxsValues> {
  static constexpr float kFactor = 0.25F;
};
template <>
struct GridFormat<BlockIQ3_S> : GridPoints<4, false, 15, kIq3SGrid, kIq3SValues> {
  static constexpr float kFactor = 1;
};
template <>
struct GridFormat<BlockIQ2_XXS> : GridPoints<8, false, 15, kIq2XxsGrid, kIq2Values> {
  static constexpr float kFactor = 0.125F;
};
template <>
struct GridFormat<BlockIQ2_XS> : GridPoints<8, true, 15, kIq2XsGrid, kIq2Values> {
  static constexpr float kFactor = 0.125F;
};
template <>
struct GridFormat<BlockIQ2_S> : GridPoints<8, true, 15, kIq2SGrid, kIq2Values> {
  static constexpr float kFactor = 0.125F;
};
template <>
struct GridFormat<BlockIQ1_S> : GridPoints<8, false, 7, kIq1Grid, kIq1Values> {
  static constexpr float kFactor = 0.125F;
};
template <>
struct GridFormat<BlockIQ1_M> : GridPoints<8, true, 7, kIq1Grid, kIq1Values> {
  static constexpr float kFactor = 0.125F;
};

// Seven signs of eight: their number is even.
constexpr std::uint32_t eight_signs(std::uint32_t seven) {
  return seven | (static_cast<std::uint32_t>(std::popcount(seven)) & 1U) << 7;
}
constexpr std::uint32_t signs_of_word(std::uint32_t word) {
  std::uint32_t signs = 0;
  for (int i = 0; i < 4; ++i) signs |= eight_signs((word >> (7 * i)) & 127U) << (8 * i);
  return signs;
}
constexpr std::uint32_t word_of_signs(std::uint32_t signs) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word |= ((signs >> (8 * i)) & 127U) << (7 * i);
  return word;
}

inline std::uint32_t load_word(const std::uint8_t* from) {
  std::uint32_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}
inline void store_word(std::uint32_t word, std::uint8_t* to) { std::memcpy(to, &word, sizeof word); }
// Number i of numbers of kBits, in bytes.
template <int kBits>
std::uint32_t packed_number(const std::uint8_t* from, int i) {
  return (from[i * kBits / 8] >> (i * kBits % 8)) & ((1U << kBits) - 1);
}
template <int kBits>
void put_packed_number(std::uint8_t* to, int i, std::uint32_t number) {
  std::uint8_t& byte = to[i * kBits / 8];
  byte = static_cast<std::uint8_t>((byte & ~(((1U << kBits) - 1) << (i * kBits % 8))) | number << (i * kBits % 8));
}

inline GridGroup grid_group(const BlockIQ3_XXS& block, int group) {
  GridGroup out;
  for (int i = 0; i < 8; ++i) out.indices[i] = block.quants[8 * group + i];
  const std::uint32_t word = load_word(block.signs_and_scales + std::ptrdiff_t{4} * group);
  out.signs = signs_of_word(word);
  out.scales[0] = out.scales[1] = static_cast<std::uint8_t>(word >> 28);
  return out;
}
inline void put_grid_group(const GridGroup& in, int group, BlockIQ3_XXS& block) {
  for (int i = 0; i < 8; ++i) block.quants[8 * group + i] = static_cast<std::uint8_t>(in.indices[i]);
  store_word(word_of_signs(in.signs) | std::uint32_t{in.scales[0]} << 28,
             block.signs_and_scales + std::ptrdiff_t{4} * group);
}

inline GridGroup grid_group(const BlockIQ3_S& block, int group) {
  GridGroup out;
  for (int i = 0; i < 8; ++i)
    out.indices[i] = static_cast<std::uint16_t>(block.quants[8 * group + i] | ((block.high_bits[group] >> i) & 1) << 8);
  out.signs = load_word(block.signs + std::ptrdiff_t{4} * group);
  out.scales[0] = out.scales[1] = static_cast<std::uint8_t>(packed_number<4>(block.scales, group));
  return out;
}
inline void put_grid_group(const GridGroup& in, int group, BlockIQ3_S& block) {
  for (int i = 0; i < 8; ++i) {
    block.quants[8 * group + i] = static_cast<std::uint8_t>(in.indices[i]);
    put_packed_number<1>(block.high_bits, 8 * group + i, in.indices[i] >> 8);
  }
  store_word(in.signs, block.signs + std::ptrdiff_t{4} * group);
  put_packed_number<4>(block.scales, group, in.scales[0]);
}

inline GridGroup grid_group(const BlockIQ2_XXS& block, int group) {
  GridGroup out;
  const std::uint8_t* from = block.quants + std::ptrdiff_t{8} * group;
  for (int i = 0; i < 4; ++i) out.indices[i] = from[i];
  const std::uint32_t word = load_word(from + 4);
  out.signs = signs_of_word(word);
  out.scales[0] = out.scales[1] = static_cast<std::uint8_t>(word >> 28);
  return out;
}
inline void put_grid_group(const GridGroup& in, int group, BlockIQ2_XXS& block) {
  std::uint8_t* to = block.quants + std::ptrdiff_t{8} * group;
  for (int i = 0; i < 4; ++i) to[i] = static_cast<std::uint8_t>(in.indices[i]);
  store_word(word_of_signs(in.signs) | std::uint32_t{in.scales[0]} << 28, to + 4);
}

inline GridGroup grid_group(const BlockIQ2_XS& block, int group) {
  GridGroup out;
  for (int i = 0; i < 4; ++i) {
    const std::uint16_t both = block.quants[4 * group + i];
    out.indices[i] = both & 511U;
    out.signs |= eight_signs(both >> 9) << (8 * i);
  }
  for (int half = 0; half < 2; ++half)
    out.scales[half] = static_cast<std::uint8_t>(packed_number<4>(block.scales, 2 * group + half));
  return out;
}
inline void put_grid_group(const GridGroup& in, int group, BlockIQ2_XS& block) {
  for (int i = 0; i < 4; ++i)
    block.quants[4 * group + i] = static_cast<std::uint16_t>(in.indices[i] | ((in.signs >> (8 * i)) & 127U) << 9);
  for (int half = 0; half < 2; ++half) put_packed_number<4>(block.scales, 2 * group + half, in.scales[half]);
}

inline GridGroup grid_group(const BlockIQ2_S& block, int group) {
  GridGroup out;
  for (int i = 0; i < 4; ++i) {
    const int at = 4 * group + i;
    out.indices[i] = static_cast<std::uint16_t>(block.quants[at] | packed_number<2>(block.high_bits, at) << 8);
  }
  out.signs = load_word(block.signs + std::ptrdiff_t{4} * group);
  for (int half = 0; half < 2; ++half)
    out.scales[half] = static_cast<std::uint8_t>(packed_number<4>(block.scales, 2 * group + half));
  return out;
}
inline void put_grid_group(const GridGroup& in, int group, BlockIQ2_S& block) {
  for (int i = 0; i < 4; ++i) {
    const int at = 4 * group + i;
    block.quants[at] = static_cast<std::uint8_t>(in.indices[i]);
    put_packed_number<2>(block.high_bits, at, in.indices[i] >> 8);
  }
  store_word(in.signs, block.signs + std::ptrdiff_t{4} * group);
  for (int half = 0; half < 2; ++half) put_packed_number<4>(block.scales, 2 * group + half, in.scales[half]);
}

inline GridGroup grid_group(const BlockIQ1_S& block, int group) {
  GridGroup out;
  const unsigned high = block.high_bits[group];
  for (int i = 0; i < 4; ++i)
    out.indices[i] = static_cast<std::uint16_t>(block.quants[4 * group + i] | ((high >> (3 * i)) & 7) << 8);
  out.signs = (high >> 15) != 0 ? ~0U : 0U;
  out.scales[0] = out.scales[1] = static_cast<std::uint8_t>((high >> 12) & 7);
  return out;
}
inline void put_grid_group(const GridGroup& in, int group, BlockIQ1_S& block) {
  unsigned high = in.scales[0] << 12U | (in.signs & 1U) << 15;
  for (int i = 0; i < 4; ++i) {
    block.quants[4 * group + i] = static_cast<std::uint8_t>(in.indices[i]);
    high |= (in.indices[i] >> 8U) << (3 * i);
  }
  block.high_bits[group] = static_cast<std::uint16_t>(high);
}

// The scale of all 256 elements: four bits in each of four words.
inline std::uint16_t block_scale(const BlockIQ1_M& block) {
  unsigned scale = 0;
  for (int i = 0; i < 4; ++i) scale |= (block.scales[i] >> 12U) << (4 * i);
  return static_cast<std::uint16_t>(scale);
}
inline void put_block_scale(std::uint16_t scale, BlockIQ1_M& block) {
  for (int i = 0; i < 4; ++i)
    block.scales[i] = static_cast<std::uint16_t>((block.scales[i] & 0xFFFU) | ((scale >> (4 * i)) & 15U) << 12);
}
template <class Block>
std::uint16_t block_scale(const Block& block) {
  return block.scale;
}
template <class Block>
void put_block_scale(std::uint16_t scale, Block& block) {
  block.scale = scale;
}

inline GridGroup grid_group(const BlockIQ1_M& block, int group) {
  GridGroup out;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t high = packed_number<4>(block.high_bits, 4 * group + i);
    out.indices[i] = static_cast<std::uint16_t>(block.quants[4 * group + i] | (high & 7U) << 8);
    if (high >= 8) out.signs |= 255U << (8 * i);
  }
  for (int half = 0; half < 2; ++half)
    out.scales[half] = static_cast<std::uint8_t>((block.scales[group / 2] >> (group % 2 * 6 + half * 3)) & 7);
  return out;
}
inline void put_grid_group(const GridGroup& in, int group, BlockIQ1_M& block) {
  for (int i = 0; i < 4; ++i) {
    block.quants[4 * group + i] = static_cast<std::uint8_t>(in.indices[i]);
    put_packed_number<4>(block.high_bits, 4 * group + i, in.indices[i] >> 8U | ((in.signs >> (8 * i)) & 1U) << 3);
  }
  for (int half = 0; half < 2; ++half) {
    const int shift = group % 2 * 6 + half * 3;
    block.scales[group / 2] = static_cast<std::uint16_t>((block.scales[group / 2] & ~(7U << shift)) |
                                                         std::uint32_t{in.scales[half]} << shift);
  }
}

}  // namespace headroom
