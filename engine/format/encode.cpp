#include "format/encode.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "format/decode.h"
#include "format/encode_grids.h"

namespace headroom {
namespace {

// To the nearest integer in [low, high], halves away from zero; NaN becomes `low`.
int round_clamped(float value, int low, int high) {
  const float rounded = std::round(value);
  if (!(rounded > static_cast<float>(low))) return low;
  return rounded < static_cast<float>(high) ? static_cast<int>(rounded) : high;
}

float safe_inverse(float value) {
  const float inverse = value == 0 ? 0.0F : 1.0F / value;
  return std::isfinite(inverse) ? inverse : 0.0F;
}

// A scale that is not beyond f16, so that a code of 0 stays 0.
std::uint16_t scale_to_f16(float scale) { return f32_to_f16(std::clamp(scale, -65504.0F, 65504.0F)); }

void encode_block(std::span<const float, 32> in, BlockQ8_0& block) {
  float largest = 0;
  for (const float x : in) largest = std::max(largest, std::fabs(x));
  const float scale = largest / 127.0F, inverse = safe_inverse(scale);
  block.scale = scale_to_f16(scale);
  for (int i = 0; i < 32; ++i) block.quants[i] = static_cast<std::int8_t>(round_clamped(in[i] * inverse, -127, 127));
}

// The element of largest magnitude, with its sign.
float extreme_of(std::span<const float> in) {
  float extreme = 0;
  for (const float x : in) {
    if (std::fabs(x) > std::fabs(extreme)) extreme = x;
  }
  return extreme;
}

// The element of largest magnitude maps to -8, the one code that has no mirror image.
void encode_block(std::span<const float, 32> in, BlockQ4_0& block) {
  const float scale = extreme_of(in) / -8.0F, inverse = safe_inverse(scale);
  block.scale = scale_to_f16(scale);
  const auto code = [&](float x) {
    const float shifted = x * inverse + 8.5F;
    return static_cast<std::uint8_t>(shifted > 0 ? std::min(shifted, 15.0F) : 0.0F);
  };
  for (int i = 0; i < 16; ++i) block.quants[i] = static_cast<std::uint8_t>(code(in[i]) | (code(in[i + 16]) << 4));
}

// Nibbles of 32 codes, halves of 16.
void put_halves(std::span<const std::uint8_t, 32> codes, std::uint8_t (&quants)[16]) {
  for (std::size_t i = 0; i < 16; ++i)
    quants[i] = static_cast<std::uint8_t>((codes[i] & 15) | ((codes[i + 16] & 15) << 4));
}
void put_fifth_bits(std::span<const std::uint8_t, 32> codes, std::uint8_t (&high_bits)[4]) {
  for (std::size_t i = 0; i < 32; ++i) high_bits[i / 8] |= static_cast<std::uint8_t>((codes[i] >> 4) << (i % 8));
}

// Scale and min so that the codes 0..most_code reach from the least element to the largest.
template <class Block>
std::array<std::uint8_t, 32> encode_range(std::span<const float, 32> in, int most_code, Block& block) {
  float low = in[0], high = in[0];
  for (const float x : in) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  block.scale = scale_to_f16((high - low) / static_cast<float>(most_code));
  block.min = scale_to_f16(low);
  const float inverse = safe_inverse(f16_to_f32(block.scale)), min = f16_to_f32(block.min);
  std::array<std::uint8_t, 32> codes;
  for (std::size_t i = 0; i < 32; ++i)
    codes[i] = static_cast<std::uint8_t>(round_clamped((in[i] - min) * inverse, 0, most_code));
  return codes;
}

void encode_block(std::span<const float, 32> in, BlockQ4_1& block) {
  put_halves(encode_range(in, 15, block), block.quants);
}

void encode_block(std::span<const float, 32> in, BlockQ5_1& block) {
  const auto codes = encode_range(in, 31, block);
  put_halves(codes, block.quants);
  put_fifth_bits(codes, block.high_bits);
}

// As Q4_0: the element of largest magnitude maps to -16.
void encode_block(std::span<const float, 32> in, BlockQ5_0& block) {
  const float scale = extreme_of(in) / -16.0F, inverse = safe_inverse(scale);
  block.scale = scale_to_f16(scale);
  std::array<std::uint8_t, 32> codes;
  for (std::size_t i = 0; i < 32; ++i)
    codes[i] = static_cast<std::uint8_t>(round_clamped(in[i] * inverse, -16, 15) + 16);
  put_halves(codes, block.quants);
  put_fifth_bits(codes, block.high_bits);
}

// The code whose value is nearest to x; the first of two.
std::uint8_t nearest_code(float x, const std::int8_t (&values)[16]) {
  std::size_t best = 0;
  float best_off = std::numeric_limits<float>::infinity();
  for (std::size_t code = 0; code < 16; ++code) {
    const float off = std::fabs(x - static_cast<float>(values[code]));
    if (off < best_off) best = code, best_off = off;
  }
  return static_cast<std::uint8_t>(best);
}

// The scale with which the values of IQ4_NL are nearest to `in`: the largest element on the largest value, then once by
// least squares over the codes that this gives.
float fit_iq4(std::span<const float> in) {
  const float scale = extreme_of(in) / static_cast<float>(kIq4Values[0]), inverse = safe_inverse(scale);
  float sum_value_x = 0, sum_value2 = 0;
  for (const float x : in) {
    const auto value = static_cast<float>(kIq4Values[nearest_code(x * inverse, kIq4Values)]);
    sum_value_x += value * x;
    sum_value2 += value * value;
  }
  const float fit = inverse != 0 ? sum_value_x / sum_value2 : 0.0F;
  return std::isfinite(fit) ? fit : scale;
}

void encode_block(std::span<const float, 32> in, BlockIQ4_NL& block) {
  block.scale = scale_to_f16(fit_iq4(in));
  const float inverse = safe_inverse(f16_to_f32(block.scale));
  std::array<std::uint8_t, 32> codes;
  for (std::size_t i = 0; i < 32; ++i) codes[i] = nearest_code(in[i] * inverse, kIq4Values);
  put_halves(codes, block.quants);
}

// The exponent that the OCP specification proposes: the largest element's, less that of the largest code, 6.
void encode_block(std::span<const float, 32> in, BlockMXFP4& block) {
  const float largest = std::fabs(extreme_of(in));
  if (largest > 0) block.exponent = static_cast<std::uint8_t>(std::clamp(std::ilogb(largest), -125, 129) + 125);
  const float inverse = safe_inverse(e8m0_half_to_f32(block.exponent));
  std::array<std::uint8_t, 32> codes;
  for (std::size_t i = 0; i < 32; ++i) codes[i] = nearest_code(in[i] * inverse, kFp4Values);
  put_halves(codes, block.quants);
}

// The code from -8 to 7 that, with `shift`, is nearest.
int round_q4(float x, float shift) { return static_cast<int>(std::nearbyint(std::clamp(x - shift, -8.0F, 7.0F))); }

void encode_searched(std::span<const float, 32> in, float shift, BlockQ4_0& block) {
  const float extreme = extreme_of(in);
  float best_gain = 0, best_inverse = 0, best_scale = 0;
  for (const float divisor : kQ4ScaleDivisors) {
    const float inverse = safe_inverse(extreme / -divisor);
    float sum_code_x = 0, sum_code2 = 0;
    for (const float x : in) {
      const float code = static_cast<float>(round_q4(x * inverse, shift)) + shift;
      sum_code_x += code * x;
      sum_code2 += code * code;
    }
    const float gain =
        sum_code2 > 0 ? sum_code_x * sum_code_x / sum_code2 : 0.0F;  // how much of the squares this fit explains
    if (!(gain > best_gain)) continue;
    best_gain = gain, best_inverse = inverse, best_scale = sum_code_x / sum_code2;
  }
  block.scale = scale_to_f16(best_scale);
  const auto code = [&](float x) { return static_cast<std::uint8_t>(round_q4(x * best_inverse, shift) + 8); };
  for (int i = 0; i < 16; ++i) block.quants[i] = static_cast<std::uint8_t>(code(in[i]) | (code(in[i + 16]) << 4));
}

// One group of a K-quant: x is about scale * code - min with codes 0..max_code and min >= 0.
struct GroupFit {
  float scale = 0, min = 0;
};

GroupFit fit_group(std::span<const float> in, int max_code) {
  float low = 0, high = 0;  // the range always holds 0, so that min is not negative
  for (const float x : in) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  GroupFit fit{(high - low) / static_cast<float>(max_code), -low};
  if (!std::isfinite(fit.scale) || fit.scale == 0) return {0, std::isfinite(fit.min) ? fit.min : 0.0F};
  // Two rounds of least squares over the codes that the current fit gives: about 10 % less squared error than the range
  // alone.
  for (int round = 0; round < 2; ++round) {
    double n = 0, sum_code = 0, sum_code2 = 0, sum_x = 0, sum_code_x = 0;
    for (const float x : in) {
      const double code = round_clamped((x + fit.min) / fit.scale, 0, max_code);
      n += 1, sum_code += code, sum_code2 += code * code, sum_x += x, sum_code_x += code * x;
    }
    const double determinant = n * sum_code2 - sum_code * sum_code;
    if (!(determinant > 0)) break;
    const double scale = (n * sum_code_x - sum_code * sum_x) / determinant;
    const double min = (sum_code * scale - sum_x) / n;
    if (!(scale > 0) || !(min >= 0) || !std::isfinite(scale) || !std::isfinite(min)) break;
    fit = {static_cast<float>(scale), static_cast<float>(min)};
  }
  return fit;
}

void pack_group_scale_min(std::uint8_t (&packed)[12], int group, std::uint8_t scale, std::uint8_t min) {
  if (group < 4) {
    packed[group] |= scale;
    packed[group + 4] |= min;
    return;
  }
  packed[group + 4] = static_cast<std::uint8_t>((scale & 15) | ((min & 15) << 4));
  packed[group - 4] |= static_cast<std::uint8_t>((scale >> 4) << 6);
  packed[group] |= static_cast<std::uint8_t>((min >> 4) << 6);
}

// The scales of K-quants with minima, and the 256 codes 0..max_code. pack(group, scale, min) keeps the numbers of a
// group, each at most max_scale, with which the block's scale and scale of minima are multiplied.
template <std::size_t kGroups, class Block, class Pack>
std::array<std::uint8_t, 256> encode_groups(std::span<const float, 256> in, int max_code, int max_scale, Block& block,
                                            Pack pack) {
  constexpr std::size_t kElems = 256 / kGroups;
  std::array<GroupFit, kGroups> fits;
  float largest_scale = 0, largest_min = 0;
  for (std::size_t group = 0; group < kGroups; ++group) {
    fits[group] = fit_group(in.subspan(group * kElems, kElems), max_code);
    largest_scale = std::max(largest_scale, fits[group].scale);
    largest_min = std::max(largest_min, fits[group].min);
  }
  block.scale = scale_to_f16(largest_scale / static_cast<float>(max_scale));
  block.min_scale = scale_to_f16(largest_min / static_cast<float>(max_scale));
  const float scale = f16_to_f32(block.scale), min_scale = f16_to_f32(block.min_scale);
  std::array<std::uint8_t, 256> codes;
  for (std::size_t group = 0; group < kGroups; ++group) {
    const int scale_code = round_clamped(fits[group].scale * safe_inverse(scale), 0, max_scale);
    const int min_code = round_clamped(fits[group].min * safe_inverse(min_scale), 0, max_scale);
    pack(static_cast<int>(group), static_cast<std::uint8_t>(scale_code), static_cast<std::uint8_t>(min_code));
    const float inverse = safe_inverse(scale * static_cast<float>(scale_code)),
                min = min_scale * static_cast<float>(min_code);
    for (std::size_t i = group * kElems; i < (group + 1) * kElems; ++i)
      codes[i] = static_cast<std::uint8_t>(round_clamped((in[i] + min) * inverse, 0, max_code));
  }
  return codes;
}

// Of Q4_K and Q5_K.
template <class Block>
std::array<std::uint8_t, 256> encode_eight_groups(std::span<const float, 256> in, int max_code, Block& block) {
  return encode_groups<8>(in, max_code, 63, block, [&](int group, std::uint8_t scale, std::uint8_t min) {
    pack_group_scale_min(block.scales, group, scale, min);
  });
}

void encode_block(std::span<const float, 256> in, BlockQ4_K& block) {
  const auto codes = encode_eight_groups(in, 15, block);
  for (std::size_t i = 0; i < 128; ++i) {
    const std::size_t pair = i / 32, lane = i % 32;
    block.quants[i] = static_cast<std::uint8_t>(codes[pair * 64 + lane] | (codes[pair * 64 + 32 + lane] << 4));
  }
}

void encode_block(std::span<const float, 256> in, BlockQ5_K& block) {
  const auto codes = encode_eight_groups(in, 31, block);
  for (std::size_t i = 0; i < 256; ++i) {
    const std::size_t group = i / 32, lane = i % 32;
    block.quants[group / 2 * 32 + lane] |= static_cast<std::uint8_t>((codes[i] & 15) << (group % 2 * 4));
    block.high_bits[lane] |= static_cast<std::uint8_t>((codes[i] >> 4) << group);
  }
}

void encode_block(std::span<const float, 256> in, BlockQ6_K& block) {
  std::array<float, 16> group_scales{};
  float extreme = 0;
  for (std::size_t group = 0; group < 16; ++group) {
    group_scales[group] = extreme_of(in.subspan(group * 16, 16)) / -32.0F;
    if (std::fabs(group_scales[group]) > std::fabs(extreme)) extreme = group_scales[group];
  }
  block.scale = scale_to_f16(extreme / -128.0F);
  const float scale = f16_to_f32(block.scale), inverse_scale = safe_inverse(scale);
  for (std::size_t group = 0; group < 16; ++group) {
    block.scales[group] = static_cast<std::int8_t>(round_clamped(group_scales[group] * inverse_scale, -128, 127));
    const float inverse = safe_inverse(scale * static_cast<float>(block.scales[group]));
    for (std::size_t i = group * 16; i < group * 16 + 16; ++i) {
      const int code = round_clamped(in[i] * inverse, -32, 31) + 32;
      const std::size_t half = i / 128, quarter = i % 128 / 32, lane = i % 32;
      block.low_bits[half * 64 + quarter % 2 * 32 + lane] |=
          static_cast<std::uint8_t>((code & 15) << (quarter / 2 * 4));
      block.high_bits[half * 32 + lane] |= static_cast<std::uint8_t>((code >> 4) << (quarter * 2));
    }
  }
}

// Two bits of each of 256 codes, as Q2_K and Q3_K keep them.
void put_two_bits(std::span<const std::uint8_t, 256> codes, std::uint8_t (&quants)[64]) {
  for (std::size_t i = 0; i < 256; ++i)
    quants[i / 128 * 32 + i % 32] |= static_cast<std::uint8_t>((codes[i] & 3) << (i % 128 / 32 * 2));
}

void encode_block(std::span<const float, 256> in, BlockQ2_K& block) {
  const auto codes = encode_groups<16>(in, 3, 15, block, [&](int group, std::uint8_t scale, std::uint8_t min) {
    block.scales[group] = static_cast<std::uint8_t>(scale | (min << 4));
  });
  put_two_bits(codes, block.quants);
}

void encode_block(std::span<const float, 256> in, BlockQ3_K& block) {
  std::array<float, 16> group_scales{};
  for (std::size_t group = 0; group < 16; ++group) group_scales[group] = extreme_of(in.subspan(group * 16, 16)) / -4.0F;
  block.scale = scale_to_f16(extreme_of(group_scales) / -32.0F);
  const float scale = f16_to_f32(block.scale), inverse_scale = safe_inverse(scale);
  std::array<std::uint8_t, 256> codes;
  for (std::size_t group = 0; group < 16; ++group) {
    const int scale_code = round_clamped(group_scales[group] * inverse_scale, -32, 31);
    const auto packed = static_cast<unsigned>(scale_code + 32);
    block.scales[group % 8] |= static_cast<std::uint8_t>((packed & 15) << (group / 8 * 4));
    block.scales[8 + group % 4] |= static_cast<std::uint8_t>((packed >> 4) << (group / 4 * 2));
    const float inverse = safe_inverse(scale * static_cast<float>(scale_code));
    for (std::size_t i = group * 16; i < group * 16 + 16; ++i)
      codes[i] = static_cast<std::uint8_t>(round_clamped(in[i] * inverse, -4, 3) + 4);
  }
  put_two_bits(codes, block.quants);
  for (std::size_t i = 0; i < 256; ++i)
    block.high_bits[i % 32] |= static_cast<std::uint8_t>((codes[i] >> 2) << (i / 32));
}

void encode_block(std::span<const float, 256> in, BlockIQ4_XS& block) {
  std::array<float, 8> group_scales{};
  for (std::size_t group = 0; group < 8; ++group) group_scales[group] = fit_iq4(in.subspan(group * 32, 32));
  block.scale = scale_to_f16(extreme_of(group_scales) / -32.0F);
  const float scale = f16_to_f32(block.scale), inverse_scale = safe_inverse(scale);
  for (std::size_t group = 0; group < 8; ++group) {
    const int scale_code = round_clamped(group_scales[group] * inverse_scale, -32, 31);
    const auto packed = static_cast<unsigned>(scale_code + 32);
    block.scales_low[group / 2] |= static_cast<std::uint8_t>((packed & 15) << (group % 2 * 4));
    block.scales_high |= static_cast<std::uint16_t>((packed >> 4) << (2 * group));
    const float inverse = safe_inverse(scale * static_cast<float>(scale_code));
    for (std::size_t i = 0; i < 16; ++i) {
      const auto code = [&](std::size_t at) { return nearest_code(in[group * 32 + at] * inverse, kIq4Values); };
      block.quants[group * 16 + i] = static_cast<std::uint8_t>(code(i) | (code(i + 16) << 4));
    }
  }
}

template <class Block>
void encode_block(std::span<const float, 256> in, Block& block) {
  encode_grid_block(in, block);
}

template <class Block, std::size_t kBlockElems, class Encode>
void encode_block_row(const float* row, std::uint64_t n_elems, std::byte* out, Encode encode) {
  for (std::uint64_t first = 0; first < n_elems; first += kBlockElems, out += sizeof(Block)) {
    std::array<float, kBlockElems> elems{};
    std::copy_n(row + first, std::min<std::uint64_t>(kBlockElems, n_elems - first), elems.begin());
    Block block{};
    encode(std::span<const float, kBlockElems>(elems), block);
    std::memcpy(out, &block, sizeof(Block));
  }
}

template <class Block, std::size_t kBlockElems>
void encode_block_row(const float* row, std::uint64_t n_elems, std::byte* out) {
  encode_block_row<Block, kBlockElems>(row, n_elems, out, [](auto in, Block& block) { encode_block(in, block); });
}

void encode_fp8_row(const float* row, std::uint64_t n_elems, std::byte* out) {
  float largest = 0;
  for (std::uint64_t i = 0; i < n_elems; ++i) largest = std::max(largest, std::fabs(row[i]));
  // Codes are made with the scale as it will be read, so its rounding to f16 costs nothing.
  const std::uint16_t scale_bits = scale_to_f16(largest / kE4M3Max);
  const float inverse = safe_inverse(f16_to_f32(scale_bits));
  for (std::uint64_t i = 0; i < n_elems; ++i) out[i] = static_cast<std::byte>(f32_to_e4m3(row[i] * inverse));
  std::memcpy(out + n_elems, &scale_bits, sizeof(scale_bits));
}

}  // namespace

void encode_row(DType dtype, const float* row, std::uint64_t n_elems, std::byte* out) {
  const auto put_halves = [&](std::uint16_t (*convert)(float)) {
    for (std::uint64_t i = 0; i < n_elems; ++i) {
      const std::uint16_t bits = convert(row[i]);
      std::memcpy(out + 2 * i, &bits, sizeof(bits));
    }
  };
  switch (dtype) {
    case DType::kF32: std::memcpy(out, row, n_elems * sizeof(float)); return;
    case DType::kF16: put_halves(f32_to_f16); return;
    case DType::kBF16: put_halves(f32_to_bf16); return;
    case DType::kQ8_0: encode_block_row<BlockQ8_0, 32>(row, n_elems, out); return;
    case DType::kQ4_0: encode_block_row<BlockQ4_0, 32>(row, n_elems, out); return;
    case DType::kQ4_1: encode_block_row<BlockQ4_1, 32>(row, n_elems, out); return;
    case DType::kQ5_0: encode_block_row<BlockQ5_0, 32>(row, n_elems, out); return;
    case DType::kQ5_1: encode_block_row<BlockQ5_1, 32>(row, n_elems, out); return;
    case DType::kQ2_K: encode_block_row<BlockQ2_K, 256>(row, n_elems, out); return;
    case DType::kQ3_K: encode_block_row<BlockQ3_K, 256>(row, n_elems, out); return;
    case DType::kQ4_K: encode_block_row<BlockQ4_K, 256>(row, n_elems, out); return;
    case DType::kQ5_K: encode_block_row<BlockQ5_K, 256>(row, n_elems, out); return;
    case DType::kQ6_K: encode_block_row<BlockQ6_K, 256>(row, n_elems, out); return;
    case DType::kIQ4_NL: encode_block_row<BlockIQ4_NL, 32>(row, n_elems, out); return;
    case DType::kIQ4_XS: encode_block_row<BlockIQ4_XS, 256>(row, n_elems, out); return;
    case DType::kMXFP4: encode_block_row<BlockMXFP4, 32>(row, n_elems, out); return;
    case DType::kIQ1_S: encode_block_row<BlockIQ1_S, 256>(row, n_elems, out); return;
    case DType::kIQ1_M: encode_block_row<BlockIQ1_M, 256>(row, n_elems, out); return;
    case DType::kIQ2_XXS: encode_block_row<BlockIQ2_XXS, 256>(row, n_elems, out); return;
    case DType::kIQ2_XS: encode_block_row<BlockIQ2_XS, 256>(row, n_elems, out); return;
    case DType::kIQ2_S: encode_block_row<BlockIQ2_S, 256>(row, n_elems, out); return;
    case DType::kIQ3_XXS: encode_block_row<BlockIQ3_XXS, 256>(row, n_elems, out); return;
    case DType::kIQ3_S: encode_block_row<BlockIQ3_S, 256>(row, n_elems, out); return;
    case DType::kF8E4M3: encode_fp8_row(row, n_elems, out); return;
  }
}

void encode_kv_row(DType dtype, const float* row, std::uint64_t n_elems, float shift, std::byte* out) {
  if (dtype != DType::kQ4_0) return encode_row(dtype, row, n_elems, out);
  encode_block_row<BlockQ4_0, 32>(row, n_elems, out,
                                  [shift](auto in, BlockQ4_0& block) { encode_searched(in, shift, block); });
}

}  // namespace headroom
