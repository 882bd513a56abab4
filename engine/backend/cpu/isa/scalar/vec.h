// Sixteen 32-bit lanes as plain arrays: works on every machine.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

// Before a loop over columns of a tile, and before one over the registers of a block: both stay loops.
#define HEADROOM_UNROLL_COLUMNS
#define HEADROOM_UNROLL
#define HEADROOM_UNROLL_SLAB

namespace headroom::isa_scalar {

// Panels and columns of a slab, or of a chunk of keys or values, whose sums are kept at once.
inline constexpr int kSlabBlockPanels = 1;
inline constexpr int kSlabBlockCols = 4;
// Chains of dot products that registers hold: the peak is measured with them.
inline constexpr int kPeakChains = 16;
// Rows of a delta net whose sums, two each, stand in registers.
inline constexpr int kDeltaRows = 8;

struct F {
  float v[16];
};
struct I {
  std::uint32_t v[16];
};

// Each lane is op() of the same lane of the operands. Operands are passed and never captured: where types say nothing
// about aliasing (-O1, or -fno-strict-aliasing at any level), GCC 13 and 14 overlook what an inlined function reads
// through the references of a closure. They then take its caller for one that reads no memory and drop the stores that
// it reads: unpacked Q4_0, Q4_K, Q5_K and Q6_K were garbage. GCC 12 and Clang are right; -fno-ipa-modref is, too.
template <class Op, class... Lanes>
inline F map_f(Op op, const Lanes&... lanes) {
  F out;
  for (int i = 0; i < 16; ++i) out.v[i] = op(lanes.v[i]...);
  return out;
}
template <class Op, class... Lanes>
inline I map_i(Op op, const Lanes&... lanes) {
  I out;
  for (int i = 0; i < 16; ++i) out.v[i] = op(lanes.v[i]...);
  return out;
}

inline F set_f(float value) {
  F out;
  for (float& lane : out.v) lane = value;
  return out;
}
inline F zero_f() { return set_f(0.0F); }
inline F load_f_n(const float* from, int n) {
  F out{};
  __builtin_memcpy(out.v, from, static_cast<unsigned>(n) * sizeof(float));
  return out;
}
inline F load_f(const float* from) { return load_f_n(from, 16); }
inline void store_f_n(float* to, const F& value, int n) {
  __builtin_memcpy(to, value.v, static_cast<unsigned>(n) * sizeof(float));
}
inline void store_f(float* to, const F& value) { store_f_n(to, value, 16); }
inline F add(const F& a, const F& b) {
  return map_f([](float x, float y) { return x + y; }, a, b);
}
inline F sub(const F& a, const F& b) {
  return map_f([](float x, float y) { return x - y; }, a, b);
}
inline F mul(const F& a, const F& b) {
  return map_f([](float x, float y) { return x * y; }, a, b);
}
inline F div(const F& a, const F& b) {
  return map_f([](float x, float y) { return x / y; }, a, b);
}
inline F sqrt(const F& a) {
  return map_f([](float x) { return std::sqrt(x); }, a);
}
// 1 / a, off by at most two units in the last place.
inline F reciprocal(const F& a) {
  return map_f([](float x) { return 1.0F / x; }, a);
}
inline F max(const F& a, const F& b) {
  return map_f([](float x, float y) { return x > y ? x : y; }, a, b);
}
inline F min(const F& a, const F& b) {
  return map_f([](float x, float y) { return x < y ? x : y; }, a, b);
}
inline F abs(const F& a) {
  return map_f([](float x) { return x < 0.0F ? -x : x; }, a);
}
inline F fma(const F& a, const F& b, const F& c) {  // a * b + c, rounded twice
  return map_f([](float x, float y, float z) { return x * y + z; }, a, b, c);
}
inline float sum_lanes(const F& a) {
  float sum = 0.0F;
  for (int i = 0; i < 16; ++i) sum += a.v[i];
  return sum;
}
inline float max_lanes(const F& a) {
  float most = a.v[0];
  for (int i = 1; i < 16; ++i) most = a.v[i] > most ? a.v[i] : most;
  return most;
}
// Lanes first..last-1 of a, the others from b.
inline F select_range(const F& a, const F& b, int first, int last) {
  F out;
  for (int i = 0; i < 16; ++i) out.v[i] = i >= first && i < last ? a.v[i] : b.v[i];
  return out;
}

// x in the lanes where a < b, y in the others.
inline F select_less(const F& a, const F& b, const F& x, const F& y) {
  return map_f([](float p, float q, float then, float otherwise) { return p < q ? then : otherwise; }, a, b, x, y);
}

// Lane i of the result is lane i ^ kStride.
template <int kStride>
inline F swap_lanes(const F& a) {
  F out;
  for (int i = 0; i < 16; ++i) out.v[i] = a.v[i ^ kStride];
  return out;
}

inline I set_i(std::int32_t value) {
  I out;
  for (std::uint32_t& lane : out.v) lane = static_cast<std::uint32_t>(value);
  return out;
}
// What it holds, from the compiler.
inline void hide(I& x) { asm volatile("" : "+m"(x)); }
inline I zero_i() { return set_i(0); }
inline I load_i(const std::byte* from) {
  I out;
  __builtin_memcpy(out.v, from, 64);
  return out;
}
inline void store_i(std::byte* to, const I& value) { __builtin_memcpy(to, value.v, 64); }
inline I add_i(const I& a, const I& b) {
  return map_i([](std::uint32_t x, std::uint32_t y) { return x + y; }, a, b);
}
inline I and_i(const I& a, const I& b) {
  return map_i([](std::uint32_t x, std::uint32_t y) { return x & y; }, a, b);
}
inline I xor_i(const I& a, const I& b) {
  return map_i([](std::uint32_t x, std::uint32_t y) { return x ^ y; }, a, b);
}
inline I or_and(const I& a, const I& b, const I& mask) {  // a | (b & mask)
  return map_i([](std::uint32_t x, std::uint32_t y, std::uint32_t z) { return x | (y & z); }, a, b, mask);
}
template <int kBits>
inline I shift_right(const I& a) {
  return map_i([](std::uint32_t x) { return x >> kBits; }, a);
}
inline I shift_right_by(const I& a, std::uint32_t n_bits) {  // n_bits: 0 to 31, known only at run time
  return map_i([n_bits](std::uint32_t x) { return x >> n_bits; }, a);
}
template <int kBits>
inline I shift_left(const I& a) {
  return map_i([](std::uint32_t x) { return x << kBits; }, a);
}
inline std::uint32_t halves(std::uint32_t low, std::uint32_t high) { return (low & 0xFFFFU) | high << 16; }
inline I add16(const I& a, const I& b) {  // 32 lanes of 16 bits
  return map_i([](std::uint32_t x, std::uint32_t y) { return halves(x + y, (x >> 16) + (y >> 16)); }, a, b);
}
inline I mul16(const I& a, const I& b) {
  return map_i([](std::uint32_t x, std::uint32_t y) { return halves(x * y, (x >> 16) * (y >> 16)); }, a, b);
}
template <int kBits>
inline I shift_right16(const I& a) {
  return map_i([](std::uint32_t x) { return halves((x & 0xFFFFU) >> kBits, x >> (16 + kBits)); }, a);
}
template <int kByte>
inline I signed_byte(const I& a) {  // of each lane, widened
  return map_i(
      [](std::uint32_t x) {
        return static_cast<std::uint32_t>(
            static_cast<std::int32_t>(static_cast<std::int8_t>((x >> (8 * kByte)) & 255U)));
      },
      a);
}
inline F to_f(const I& a) {
  return map_f([](std::uint32_t x) { return static_cast<float>(static_cast<std::int32_t>(x)); }, a);
}
inline I to_i(const F& a) {  // nearest, ties to even
  return map_i([](float x) { return static_cast<std::uint32_t>(static_cast<std::int32_t>(std::lrintf(x))); }, a);
}
inline I f_bits(const F& a) {
  I out;
  __builtin_memcpy(out.v, a.v, 64);
  return out;
}
inline F bits_to_f(const I& a) {
  F out;
  __builtin_memcpy(out.v, a.v, 64);
  return out;
}
inline void store_bytes(std::int8_t* to, const I& a) {  // low byte of each lane
  for (int i = 0; i < 16; ++i) to[i] = static_cast<std::int8_t>(a.v[i] & 255U);
}

// A table of 16 bytes, and of each byte of `codes`, 0 to 15, what stands there in it.
inline I table_of(const std::uint8_t (&bytes)[16]) {
  I out{};
  __builtin_memcpy(out.v, bytes, 16);
  return out;
}
inline I look_up(const I& table, const I& codes) {
  std::uint8_t bytes[16], in[64], found[64];
  __builtin_memcpy(bytes, table.v, 16);
  __builtin_memcpy(in, codes.v, 64);
  for (int i = 0; i < 64; ++i) found[i] = bytes[in[i] & 15];
  I out;
  __builtin_memcpy(out.v, found, 64);
  return out;
}
inline I load_u8(const std::byte* from) {  // a byte a lane
  I out;
  for (int i = 0; i < 16; ++i) out.v[i] = std::to_integer<std::uint32_t>(from[i]);
  return out;
}

inline const std::int8_t* broadcast4(const std::int8_t* from) { return from; }
inline I dot_offset(const I& acc, const I& w, const std::int8_t* a, std::int32_t offset) {
  I out;
  for (int i = 0; i < 16; ++i) {
    std::int32_t sum = static_cast<std::int32_t>(acc.v[i]);
    for (int byte = 0; byte < 4; ++byte)
      sum += (static_cast<std::int32_t>((w.v[i] >> (8 * byte)) & 255U) - offset) * a[byte];
    out.v[i] = static_cast<std::uint32_t>(sum);
  }
  return out;
}
// acc + sum over the 4 bytes of each lane of (w - 128) * a.
inline I start_biased(std::int32_t) { return zero_i(); }
inline I dot_biased(const I& acc, const I& w, const std::int8_t* a) { return dot_offset(acc, w, a, 128); }
// acc + sum over the 4 bytes of each lane of w * a.
inline I dot_small(const I& acc, const I& w, const std::int8_t* a) { return dot_offset(acc, w, a, 0); }

// acc + the products of the two 16-bit numbers of each lane.
inline I dot_words(const I& acc, const I& w, const std::int8_t* pair) {
  std::int16_t a[2];
  __builtin_memcpy(a, pair, 4);
  I out;
  for (int i = 0; i < 16; ++i) {
    const std::int32_t low = static_cast<std::int16_t>(w.v[i] & 0xFFFFU),
                       high = static_cast<std::int16_t>(w.v[i] >> 16);
    out.v[i] = acc.v[i] + static_cast<std::uint32_t>(low * a[0]) + static_cast<std::uint32_t>(high * a[1]);
  }
  return out;
}
inline void store_words(std::int16_t* to, const I& a) {  // low half of each lane
  for (int i = 0; i < 16; ++i) to[i] = static_cast<std::int16_t>(a.v[i] & 0xFFFFU);
}

inline std::uint32_t half_bits(const std::byte* from, int i) {
  std::uint16_t bits = 0;
  __builtin_memcpy(&bits, from + 2 * i, 2);
  return bits;
}
inline float bits_f(std::uint32_t bits) {
  float out = 0.0F;
  __builtin_memcpy(&out, &bits, 4);
  return out;
}
inline float half_to_f(std::uint32_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16, exponent = (bits >> 10) & 31U, mantissa = bits & 1023U;
  if (exponent == 0) return (sign != 0 ? -1.0F : 1.0F) * static_cast<float>(mantissa) * 0x1p-24F;
  return bits_f(sign | ((exponent == 31 ? 255U : exponent + 112U) << 23) | (mantissa << 13));
}
inline std::uint32_t f_to_half(float value) {  // to the nearest, ties to even
  std::uint32_t bits = 0;
  __builtin_memcpy(&bits, &value, 4);
  const std::uint32_t sign = (bits >> 16) & 0x8000U, magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return sign | 0x7E00U;
  if (magnitude >= 0x477FF000U) return sign | 0x7C00U;  // rounds to infinity
  if (magnitude < 0x38800000U) {                        // a subnormal: adding 0.5 leaves its code in the low bits
    const float shifted = bits_f(magnitude) + 0.5F;
    std::uint32_t code = 0;
    __builtin_memcpy(&code, &shifted, 4);
    return sign | (code - 0x3F000000U);
  }
  return sign | ((magnitude - 0x38000000U + 0xFFFU + ((magnitude >> 13) & 1U)) >> 13);
}
inline void store_f16(std::byte* to, const F& value) {
  for (int i = 0; i < 16; ++i) {
    const auto half = static_cast<std::uint16_t>(f_to_half(value.v[i]));
    __builtin_memcpy(to + 2 * i, &half, 2);
  }
}
inline F load_f16_n(const std::byte* from, int n) {
  F out;
  for (int i = 0; i < 16; ++i) out.v[i] = i < n ? half_to_f(half_bits(from, i)) : 0.0F;
  return out;
}
inline F load_f16(const std::byte* from) { return load_f16_n(from, 16); }
inline F load_bf16(const std::byte* from) {
  F out;
  for (int i = 0; i < 16; ++i) out.v[i] = bits_f(half_bits(from, i) << 16);
  return out;
}
// E4M3 has the exponent bias 7, f16 has 15: the bits moved over are the value times 2^-8, subnormals included.
inline constexpr float kE4M3Factor = 256.0F;
inline F load_e4m3_n(const std::byte* from, int n) {
  F out{};
  for (int i = 0; i < n; ++i) {
    const std::uint32_t bits = std::to_integer<std::uint32_t>(from[i]);
    out.v[i] = half_to_f(((bits & 0x80U) << 8) | ((bits & 0x7FU) << 7));
  }
  return out;
}
inline F load_e4m3(const std::byte* from) { return load_e4m3_n(from, 16); }
inline void load_e4m3_pair(const std::byte* from, F& a, F& b) {
  a = load_e4m3(from);
  b = load_e4m3(from + 16);
}
inline F load_s8(const std::byte* from) {
  F out;
  for (int i = 0; i < 16; ++i) out.v[i] = static_cast<float>(std::to_integer<std::int8_t>(from[i]));
  return out;
}
// 16 bytes of nibbles: low ones less 8, and high ones less 8.
inline void load_nibbles(const std::byte* from, F& low, F& high) {
  for (int i = 0; i < 16; ++i) {
    low.v[i] = static_cast<float>(std::to_integer<int>(from[i]) & 15) - 8.0F;
    high.v[i] = static_cast<float>(std::to_integer<int>(from[i]) >> 4) - 8.0F;
  }
}

}  // namespace headroom::isa_scalar
