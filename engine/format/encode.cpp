#include "format/encode.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "format/decode.h"

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

// The element of largest magnitude maps to -8, the one code that has no mirror image.
void encode_block(std::span<const float, 32> in, BlockQ4_0& block) {
  float extreme = 0;
  for (const float x : in) {
    if (std::fabs(x) > std::fabs(extreme)) extreme = x;
  }
  const float scale = extreme / -8.0F, inverse = safe_inverse(scale);
  block.scale = scale_to_f16(scale);
  const auto code = [&](float x) {
    const float shifted = x * inverse + 8.5F;
    return static_cast<std::uint8_t>(shifted > 0 ? std::min(shifted, 15.0F) : 0.0F);
  };
  for (int i = 0; i < 16; ++i) block.quants[i] = static_cast<std::uint8_t>(code(in[i]) | (code(in[i + 16]) << 4));
}

// The code from -8 to 7 that, with `shift`, is nearest.
int round_q4(float x, float shift) { return static_cast<int>(std::nearbyint(std::clamp(x - shift, -8.0F, 7.0F))); }

void encode_searched(std::span<const float, 32> in, float shift, BlockQ4_0& block) {
  float extreme = 0;
  for (const float x : in) {
    if (std::fabs(x) > std::fabs(extreme)) extreme = x;
  }
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

// The scales of Q4_K and Q5_K, and the 256 codes 0..max_code.
template <class Block>
std::array<std::uint8_t, 256> encode_groups(std::span<const float, 256> in, int max_code, Block& block) {
  std::array<GroupFit, 8> fits;
  float largest_scale = 0, largest_min = 0;
  for (std::size_t group = 0; group < 8; ++group) {
    fits[group] = fit_group(in.subspan(group * 32, 32), max_code);
    largest_scale = std::max(largest_scale, fits[group].scale);
    largest_min = std::max(largest_min, fits[group].min);
  }
  block.scale = scale_to_f16(largest_scale / 63.0F);
  block.min_scale = scale_to_f16(largest_min / 63.0F);
  const float scale = f16_to_f32(block.scale), min_scale = f16_to_f32(block.min_scale);
  std::array<std::uint8_t, 256> codes;
  for (std::size_t group = 0; group < 8; ++group) {
    const int scale_code = round_clamped(fits[group].scale * safe_inverse(scale), 0, 63);
    const int min_code = round_clamped(fits[group].min * safe_inverse(min_scale), 0, 63);
    pack_group_scale_min(block.scales, static_cast<int>(group), static_cast<std::uint8_t>(scale_code),
                         static_cast<std::uint8_t>(min_code));
    const float inverse = safe_inverse(scale * static_cast<float>(scale_code)),
                min = min_scale * static_cast<float>(min_code);
    for (std::size_t i = group * 32; i < group * 32 + 32; ++i)
      codes[i] = static_cast<std::uint8_t>(round_clamped((in[i] + min) * inverse, 0, max_code));
  }
  return codes;
}

void encode_block(std::span<const float, 256> in, BlockQ4_K& block) {
  const auto codes = encode_groups(in, 15, block);
  for (std::size_t i = 0; i < 128; ++i) {
    const std::size_t pair = i / 32, lane = i % 32;
    block.quants[i] = static_cast<std::uint8_t>(codes[pair * 64 + lane] | (codes[pair * 64 + 32 + lane] << 4));
  }
}

void encode_block(std::span<const float, 256> in, BlockQ5_K& block) {
  const auto codes = encode_groups(in, 31, block);
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
    float largest = 0;
    for (const float x : in.subspan(group * 16, 16)) {
      if (std::fabs(x) > std::fabs(largest)) largest = x;
    }
    group_scales[group] = largest / -32.0F;
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
    case DType::kQ4_K: encode_block_row<BlockQ4_K, 256>(row, n_elems, out); return;
    case DType::kQ5_K: encode_block_row<BlockQ5_K, 256>(row, n_elems, out); return;
    case DType::kQ6_K: encode_block_row<BlockQ6_K, 256>(row, n_elems, out); return;
    case DType::kF8E4M3: encode_fp8_row(row, n_elems, out); return;
  }
}

void encode_kv_row(DType dtype, const float* row, std::uint64_t n_elems, float shift, std::byte* out) {
  if (dtype != DType::kQ4_0) return encode_row(dtype, row, n_elems, out);
  encode_block_row<BlockQ4_0, 32>(row, n_elems, out,
                                  [shift](auto in, BlockQ4_0& block) { encode_searched(in, shift, block); });
}

}  // namespace headroom
