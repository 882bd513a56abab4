// Weights in panels: model/gpu_panel.h. A thread has one row of a panel. A format is a template parameter where a loop
// goes over groups, so that nothing is decided within.
#pragma once

#include "format/code_values.h"
#include "lib/grids.cuh"
#include "lib/numbers.cuh"
#include "model/gpu_planes.h"

namespace headroom::cuda {

inline constexpr u32 kPanelRows = 32, kGroup = 32, kBlockGroups = 8;

DEVICE constexpr bool is_block_format(u32 type) { return type >= kQ8_0; }

template <u32 kType>
inline constexpr GpuPlanes kPlanes = gpu_planes(static_cast<DType>(kType));

// Whether the first 16 elements of a group have another scale than the last 16.
DEVICE constexpr bool has_halves(u32 type) {
  return type == kQ2_K || type == kQ3_K || type == kQ6_K || type == kIQ2_XS || type == kIQ2_S || type == kIQ1_M;
}

// A field of kPlanes for a format that is known only when the kernel runs: four bits for each, so that neither memory
// nor a jump is needed.
struct PackedPlanes {
  std::uint64_t first = 0, second = 0;  // of sixteen formats each
};
DEVICE constexpr PackedPlanes packed_planes(auto field) {
  PackedPlanes packed;
  for (u32 type = 0; type < kFp8; ++type)
    (type < 16 ? packed.first : packed.second) |= std::uint64_t{field(gpu_planes(static_cast<DType>(type)))}
                                                  << (type % 16 * 4);
  return packed;
}
// Of powers of two, and 0, how many bits they have.
DEVICE constexpr u32 bit_length(u32 number) { return number == 0 ? 0 : 1 + bit_length(number / 2); }
inline constexpr PackedPlanes kHalfCodes = packed_planes([](GpuPlanes of) { return bit_length(of.half_codes); }),
                              kHighs = packed_planes([](GpuPlanes of) { return of.highs; }),
                              kHeaders = packed_planes([](GpuPlanes of) { return of.headers; }),
                              kScaleShift = packed_planes([](GpuPlanes of) { return of.scale_shift; });
DEVICE GpuPlanes planes_of(u32 type) {
  const auto field = [&](std::uint64_t first, std::uint64_t second) {
    return static_cast<u32>((type < 16 ? first : second) >> (type % 16 * 4)) & 15U;
  };
  return {(1U << field(kHalfCodes.first, kHalfCodes.second)) / 2, field(kHighs.first, kHighs.second),
          field(kHeaders.first, kHeaders.second), field(kScaleShift.first, kScaleShift.second),
          type == kIQ2_XS ? 1U : 0U};
}

// Where the planes of a row begin; unit u of a plane stands at plane[u * kPanelRows].
struct PanelRow {
  const uint4 *codes, *highs, *headers, *scales;
};

DEVICE u32 code_units(const GpuPlanes& planes, u32 n_groups) { return n_groups * planes.half_codes / 2; }

DEVICE u32 header_units(const GpuPlanes& planes, u32 n_blocks) {
  return planes.headers * ((n_blocks + planes.header_shift) >> planes.header_shift);
}

DEVICE std::uint64_t panel_units(const GpuPlanes& planes, u32 n_groups) {
  const u32 n_blocks = divide_up(n_groups, kBlockGroups);
  const u32 n_scales = planes.scale_shift == 0 ? 0 : ((n_blocks - 1) >> planes.scale_shift) + 1;
  return std::uint64_t{code_units(planes, n_groups) + planes.highs * n_blocks + header_units(planes, n_blocks) +
                       n_scales} *
         kPanelRows;
}

DEVICE PanelRow panel_row(u32 type, const uint4* matrix, u32 panel, u32 lane, u32 n_groups) {
  const GpuPlanes planes = planes_of(type);
  const u32 n_blocks = divide_up(n_groups, kBlockGroups);
  PanelRow row;
  row.codes = matrix + panel * panel_units(planes, n_groups) + lane;
  row.highs = row.codes + code_units(planes, n_groups) * kPanelRows;
  row.headers = row.highs + planes.highs * n_blocks * kPanelRows;
  row.scales = row.headers + header_units(planes, n_blocks) * kPanelRows;
  return row;
}

// Units of a block in the plane of codes.
template <u32 kType>
inline constexpr u32 kBlockCodes = kBlockGroups* kPlanes<kType>.half_codes / 2;

// The row from a block on: its codes, higher bits and headers; what several blocks share stays where it is.
template <u32 kType>
DEVICE PanelRow row_at(const PanelRow& row, u32 block) {
  constexpr GpuPlanes kOf = kPlanes<kType>;
  return {row.codes + block * kBlockCodes<kType> * kPanelRows, row.highs + block * kOf.highs * kPanelRows,
          row.headers + (kOf.header_shift == 0 ? block * kOf.headers * kPanelRows : 0), row.scales};
}

// The header of a block. `at`: the row from the block on.
template <u32 kType>
DEVICE const uint4* block_header(const PanelRow& at, u32 block) {
  constexpr u32 kShift = kPlanes<kType>.header_shift;
  return at.headers + (kShift == 0 ? 0 : (block >> kShift) * kPanelRows);
}

template <u32 kUnits>
DEVICE void prefetch_units(const uint4* plane) {
  if constexpr (kUnits > 0) {
#pragma unroll
    for (u32 unit = 0; unit < kUnits; ++unit) prefetch_l2(plane + unit * kPanelRows);
  }
}

// Asks for a block. `at`: the row from the block on. Of eight blocks that share a unit of scales one waits for it, and
// the others find it in the cache: that is not asked for.
template <u32 kType>
DEVICE void prefetch_block(const PanelRow& at, u32 block) {
  constexpr GpuPlanes kOf = kPlanes<kType>;
  prefetch_units<kOf.headers>(block_header<kType>(at, block));
  prefetch_units<kBlockCodes<kType>>(at.codes);
  prefetch_units<kOf.highs>(at.highs);
  if constexpr (kOf.scale_shift == 1 || kOf.scale_shift == 2)
    prefetch_l2(at.scales + (block >> kOf.scale_shift) * kPanelRows);
}

DEVICE u32 word_of(const uint4& unit, u32 i) { return i == 0 ? unit.x : i == 1 ? unit.y : i == 2 ? unit.z : unit.w; }

// What a block has for its groups.
struct Block {
  uint4 header;  // IQ4_XS, MXFP4, IQ1_M: its 8 bytes of the plane of scales, in x and y; IQ2_XS: its 8 of the headers
  float scale;   // of the plane of scales; of Q2_K the bits of the word that has scale and scale of the minima
};

// `at`: the row from the block on.
template <u32 kType>
DEVICE Block read_block_at(const PanelRow& at, u32 block) {
  Block result{};
  if constexpr (kPlanes<kType>.headers == 1 && kType != kIQ1_M)
    result.header = load_stream(block_header<kType>(at, block));
  if constexpr (kType == kIQ2_XS)
    result.header =
        block % 2 == 0 ? uint4{result.header.x, result.header.y, 0, 0} : uint4{result.header.z, result.header.w, 0, 0};
  if constexpr (kPlanes<kType>.scale_shift > 0) {
    const uint4 unit = load_stream(at.scales + (block >> kPlanes<kType>.scale_shift) * kPanelRows);
    if constexpr (kPlanes<kType>.scale_shift == 3)
      result.scale = half_of_word(word_of(unit, block % 8 / 2), block % 2 == 1);
    else if constexpr (kType == kQ2_K)
      result.scale = float_of(word_of(unit, block % 4));
    else
      result.header = block % 2 == 0 ? uint4{unit.x, unit.y, 0, 0} : uint4{unit.z, unit.w, 0, 0};
  }
  return result;
}

template <u32 kType>
DEVICE Block read_block(const PanelRow& row, u32 block) {
  return read_block_at<kType>(row_at<kType>(row, block), block);
}

// The codes of a group of a block format.
struct Codes {
  uint4 first, second;  // second: Q8_0; first.x: a word of the plane of highs, of IQ3 and Q3_K
  // Of the first 16 elements, and of the last; Q5_0, Q5_1, Q5_K: low_bits of all. Of grids the words of indices, of IQ2
  // that of signs behind them.
  u32 low_bits, high_bits;
  u32 scale_and_min;  // Q4_1, Q5_1; IQ1_M: the group's bytes of the header
};

// The two bytes that each group has of a header, in the low half.
DEVICE u32 header_halves(const uint4& header, u32 in_block) {
  return word_of(header, in_block / 2) >> (in_block % 2 * 16);
}

template <u32 kType>
DEVICE Codes read_codes(const PanelRow& row, u32 group) {
  constexpr GpuPlanes kOf = kPlanes<kType>;
  Codes codes{};
  const auto put_pairs = [&](const uint4& two_groups) {
    codes.low_bits = group % 2 == 0 ? two_groups.x : two_groups.z;
    codes.high_bits = group % 2 == 0 ? two_groups.y : two_groups.w;
  };
  if constexpr (kOf.half_codes > 0) {
    const uint4 unit = load_stream(row.codes + group * kOf.half_codes / 2 * kPanelRows);
    if constexpr (kOf.half_codes == 1) {
      put_pairs(unit);
    } else {
      codes.first = unit;
    }
  }
  if constexpr (kType == kQ8_0) codes.second = load_stream(row.codes + (2 * group + 1) * kPanelRows);
  if constexpr (kOf.highs == 2) {
    const u32 bits = word_of(load_stream(row.highs + group / 4 * kPanelRows), group % 4);
    if constexpr (kOf.half_codes == 1)
      codes.first.x = bits;
    else
      codes.low_bits = bits;
  }
  if constexpr (kOf.highs == 4) put_pairs(load_stream(row.highs + group / 2 * kPanelRows));
  if constexpr (kOf.headers == 2)
    codes.scale_and_min = word_of(load_stream(row.headers + group / 4 * kPanelRows), group % 4);
  // Not with the block, which would take more registers of all formats where these are known only when the kernel runs.
  if constexpr (kType == kIQ1_M)
    codes.scale_and_min =
        header_halves(load_stream(row.headers + group / kBlockGroups * kPanelRows), group % kBlockGroups);
  return codes;
}

// What the sixteen codes of a format stand for, four in a word.
struct CodeValues {
  u32 words[4];
};
DEVICE constexpr CodeValues code_values_of(const std::int8_t (&values)[16]) {
  CodeValues packed{};
  for (u32 i = 0; i < 16; ++i) packed.words[i / 4] |= (static_cast<u32>(values[i]) & 255U) << (i % 4 * 8);
  return packed;
}
template <u32 kType>
inline constexpr CodeValues kCodeValues = code_values_of(kType == kMXFP4 ? kFp4Values : kIq4Values);

DEVICE constexpr bool has_code_values(u32 type) { return type == kIQ4_NL || type == kIQ4_XS || type == kMXFP4; }

// The values of eight codes, as signed bytes: those in the lower halves of the bytes of `word`, and those in the upper
// halves. A permutation chooses by the low three bits of a code among eight values, for the codes of two bytes at once;
// another one chooses between the two halves of the table by the fourth bit.
template <u32 kType>
DEVICE void put_values(u32 word, u32& of_lower, u32& of_upper) {
  constexpr CodeValues kValues = kCodeValues<kType>;
  const u32 places = word & 0x77777777U, tables = 0x32103210U | ((word & 0x88888888U) >> 1);
  u32 two_bytes[2];
#pragma unroll
  for (u32 i = 0; i < 2; ++i) {
    const u32 low = choose_bytes(kValues.words[0], kValues.words[1], places >> (16 * i)),
              high = choose_bytes(kValues.words[2], kValues.words[3], places >> (16 * i));
    two_bytes[i] = choose_bytes(low, high, tables >> (16 * i));
  }
  of_lower = choose_bytes(two_bytes[0], two_bytes[1], 0x6420U);
  of_upper = choose_bytes(two_bytes[0], two_bytes[1], 0x7531U);
}

template <u32 kType>
DEVICE GridGroup grid_group(const Block& block, const Codes& codes, u32 in_block) {
  if constexpr (kType == kIQ1_S) return {codes.low_bits, 0, header_halves(block.header, in_block), 0};
  if constexpr (kType == kIQ1_M) return {codes.low_bits, 0, codes.scale_and_min, 0};
  const u32 signs = is_iq3(kType) ? codes.first.x : codes.high_bits;
  const u32 of_header = (in_block < 4 ? block.header.x : block.header.y) >> (in_block % 4 * 8);
  if constexpr (kType == kIQ3_S) return {codes.low_bits, codes.high_bits, of_header, signs};
  if constexpr (kType == kIQ2_S) return {codes.low_bits, 0, of_header, signs};
  return {codes.low_bits, is_iq3(kType) ? codes.high_bits : 0, signs >> 28, with_eighth_signs(signs)};
}

// Four codes as signed bytes, those of elements 4 w to 4 w + 3.
template <u32 kType>
DEVICE u32 code_word(const Block& block, const Codes& codes, u32 in_block, u32 w) {
  if constexpr (is_grid_type(kType)) return grid_values<kType>(grid_group<kType>(block, codes, in_block), w);
  if constexpr (has_code_values(kType)) {
    u32 lower, upper;
    put_values<kType>(word_of(codes.first, w % 4), lower, upper);
    return w < 4 ? lower : upper;
  }
  if constexpr (kType == kQ8_0) return w < 4 ? word_of(codes.first, w) : word_of(codes.second, w - 4);
  // Not computed before the other bits: the compiler keeps the order, and for Q6_K has too few registers for that one.
  const auto pairs = [&] { return ((w < 4 ? codes.low_bits : codes.high_bits) >> (2 * (w % 4))) & 0x03030303U; };
  if constexpr (kType == kQ2_K) return pairs();
  if constexpr (kType == kQ3_K) return pairs() | ((codes.first.x >> w) & 0x01010101U) << 2;
  u32 word = (word_of(codes.first, w % 4) >> (w < 4 ? 0 : 4)) & 0x0F0F0F0FU;
  if constexpr (kType == kQ5_0 || kType == kQ5_1 || kType == kQ5_K) word |= ((codes.low_bits >> w) & 0x01010101U) << 4;
  if constexpr (kType == kQ6_K) word |= pairs() << 4;
  return word;
}

// All of a group.
template <u32 kType>
DEVICE void put_code_words(const Block& block, const Codes& codes, u32 in_block, u32 (&words)[8]) {
  if constexpr (is_grid_type(kType)) {
    const GridGroup group = grid_group<kType>(block, codes, in_block);
#pragma unroll
    for (u32 w = 0; w < 8; ++w) words[w] = grid_values<kType>(group, w);
  } else if constexpr (has_code_values(kType)) {
#pragma unroll
    for (u32 w = 0; w < 4; ++w) put_values<kType>(word_of(codes.first, w), words[w], words[w + 4]);
  } else {
#pragma unroll
    for (u32 w = 0; w < 8; ++w) words[w] = code_word<kType>(block, codes, in_block, w);
  }
}

// The first 16 codes of a group are multiplied with `low` and `low_added` is added, the last 16 with the others.
struct Factors {
  float low, high, low_added, high_added;
};

// Of the first 16 elements the scale in byte 0, of the last in byte 1, each with 32 added.
DEVICE u32 six_bit_scales(const uint4& header, u32 in_block) {
  const u32 low = (in_block % 4 < 2 ? header.x : header.y) >> (in_block % 2 * 16 + in_block / 4 * 4),
            high = header.z >> (in_block % 2 * 16 + in_block / 2 * 2);
  return (low & 0x0F0FU) | (high & 0x0303U) << 4;
}

template <u32 kType>
DEVICE Factors group_factors(const Block& block, const Codes& codes, u32 in_block) {
  const auto of_all = [](float scale, float added) { return Factors{scale, scale, added, added}; };
  // The scales of F16 of eight groups.
  const auto scale_of_group = [&] { return half_of_word(word_of(block.header, in_block / 2), in_block % 2 == 1); };
  if constexpr (kType == kQ8_0 || kType == kIQ4_NL) return of_all(scale_of_group(), 0);
  if constexpr (kType == kQ4_0) return of_all(scale_of_group(), -8 * scale_of_group());
  if constexpr (kType == kQ5_0) return of_all(scale_of_group(), -16 * scale_of_group());
  if constexpr (kType == kQ4_1 || kType == kQ5_1)
    return of_all(half_of_word(codes.scale_and_min, false), half_of_word(codes.scale_and_min, true));
  if constexpr (kType == kQ2_K) {
    // Not by a shift: this stays behind the barrier before its group, see choose_bytes().
    const u32 word = choose_bytes(word_of(block.header, in_block / 2), 0, in_block % 2 == 0 ? 0x4410U : 0x4432U);
    const u32 scales = word & 0x0F0FU, minima = (word >> 4) & 0x0F0FU;
    const float scale = half_of_word(bits_of(block.scale), false), added = -half_of_word(bits_of(block.scale), true);
    return {scale * plain_byte(scales, 0), scale * plain_byte(scales, 1), added * plain_byte(minima, 0),
            added * plain_byte(minima, 1)};
  }
  if constexpr (kType == kQ3_K) {
    const u32 scales = six_bit_scales(block.header, in_block);
    const float scale = half_of_word(block.header.w, false);
    const float low = scale * (plain_byte(scales, 0) - 32), high = scale * (plain_byte(scales, 1) - 32);
    return {low, high, -4 * low, -4 * high};
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
    return of_all(half_of_word(block.header.x, false) * plain_byte(scales, in_block % 4),
                  -half_of_word(block.header.x, true) * plain_byte(minima, in_block % 4));
  }
  if constexpr (kType == kIQ4_XS) {
    const u32 low = (block.header.y >> (4 * in_block)) & 15U, high = (block.header.x >> (16 + 2 * in_block)) & 3U;
    return of_all(half_of_word(block.header.x, false) * (static_cast<float>(low | high << 4) - 32), 0);
  }
  // 2 n + 1 of packed numbers n, of all of a group or of its halves.
  const auto odd = [](u32 number) { return static_cast<float>(2 * number + 1); };
  if constexpr (kType == kIQ3_XXS) return of_all(0.25F * block.scale * odd(codes.first.x >> 28), 0);
  if constexpr (kType == kIQ3_S)
    return of_all(half_of_word(block.header.w, false) * odd((block.header.z >> (4 * in_block)) & 15U), 0);
  if constexpr (kType == kIQ2_XXS) return of_all(0.125F * block.scale * odd(codes.high_bits >> 28), 0);
  if constexpr (kType == kIQ2_XS || kType == kIQ2_S) {
    const u32 words[2] = {kType == kIQ2_S ? block.header.z : block.header.x,
                          kType == kIQ2_S ? block.header.w : block.header.y};
    const u32 both = (in_block < 4 ? words[0] : words[1]) >> (in_block % 4 * 8);
    const float scale = 0.125F * block.scale;
    return {scale * odd(both & 15U), scale * odd((both >> 4) & 15U), 0, 0};
  }
  if constexpr (kType == kIQ1_S) {
    const float factor = 0.125F * block.scale * odd((header_halves(block.header, in_block) >> 12) & 7U);
    return of_all(factor, -9 * factor);
  }
  if constexpr (kType == kIQ1_M) {
    // Four bits of the scale above each of four words.
    const u32 low = (block.header.x >> 12) & 0x000F000FU, high = (block.header.y >> 12) & 0x000F000FU;
    const float scale = 0.125F * half_of_word((low & 15U) | (low >> 12) | (high & 15U) << 8 | (high >> 4), false);
    const u32 both = (in_block < 4 ? block.header.x : block.header.y) >> (in_block / 2 % 2 * 16 + in_block % 2 * 6);
    const float first = scale * odd(both & 7U), second = scale * odd((both >> 3) & 7U);
    return {first, second, -9 * first, -9 * second};
  }
  if constexpr (kType == kMXFP4) {
    // 2^(exponent - 128), whose exponent in a float is one less; the two least, which are subnormal, become 0.
    const u32 exponent = ((in_block < 4 ? block.header.x : block.header.y) >> (in_block % 4 * 8)) & 255U;
    return of_all(float_of((exponent - smaller(exponent, 1)) << 23), 0);
  }
  return {1, 1, 0, 0};
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

// The elements of a word of codes: word w of its group.
DEVICE Four coded_elems(const Factors& factors, u32 codes, u32 w) {
  const float factor = w < 4 ? factors.low : factors.high, added = w < 4 ? factors.low_added : factors.high_added;
  Four elems;
#pragma unroll
  for (u32 i = 0; i < 4; ++i) elems.of[i] = factor * signed_byte(codes, i) + added;
  return elems;
}

// Four elements of a row, those of word w of a group.
template <u32 kType>
DEVICE Four row_elems(const PanelRow& row, u32 group, u32 w) {
  if constexpr (!is_block_format(kType)) {
    return plain_elems<kType>(row, group, w);
  } else {
    const Codes codes = read_codes<kType>(row, group);
    const Block block = read_block<kType>(row, group / kBlockGroups);
    const u32 in_block = group % kBlockGroups;
    return coded_elems(group_factors<kType>(block, codes, in_block), code_word<kType>(block, codes, in_block, w), w);
  }
}

// Calls f with the format as a compile-time number: all threads of a warp have the same.
template <class F>
DEVICE void with_block_type(u32 type, F f) {
  switch (type) {
    case kQ8_0: f.template operator()<kQ8_0>(); return;
    case kQ4_0: f.template operator()<kQ4_0>(); return;
    case kQ4_1: f.template operator()<kQ4_1>(); return;
    case kQ5_0: f.template operator()<kQ5_0>(); return;
    case kQ5_1: f.template operator()<kQ5_1>(); return;
    case kQ2_K: f.template operator()<kQ2_K>(); return;
    case kQ3_K: f.template operator()<kQ3_K>(); return;
    case kQ4_K: f.template operator()<kQ4_K>(); return;
    case kQ5_K: f.template operator()<kQ5_K>(); return;
    case kQ6_K: f.template operator()<kQ6_K>(); return;
    case kIQ4_NL: f.template operator()<kIQ4_NL>(); return;
    case kIQ4_XS: f.template operator()<kIQ4_XS>(); return;
    case kMXFP4: f.template operator()<kMXFP4>(); return;
    case kIQ1_S: f.template operator()<kIQ1_S>(); return;
    case kIQ1_M: f.template operator()<kIQ1_M>(); return;
    case kIQ2_XXS: f.template operator()<kIQ2_XXS>(); return;
    case kIQ2_XS: f.template operator()<kIQ2_XS>(); return;
    case kIQ2_S: f.template operator()<kIQ2_S>(); return;
    case kIQ3_XXS: f.template operator()<kIQ3_XXS>(); return;
    case kIQ3_S: f.template operator()<kIQ3_S>(); return;
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
