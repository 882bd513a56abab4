// Weights in panels: model/gpu_panel.h. A thread has one row of a panel. A format is a template parameter where a loop
// goes over groups, so that nothing is decided within.
#pragma once

#include "format/code_values.h"
#include "lib/numbers.cuh"
#include "model/gpu_planes.h"

namespace headroom::cuda {

inline constexpr u32 kPanelRows = 32, kGroup = 32, kBlockGroups = 8;

DEVICE constexpr bool is_block_format(u32 type) { return type >= kQ8_0; }

template <u32 kType>
inline constexpr GpuPlanes kPlanes = gpu_planes(static_cast<DType>(kType));

// Whether the first 16 elements of a group have another scale than the last 16.
DEVICE constexpr bool has_halves(u32 type) { return type == kQ2_K || type == kQ3_K || type == kQ6_K; }

// A field of kPlanes for a format that is known only when the kernel runs: four bits for each, so that neither memory
// nor a jump is needed.
DEVICE constexpr std::uint64_t packed_planes(auto field) {
  std::uint64_t packed = 0;
  for (u32 type = 0; type < 16; ++type)
    packed |= std::uint64_t{field(gpu_planes(static_cast<DType>(type)))} << (4 * type);
  return packed;
}
inline constexpr std::uint64_t kHalfCodes = packed_planes([](GpuPlanes of) { return of.half_codes - 1; }),
                               kHighs = packed_planes([](GpuPlanes of) { return of.highs; }),
                               kHeaders = packed_planes([](GpuPlanes of) { return of.headers; }),
                               kScaleShift = packed_planes([](GpuPlanes of) { return of.scale_shift; });
DEVICE GpuPlanes planes_of(u32 type) {
  const auto field = [&](std::uint64_t packed) { return static_cast<u32>(packed >> (4 * type)) & 15U; };
  return {field(kHalfCodes) + 1, field(kHighs), field(kHeaders), field(kScaleShift)};
}

// Where the planes of a row begin; unit u of a plane stands at plane[u * kPanelRows].
struct PanelRow {
  const uint4 *codes, *highs, *headers, *scales;
};

DEVICE u32 code_units(const GpuPlanes& planes, u32 n_groups) { return n_groups * planes.half_codes / 2; }

DEVICE std::uint64_t panel_units(const GpuPlanes& planes, u32 n_groups) {
  const u32 n_blocks = divide_up(n_groups, kBlockGroups);
  const u32 n_scales = planes.scale_shift == 0 ? 0 : ((n_blocks - 1) >> planes.scale_shift) + 1;
  return std::uint64_t{code_units(planes, n_groups) + (planes.highs + planes.headers) * n_blocks + n_scales} *
         kPanelRows;
}

DEVICE PanelRow panel_row(u32 type, const uint4* matrix, u32 panel, u32 lane, u32 n_groups) {
  const GpuPlanes planes = planes_of(type);
  const u32 n_blocks = divide_up(n_groups, kBlockGroups);
  PanelRow row;
  row.codes = matrix + panel * panel_units(planes, n_groups) + lane;
  row.highs = row.codes + code_units(planes, n_groups) * kPanelRows;
  row.headers = row.highs + planes.highs * n_blocks * kPanelRows;
  row.scales = row.headers + planes.headers * n_blocks * kPanelRows;
  return row;
}

// Units of a block in the plane of codes.
template <u32 kType>
inline constexpr u32 kBlockCodes = kBlockGroups* kPlanes<kType>.half_codes / 2;

// The row from a block on: its codes, higher bits and headers; a unit of scales stands for several blocks together.
template <u32 kType>
DEVICE PanelRow row_at(const PanelRow& row, u32 block) {
  return {row.codes + block * kBlockCodes<kType> * kPanelRows, row.highs + block * kPlanes<kType>.highs * kPanelRows,
          row.headers + block * kPlanes<kType>.headers * kPanelRows, row.scales};
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
  prefetch_units<kOf.headers>(at.headers);
  prefetch_units<kBlockCodes<kType>>(at.codes);
  prefetch_units<kOf.highs>(at.highs);
  if constexpr (kOf.scale_shift == 1 || kOf.scale_shift == 2)
    prefetch_l2(at.scales + (block >> kOf.scale_shift) * kPanelRows);
}

DEVICE u32 word_of(const uint4& unit, u32 i) { return i == 0 ? unit.x : i == 1 ? unit.y : i == 2 ? unit.z : unit.w; }

// What a block has for its groups.
struct Block {
  uint4 header;  // IQ4_XS, MXFP4: its 8 bytes of the plane of scales, in x and y
  float scale;   // of that plane: Q6_K's; of Q2_K the bits of the word that has scale and scale of the minima
};

// `at`: the row from the block on.
template <u32 kType>
DEVICE Block read_block_at(const PanelRow& at, u32 block) {
  Block result{};
  if constexpr (kPlanes<kType>.headers == 1) result.header = load_stream(at.headers);
  if constexpr (kPlanes<kType>.scale_shift > 0) {
    const uint4 unit = load_stream(at.scales + (block >> kPlanes<kType>.scale_shift) * kPanelRows);
    if constexpr (kType == kQ6_K)
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
  uint4 first, second;      // second: Q8_0
  u32 low_bits, high_bits;  // of the first 16 elements, and of the last; Q5_0, Q5_1, Q5_K: low_bits of all
  u32 scale_and_min;        // Q4_1, Q5_1
};

template <u32 kType>
DEVICE Codes read_codes(const PanelRow& row, u32 group) {
  constexpr GpuPlanes kOf = kPlanes<kType>;
  Codes codes{};
  const auto put_pairs = [&](const uint4& two_groups) {
    codes.low_bits = group % 2 == 0 ? two_groups.x : two_groups.z;
    codes.high_bits = group % 2 == 0 ? two_groups.y : two_groups.w;
  };
  const uint4 unit = load_stream(row.codes + group * kOf.half_codes / 2 * kPanelRows);
  if constexpr (kOf.half_codes == 1) {
    put_pairs(unit);
  } else {
    codes.first = unit;
  }
  if constexpr (kType == kQ8_0) codes.second = load_stream(row.codes + (2 * group + 1) * kPanelRows);
  if constexpr (kOf.highs == 2) {
    const u32 bits = word_of(load_stream(row.highs + group / 4 * kPanelRows), group % 4);
    if constexpr (kType == kQ3_K)
      codes.first.x = bits;
    else
      codes.low_bits = bits;
  }
  if constexpr (kOf.highs == 4) put_pairs(load_stream(row.highs + group / 2 * kPanelRows));
  if constexpr (kOf.headers == 2)
    codes.scale_and_min = word_of(load_stream(row.headers + group / 4 * kPanelRows), group % 4);
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

// Four codes as signed bytes, those of elements 4 w to 4 w + 3.
template <u32 kType>
DEVICE u32 code_word(const Codes& codes, u32 w) {
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
DEVICE void put_code_words(const Codes& codes, u32 (&words)[8]) {
  if constexpr (has_code_values(kType)) {
#pragma unroll
    for (u32 w = 0; w < 4; ++w) put_values<kType>(word_of(codes.first, w), words[w], words[w + 4]);
  } else {
#pragma unroll
    for (u32 w = 0; w < 8; ++w) words[w] = code_word<kType>(codes, w);
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
    return coded_elems(group_factors<kType>(block, codes, group % kBlockGroups), code_word<kType>(codes, w), w);
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
