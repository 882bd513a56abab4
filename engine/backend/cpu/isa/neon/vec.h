// Sixteen 32-bit lanes in four 128-bit registers. Needs Armv8.2-A with SDOT.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>

// Before a loop over columns of a tile, and before one over the registers of a block: 32 registers hold the sums of two
// columns beside the weights, so columns stay a loop.
#define HEADROOM_UNROLL_COLUMNS
#define HEADROOM_UNROLL _Pragma("GCC unroll 8")
// Around the register block of a slab, which is small enough.
#define HEADROOM_UNROLL_SLAB _Pragma("GCC unroll 8")

namespace headroom::isa_neon {

// Panels and columns whose sums stand in registers while a slab, or a chunk of keys or values, is read.
inline constexpr int kSlabBlockPanels = 1;
inline constexpr int kSlabBlockCols = 4;
// Chains of dot products that registers hold: the peak is measured with them.
inline constexpr int kPeakChains = 6;
// Rows of a delta net whose sums, two each, stand in registers.
inline constexpr int kDeltaRows = 2;

struct F {  // 16 f32
  float32x4_t q[4];
};
struct I {  // 16 u32, or 64 bytes
  uint32x4_t q[4];
};

// The same operation on each of the four registers.
template <class Op>
inline F each_f(Op op) {
  return {{op(0), op(1), op(2), op(3)}};
}
template <class Op>
inline I each_i(Op op) {
  return {{op(0), op(1), op(2), op(3)}};
}

inline F set_f(float value) {
  return each_f([=](int) { return vdupq_n_f32(value); });
}
inline F zero_f() { return set_f(0.0F); }
inline F load_f(const float* from) {
  return each_f([=](int i) { return vld1q_f32(from + 4 * i); });
}
inline void store_f(float* to, F value) {
  for (int i = 0; i < 4; ++i) vst1q_f32(to + 4 * i, value.q[i]);
}

#include "backend/cpu/isa/part_lanes.inl"

inline F add(F x, F y) {
  return each_f([&](int i) { return vaddq_f32(x.q[i], y.q[i]); });
}
inline F sub(F x, F y) {
  return each_f([&](int i) { return vsubq_f32(x.q[i], y.q[i]); });
}
inline F mul(F x, F y) {
  return each_f([&](int i) { return vmulq_f32(x.q[i], y.q[i]); });
}
inline F div(F x, F y) {
  return each_f([&](int i) { return vdivq_f32(x.q[i], y.q[i]); });
}
inline F sqrt(F x) {
  return each_f([&](int i) { return vsqrtq_f32(x.q[i]); });
}
inline F reciprocal(F x) {  // 8 bits, and two steps of Newton's
  return each_f([&](int i) {
    const float32x4_t guess = vrecpeq_f32(x.q[i]), better = vmulq_f32(guess, vrecpsq_f32(x.q[i], guess));
    return vmulq_f32(better, vrecpsq_f32(x.q[i], better));
  });
}
inline F max(F x, F y) {
  return each_f([&](int i) { return vmaxq_f32(x.q[i], y.q[i]); });
}
inline F min(F x, F y) {
  return each_f([&](int i) { return vminq_f32(x.q[i], y.q[i]); });
}
inline F abs(F x) {
  return each_f([&](int i) { return vabsq_f32(x.q[i]); });
}
inline F fma(F x, F y, F z) {  // x * y + z
  return each_f([&](int i) { return vfmaq_f32(z.q[i], x.q[i], y.q[i]); });
}
inline float sum_lanes(F x) { return vaddvq_f32(vaddq_f32(vaddq_f32(x.q[0], x.q[1]), vaddq_f32(x.q[2], x.q[3]))); }
inline float max_lanes(F x) { return vmaxvq_f32(vmaxq_f32(vmaxq_f32(x.q[0], x.q[1]), vmaxq_f32(x.q[2], x.q[3]))); }
// Lanes first..last-1 of x, the others from y.
inline F select_range(F x, F y, int first, int last) {
  const int32x4_t four_lanes = {0, 1, 2, 3};
  return each_f([&](int i) {
    const int32x4_t lane = vaddq_s32(four_lanes, vdupq_n_s32(4 * i));
    const uint32x4_t inside = vandq_u32(vcgeq_s32(lane, vdupq_n_s32(first)), vcltq_s32(lane, vdupq_n_s32(last)));
    return vbslq_f32(inside, x.q[i], y.q[i]);
  });
}

// z in the lanes where x < y, other in the others.
inline F select_less(F x, F y, F z, F other) {
  return each_f([&](int i) { return vbslq_f32(vcltq_f32(x.q[i], y.q[i]), z.q[i], other.q[i]); });
}

// Lane i of the result is lane i ^ kStride.
template <int kStride>
inline F swap_lanes(F x) {
  return each_f([&](int i) {
    if constexpr (kStride == 1) return vrev64q_f32(x.q[i]);
    if constexpr (kStride == 2) return vextq_f32(x.q[i], x.q[i], 2);
    if constexpr (kStride >= 4) return x.q[i ^ (kStride / 4)];
  });
}

inline I set_i(std::int32_t value) {
  return each_i([=](int) { return vdupq_n_u32(static_cast<std::uint32_t>(value)); });
}
// What it holds, from the compiler.
inline void hide(I& x) { asm volatile("" : "+w"(x.q[0]), "+w"(x.q[1]), "+w"(x.q[2]), "+w"(x.q[3])); }
inline I zero_i() { return set_i(0); }
inline uint8x16_t load_16(const std::byte* from) { return vld1q_u8(reinterpret_cast<const std::uint8_t*>(from)); }
inline I load_i(const std::byte* from) {
  return each_i([=](int i) { return vreinterpretq_u32_u8(load_16(from + 16 * i)); });
}
inline void store_i(std::byte* to, I value) {
  for (int i = 0; i < 4; ++i) vst1q_u8(reinterpret_cast<std::uint8_t*>(to) + 16 * i, vreinterpretq_u8_u32(value.q[i]));
}
inline I add_i(I x, I y) {
  return each_i([&](int i) { return vaddq_u32(x.q[i], y.q[i]); });
}
inline I and_i(I x, I y) {
  return each_i([&](int i) { return vandq_u32(x.q[i], y.q[i]); });
}
inline I xor_i(I x, I y) {
  return each_i([&](int i) { return veorq_u32(x.q[i], y.q[i]); });
}
inline I or_and(I x, I y, I mask) {  // x | (y & mask)
  return each_i([&](int i) { return vorrq_u32(x.q[i], vandq_u32(y.q[i], mask.q[i])); });
}
template <int kBits>
inline I shift_left(I x) {
  return each_i([&](int i) { return vshlq_n_u32(x.q[i], kBits); });
}
template <int kBits>
inline I shift_right(I x) {
  if constexpr (kBits == 0)
    return x;  // the instruction has no shift by 0
  else
    return each_i([&](int i) { return vshrq_n_u32(x.q[i], kBits); });
}
inline I shift_right_by(I x, std::uint32_t n_bits) {  // n_bits: 0 to 31, known only at run time
  const int32x4_t n = vdupq_n_s32(-static_cast<std::int32_t>(n_bits));
  return each_i([&](int i) { return vshlq_u32(x.q[i], n); });
}
inline uint16x8_t halves(uint32x4_t x) { return vreinterpretq_u16_u32(x); }
inline I add16(I x, I y) {  // 32 lanes of 16 bits
  return each_i([&](int i) { return vreinterpretq_u32_u16(vaddq_u16(halves(x.q[i]), halves(y.q[i]))); });
}
inline I mul16(I x, I y) {
  return each_i([&](int i) { return vreinterpretq_u32_u16(vmulq_u16(halves(x.q[i]), halves(y.q[i]))); });
}
template <int kBits>
inline I shift_right16(I x) {
  return each_i([&](int i) { return vreinterpretq_u32_u16(vshrq_n_u16(halves(x.q[i]), kBits)); });
}
template <int kByte>
inline I signed_byte(I x) {  // of each lane, widened
  return each_i([&](int i) {
    const int32x4_t top = vshlq_n_s32(vreinterpretq_s32_u32(x.q[i]), 24 - 8 * kByte);
    return vreinterpretq_u32_s32(vshrq_n_s32(top, 24));
  });
}
inline F to_f(I x) {
  return each_f([&](int i) { return vcvtq_f32_s32(vreinterpretq_s32_u32(x.q[i])); });
}
inline I to_i(F x) {  // nearest, ties to even
  return each_i([&](int i) { return vreinterpretq_u32_s32(vcvtnq_s32_f32(x.q[i])); });
}
inline I f_bits(F x) {
  return each_i([&](int i) { return vreinterpretq_u32_f32(x.q[i]); });
}
inline F bits_to_f(I x) {
  return each_f([&](int i) { return vreinterpretq_f32_u32(x.q[i]); });
}
inline void store_bytes(std::int8_t* to, I x) {  // low byte of each lane
  const uint16x8_t low = vuzp1q_u16(halves(x.q[0]), halves(x.q[1]));
  const uint16x8_t high = vuzp1q_u16(halves(x.q[2]), halves(x.q[3]));
  vst1q_s8(to, vreinterpretq_s8_u8(vuzp1q_u8(vreinterpretq_u8_u16(low), vreinterpretq_u8_u16(high))));
}

// A table of 16 bytes, and of each byte of `codes`, 0 to 15, what stands there in it.
inline I table_of(const std::uint8_t (&bytes)[16]) {
  const uint32x4_t table = vreinterpretq_u32_u8(vld1q_u8(bytes));
  return {{table, table, table, table}};
}
inline I look_up(I table, I codes) {
  return each_i([&](int i) {
    return vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(table.q[i]), vreinterpretq_u8_u32(codes.q[i])));
  });
}
inline I load_u8(const std::byte* from) {  // a byte a lane
  const uint8x16_t bytes = load_16(from);
  const uint16x8_t low = vmovl_u8(vget_low_u8(bytes)), high = vmovl_high_u8(bytes);
  return {{vmovl_u16(vget_low_u16(low)), vmovl_high_u16(low), vmovl_u16(vget_low_u16(high)), vmovl_high_u16(high)}};
}

inline int8x16_t broadcast4(const std::int8_t* from) {  // the same 4 bytes in every lane
  std::int32_t four = 0;
  __builtin_memcpy(&four, from, 4);
  return vreinterpretq_s8_s32(vdupq_n_s32(four));
}
inline uint32x4_t dot_quarter(uint32x4_t acc, uint32x4_t w, int8x16_t a) {
  return vreinterpretq_u32_s32(vdotq_s32(vreinterpretq_s32_u32(acc), vreinterpretq_s8_u32(w), a));
}
// acc + sum over the 4 bytes of each lane of (w - 128) * a: with its sign bit turned, a byte is its value less 128, and
// SDOT takes signed ones.
inline I start_biased(std::int32_t) { return zero_i(); }
inline I dot_biased(I acc, I w, int8x16_t four) {
  return each_i([&](int i) { return dot_quarter(acc.q[i], veorq_u32(w.q[i], vdupq_n_u32(0x80808080U)), four); });
}
// acc + sum over the 4 bytes of each lane of w * a, w at most 127.
inline I dot_small(I acc, I w, int8x16_t four) {
  return each_i([&](int i) { return dot_quarter(acc.q[i], w.q[i], four); });
}

// acc + the products of the two 16-bit numbers of each lane.
inline I dot_words(I acc, I w, int8x16_t pair) {
  const int16x8_t a = vreinterpretq_s16_s8(pair);
  return each_i([&](int i) {
    const int16x8_t b = vreinterpretq_s16_u32(w.q[i]);
    const int32x4_t products = vpaddq_s32(vmull_s16(vget_low_s16(b), vget_low_s16(a)), vmull_high_s16(b, a));
    return vaddq_u32(acc.q[i], vreinterpretq_u32_s32(products));
  });
}
inline void store_words(std::int16_t* to, I x) {  // low half of each lane
  vst1q_s16(to, vreinterpretq_s16_u16(vuzp1q_u16(halves(x.q[0]), halves(x.q[1]))));
  vst1q_s16(to + 8, vreinterpretq_s16_u16(vuzp1q_u16(halves(x.q[2]), halves(x.q[3]))));
}

inline F f16_lanes(uint16x8_t low, uint16x8_t high) {
  const float16x8_t a = vreinterpretq_f16_u16(low), b = vreinterpretq_f16_u16(high);
  return {{vcvt_f32_f16(vget_low_f16(a)), vcvt_high_f32_f16(a), vcvt_f32_f16(vget_low_f16(b)), vcvt_high_f32_f16(b)}};
}
inline F load_f16(const std::byte* from) {
  return f16_lanes(vreinterpretq_u16_u8(load_16(from)), vreinterpretq_u16_u8(load_16(from + 16)));
}
inline void store_f16(std::byte* to, F x) {
  for (int i = 0; i < 4; ++i)
    vst1_u16(reinterpret_cast<std::uint16_t*>(to + 8 * i), vreinterpret_u16_f16(vcvt_f16_f32(x.q[i])));
}
inline F load_f16_n(const std::byte* from, int n) {
  std::byte lanes[32] = {};
  __builtin_memcpy(lanes, from, static_cast<unsigned>(n) * 2);
  return load_f16(lanes);
}
inline F load_bf16(const std::byte* from) {
  const uint16x8_t low = vreinterpretq_u16_u8(load_16(from)), high = vreinterpretq_u16_u8(load_16(from + 16));
  return bits_to_f({{vshll_n_u16(vget_low_u16(low), 16), vshll_high_n_u16(low, 16), vshll_n_u16(vget_low_u16(high), 16),
                     vshll_high_n_u16(high, 16)}});
}
// E4M3 has the exponent bias 7, f16 has 15: the bits moved over are the value times 2^-8, subnormals included.
inline constexpr float kE4M3Factor = 256.0F;
inline uint16x8_t e4m3_halves(int16x8_t widened) {  // with the sign in the upper byte
  return vandq_u16(vreinterpretq_u16_s16(vshlq_n_s16(widened, 7)), vdupq_n_u16(0xBFFF));
}
inline F load_e4m3(const std::byte* from) {
  const int8x16_t bytes = vreinterpretq_s8_u8(load_16(from));
  return f16_lanes(e4m3_halves(vmovl_s8(vget_low_s8(bytes))), e4m3_halves(vmovl_high_s8(bytes)));
}
inline void load_e4m3_pair(const std::byte* from, F& a, F& b) {
  a = load_e4m3(from);
  b = load_e4m3(from + 16);
}
inline F load_e4m3_n(const std::byte* from, int n) {
  std::byte lanes[16] = {};
  __builtin_memcpy(lanes, from, static_cast<unsigned>(n));
  return load_e4m3(lanes);
}
inline F s8_lanes(int8x16_t bytes) {
  const int16x8_t low = vmovl_s8(vget_low_s8(bytes)), high = vmovl_high_s8(bytes);
  return {{vcvtq_f32_s32(vmovl_s16(vget_low_s16(low))), vcvtq_f32_s32(vmovl_high_s16(low)),
           vcvtq_f32_s32(vmovl_s16(vget_low_s16(high))), vcvtq_f32_s32(vmovl_high_s16(high))}};
}
inline F load_s8(const std::byte* from) { return s8_lanes(vreinterpretq_s8_u8(load_16(from))); }
// 16 bytes of nibbles: low ones less 8, and high ones less 8.
inline void load_nibbles(const std::byte* from, F& low, F& high) {
  const uint8x16_t bytes = load_16(from);
  const int8x16_t eight = vdupq_n_s8(8);
  low = s8_lanes(vsubq_s8(vreinterpretq_s8_u8(vandq_u8(bytes, vdupq_n_u8(15))), eight));
  high = s8_lanes(vsubq_s8(vreinterpretq_s8_u8(vshrq_n_u8(bytes, 4)), eight));
}

}  // namespace headroom::isa_neon
