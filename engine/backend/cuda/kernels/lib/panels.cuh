// Weights in panels: model/gpu_panel.h. A thread has one row of a panel. A format is a template parameter where a loop
// goes over groups, so that nothing is decided within.
#pragma once

#include "lib/numbers.cuh"

namespace headroom::cuda {

inline constexpr u32 kPanelRows = 32, kGroup = 32, kBlockGroups = 8;

DEVICE constexpr bool is_block_format(u32 type) { return type >= kQ8_0; }

DEVICE constexpr u32 group_units(u32 type) {
  return type == kF32 ? 8 : type == kF16 || type == kBF16 ? 4 : type == kQ8_0 ? 2 : 1;
}

// Where the planes of a row begin; unit u of a plane stands at plane[u * kPanelRows].
struct PanelRow {
  const uint4 *codes, *highs, *headers, *scales;
};

DEVICE std::uint64_t panel_units(u32 type, u32 n_groups) {
  const u32 n_blocks = divide_up(n_groups, kBlockGroups);
  const u32 n_highs = type == kQ5_K ? 2 * n_blocks : type == kQ6_K ? 4 * n_blocks : 0;
  const u32 n_headers = is_block_format(type) ? n_blocks : 0, n_scales = type == kQ6_K ? divide_up(n_blocks, 8) : 0;
  return std::uint64_t{n_groups * group_units(type) + n_highs + n_headers + n_scales} * kPanelRows;
}

DEVICE PanelRow panel_row(u32 type, const uint4* matrix, u32 panel, u32 lane, u32 n_groups) {
  const u32 n_blocks = divide_up(n_groups, kBlockGroups);
  PanelRow row;
  row.codes = matrix + panel * panel_units(type, n_groups) + lane;
  row.highs = row.codes + n_groups * group_units(type) * kPanelRows;
  row.headers = row.highs + (type == kQ5_K ? 2 * n_blocks : type == kQ6_K ? 4 * n_blocks : 0) * kPanelRows;
  row.scales = row.headers + (is_block_format(type) ? n_blocks : 0) * kPanelRows;
  return row;
}

// Units of a block in the plane of codes, and in that of higher bits.
DEVICE constexpr u32 block_units(u32 type) { return kBlockGroups * group_units(type); }
DEVICE constexpr u32 block_highs(u32 type) { return type == kQ5_K ? 2 : type == kQ6_K ? 4 : 0; }

// The row from a block on: its codes, higher bits and header; the scales of Q6_K stand for eight blocks together.
template <u32 kType>
DEVICE PanelRow row_at(const PanelRow& row, u32 block) {
  return {row.codes + block * block_units(kType) * kPanelRows, row.highs + block * block_highs(kType) * kPanelRows,
          row.headers + block * kPanelRows, row.scales};
}

// Asks for the first block of a row, but for the scales of Q6_K.
template <u32 kType>
DEVICE void prefetch_block(const PanelRow& row) {
  prefetch_l2(row.headers);
#pragma unroll
  for (u32 unit = 0; unit < block_units(kType); ++unit) prefetch_l2(row.codes + unit * kPanelRows);
  if constexpr (block_highs(kType) > 0) {
#pragma unroll
    for (u32 unit = 0; unit < block_highs(kType); ++unit) prefetch_l2(row.highs + unit * kPanelRows);
  }
}

DEVICE u32 word_of(const uint4& unit, u32 i) { return i == 0 ? unit.x : i == 1 ? unit.y : i == 2 ? unit.z : unit.w; }

// What a block has for its groups.
struct Block {
  uint4 header;
  float scale;  // Q6_K
};

// `at`: the row from the block on.
template <u32 kType>
DEVICE Block read_block_at(const PanelRow& at, u32 block) {
  Block result{};
  if constexpr (is_block_format(kType)) result.header = load_stream(at.headers);
  if constexpr (kType == kQ6_K) {
    const uint4 eight = load_stream(at.scales + block / 8 * kPanelRows);
    result.scale = half_of_word(word_of(eight, block % 8 / 2), block % 2 == 1);
  }
  return result;
}

template <u32 kType>
DEVICE Block read_block(const PanelRow& row, u32 block) {
  return read_block_at<kType>(row_at<kType>(row, block), block);
}

// The first 16 codes of a group are multiplied with `low` and `low_added` is added, the last 16 with the others.
struct Factors {
  float low, high, low_added, high_added;
};

template <u32 kType>
DEVICE Factors group_factors(const Block& block, u32 in_block) {
  if constexpr (kType == kQ8_0 || kType == kQ4_0) {
    const float scale = half_of_word(word_of(block.header, in_block / 2), in_block % 2 == 1);
    const float added = kType == kQ4_0 ? -8 * scale : 0;
    return {scale, scale, added, added};
  }
  if constexpr (kType == kQ6_K) {
    const u32 word = word_of(block.header, in_block / 2) >> (in_block % 2 * 16);
    const float low = block.scale * signed_byte(word, 0), high = block.scale * signed_byte(word, 1);
    return {low, high, -32 * low, -32 * high};
  }
  if constexpr (kType == kQ4_K || kType == kQ5_K) {
    // The packed bytes of group_scale_min(), four groups at once.
    u32 scales = block.header.y & 0x3F3F3F3FU, minima = block.header.z & 0x3F3F3F3FU;
    if (in_block >= 4) {
      scales = (block.header.w & 0x0F0F0F0FU) | ((block.header.y >> 2) & 0x30303030U);
      minima = ((block.header.w >> 4) & 0x0F0F0F0FU) | ((block.header.z >> 2) & 0x30303030U);
    }
    const float scale = half_of_word(block.header.x, false) * plain_byte(scales, in_block % 4);
    const float added = -half_of_word(block.header.x, true) * plain_byte(minima, in_block % 4);
    return {scale, scale, added, added};
  }
  return {1, 1, 0, 0};
}

// The codes of a group of a block format.
struct Codes {
  uint4 first, second;  // second: Q8_0
  u32 low_bits, high_bits;
};

template <u32 kType>
DEVICE Codes read_codes(const PanelRow& row, u32 group) {
  Codes codes{};
  codes.first = load_stream(row.codes + group * group_units(kType) * kPanelRows);
  if constexpr (kType == kQ8_0) codes.second = load_stream(row.codes + (2 * group + 1) * kPanelRows);
  if constexpr (kType == kQ5_K) codes.low_bits = word_of(load_stream(row.highs + group / 4 * kPanelRows), group % 4);
  if constexpr (kType == kQ6_K) {
    const uint4 both = load_stream(row.highs + group / 2 * kPanelRows);
    codes.low_bits = group % 2 == 0 ? both.x : both.z;
    codes.high_bits = group % 2 == 0 ? both.y : both.w;
  }
  return codes;
}

// Four codes of a byte each, those of elements 4 w to 4 w + 3; signed in Q8_0.
template <u32 kType>
DEVICE u32 code_word(const Codes& codes, u32 w) {
  if constexpr (kType == kQ8_0) return w < 4 ? word_of(codes.first, w) : word_of(codes.second, w - 4);
  u32 word = (word_of(codes.first, w % 4) >> (w < 4 ? 0 : 4)) & 0x0F0F0F0FU;
  if constexpr (kType == kQ5_K) word |= ((codes.low_bits >> w) & 0x01010101U) << 4;
  if constexpr (kType == kQ6_K)
    word |= (((w < 4 ? codes.low_bits : codes.high_bits) >> (2 * (w % 4))) & 0x03030303U) << 4;
  return word;
}

// Four elements of a group of a plain format.
template <u32 kType>
DEVICE Four plain_elems(const PanelRow& row, u32 group, u32 w) {
  Four elems;
  if constexpr (kType == kF32) {
    const uint4 unit = load_stream(row.codes + (8 * group + w) * kPanelRows);
    for (u32 i = 0; i < 4; ++i) elems.of[i] = float_of(word_of(unit, i));
  } else {
    const uint4 unit = load_stream(row.codes + (4 * group + w / 2) * kPanelRows);
    for (u32 i = 0; i < 4; ++i) {
      const u32 word = w % 2 == 0 ? (i < 2 ? unit.x : unit.y) : (i < 2 ? unit.z : unit.w);
      const u32 bits = i % 2 == 0 ? word & 0xFFFFU : word >> 16;
      elems.of[i] = kType == kBF16 ? float_of(bits << 16) : half_to_float(static_cast<std::uint16_t>(bits));
    }
  }
  return elems;
}

// Four elements of a row, those of word w of a group.
template <u32 kType>
DEVICE Four row_elems(const PanelRow& row, u32 group, u32 w) {
  if constexpr (!is_block_format(kType)) {
    return plain_elems<kType>(row, group, w);
  } else {
    const Factors factors = group_factors<kType>(read_block<kType>(row, group / kBlockGroups), group % kBlockGroups);
    const u32 codes = code_word<kType>(read_codes<kType>(row, group), w);
    const float factor = w < 4 ? factors.low : factors.high, added = w < 4 ? factors.low_added : factors.high_added;
    Four elems;
    for (u32 i = 0; i < 4; ++i)
      elems.of[i] = factor * (kType == kQ8_0 ? signed_byte(codes, i) : plain_byte(codes, i)) + added;
    return elems;
  }
}

// Calls f with the format as a compile-time number: all threads of a warp have the same.
template <class F>
DEVICE void with_block_type(u32 type, F f) {
  switch (type) {
    case kQ8_0: f.template operator()<kQ8_0>(); return;
    case kQ4_0: f.template operator()<kQ4_0>(); return;
    case kQ4_K: f.template operator()<kQ4_K>(); return;
    case kQ5_K: f.template operator()<kQ5_K>(); return;
    case kQ6_K: f.template operator()<kQ6_K>(); return;
    default: return;
  }
}

template <class F>
DEVICE void with_type(u32 type, F f) {
  switch (type) {
    case kF32: f.template operator()<kF32>(); return;
    case kF16: f.template operator()<kF16>(); return;
    case kBF16: f.template operator()<kBF16>(); return;
    default: break;
  }
  with_block_type(type, f);
}

}  // namespace headroom::cuda
