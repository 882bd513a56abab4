// Sixteen 32-bit lanes in one 512-bit register. Needs F, BW, VL, DQ and VNNI; what has VBMI is a set of its own.
#pragma once

#include <immintrin.h>

#include <cstdint>

// Before a loop over columns of a tile, and before one over the registers of a block: sums and weights stay in the 32
// registers.
#define HEADROOM_UNROLL_COLUMNS _Pragma("GCC unroll 8")
#define HEADROOM_UNROLL _Pragma("GCC unroll 16")
// Around the register block of a slab.
#define HEADROOM_UNROLL_SLAB _Pragma("GCC unroll 16")

#if defined(__AVX512VBMI__)
namespace headroom::isa_avx512vbmi {
#else
namespace headroom::isa_avx512 {
#endif

using F = __m512;   // 16 f32
using I = __m512i;  // 16 i32, or 64 bytes

// Panels and columns whose sums stand in registers while a slab, or a chunk of keys or values, is read: 16 chains hide
// the latency of a dot product.
inline constexpr int kSlabBlockPanels = 2;
inline constexpr int kSlabBlockCols = 8;
// Chains of dot products that registers hold: the peak is measured with them.
inline constexpr int kPeakChains = 16;
// Rows of a delta net whose sums, two each, stand in registers.
inline constexpr int kDeltaRows = 8;

inline __mmask16 first_lanes(int n) { return static_cast<__mmask16>((1U << n) - 1U); }  // n in 0..16

inline F zero_f() { return _mm512_setzero_ps(); }
inline F set_f(float value) { return _mm512_set1_ps(value); }
inline F load_f(const float* from) { return _mm512_loadu_ps(from); }
inline F load_f_n(const float* from, int n) { return _mm512_maskz_loadu_ps(first_lanes(n), from); }
inline void store_f(float* to, F value) { _mm512_storeu_ps(to, value); }
inline void store_f_n(float* to, F value, int n) { _mm512_mask_storeu_ps(to, first_lanes(n), value); }
inline F add(F a, F b) { return _mm512_add_ps(a, b); }
inline F sub(F a, F b) { return _mm512_sub_ps(a, b); }
inline F mul(F a, F b) { return _mm512_mul_ps(a, b); }
inline F div(F a, F b) { return _mm512_div_ps(a, b); }
inline F sqrt(F a) { return _mm512_sqrt_ps(a); }
inline F reciprocal(F a) {  // 14 bits, and a step of Newton's
  const F guess = _mm512_rcp14_ps(a);
  return _mm512_mul_ps(guess, _mm512_fnmadd_ps(a, guess, _mm512_set1_ps(2.0F)));
}
inline F max(F a, F b) { return _mm512_max_ps(a, b); }
inline F min(F a, F b) { return _mm512_min_ps(a, b); }
inline F abs(F a) { return _mm512_abs_ps(a); }
inline F fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }  // a * b + c
inline float sum_lanes(F a) { return _mm512_reduce_add_ps(a); }
inline float max_lanes(F a) { return _mm512_reduce_max_ps(a); }
// Lanes first..last-1 of a, the others from b.
inline F select_range(F a, F b, int first, int last) {
  return _mm512_mask_blend_ps(static_cast<__mmask16>(first_lanes(last) & ~first_lanes(first)), b, a);
}

// x in the lanes where a < b, y in the others.
inline F select_less(F a, F b, F x, F y) { return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), y, x); }

// Lane i of the result is lane i ^ kStride.
template <int kStride>
inline F swap_lanes(F a) {
  if constexpr (kStride == 1) return _mm512_permute_ps(a, 0xB1);
  if constexpr (kStride == 2) return _mm512_permute_ps(a, 0x4E);
  if constexpr (kStride == 4) return _mm512_shuffle_f32x4(a, a, 0xB1);
  if constexpr (kStride == 8) return _mm512_shuffle_f32x4(a, a, 0x4E);
}

// What it holds, from the compiler.
inline void hide(I& x) { asm volatile("" : "+v"(x)); }
inline I zero_i() { return _mm512_setzero_si512(); }
inline I set_i(std::int32_t value) { return _mm512_set1_epi32(value); }
inline I load_i(const std::byte* from) { return _mm512_loadu_si512(from); }
inline void store_i(std::byte* to, I value) { _mm512_storeu_si512(to, value); }
inline I add_i(I a, I b) { return _mm512_add_epi32(a, b); }
inline I and_i(I a, I b) { return _mm512_and_si512(a, b); }
inline I xor_i(I a, I b) { return _mm512_xor_si512(a, b); }
inline I or_and(I a, I b, I mask) { return _mm512_ternarylogic_epi32(a, b, mask, 0xF8); }  // a | (b & mask)
template <int kBits>
inline I shift_right(I a) {
  return _mm512_srli_epi32(a, kBits);
}
inline I shift_right_by(I a, std::uint32_t n_bits) {  // n_bits: 0 to 31, known only at run time
  return _mm512_srl_epi32(a, _mm_cvtsi32_si128(static_cast<int>(n_bits)));
}
template <int kBits>
inline I shift_left(I a) {
  return _mm512_slli_epi32(a, kBits);
}
inline I add16(I a, I b) { return _mm512_add_epi16(a, b); }  // 32 lanes of 16 bits
inline I mul16(I a, I b) { return _mm512_mullo_epi16(a, b); }
template <int kBits>
inline I shift_right16(I a) {
  return _mm512_srli_epi16(a, kBits);
}
template <int kByte>
inline I signed_byte(I a) {  // of each lane, widened
  return _mm512_srai_epi32(_mm512_slli_epi32(a, 24 - 8 * kByte), 24);
}
inline F to_f(I a) { return _mm512_cvtepi32_ps(a); }
inline I to_i(F a) { return _mm512_cvtps_epi32(a); }  // nearest, ties to even
inline F bits_to_f(I a) { return _mm512_castsi512_ps(a); }
inline I f_bits(F a) { return _mm512_castps_si512(a); }
inline void store_bytes(std::int8_t* to, I a) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(a));
}  // low byte of each lane

// A table of 16 bytes, and of each byte of `codes`, 0 to 15, what stands there in it.
inline I table_of(const std::uint8_t (&bytes)[16]) {
  return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
}
inline I look_up(I table, I codes) { return _mm512_shuffle_epi8(table, codes); }
#if defined(__AVX512VBMI__)
// Of each lane the word of a table that has this number. Slow before Sapphire Rapids, where fastest_label_look_up()
// chooses kernels that do not gather.
inline I gather_i(const std::uint32_t* table, I indices) { return _mm512_i32gather_epi32(indices, table, 4); }
#endif
inline I load_u8(const std::byte* from) {  // a byte a lane
  return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

inline I broadcast4(const std::int8_t* from) {  // the same 4 bytes in every lane
  std::int32_t four = 0;
  __builtin_memcpy(&four, from, 4);
  return _mm512_set1_epi32(four);
}
// acc + sum over the 4 bytes of each lane of (w - 128) * a; the start value carries -128 * sum(a).
inline I start_biased(std::int32_t minus_128_sum) { return _mm512_set1_epi32(minus_128_sum); }
inline I dot_biased(I acc, I w, I four) { return _mm512_dpbusd_epi32(acc, w, four); }
// acc + sum over the 4 bytes of each lane of w * a, w at most 127.
inline I dot_small(I acc, I w, I four) { return _mm512_dpbusd_epi32(acc, w, four); }

// acc + the products of the two 16-bit numbers of each lane.
inline I dot_words(I acc, I w, I pair) { return _mm512_dpwssd_epi32(acc, w, pair); }
inline void store_words(std::int16_t* to, I a) {  // low half of each lane
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi32_epi16(a));
}

inline F load_f16(const std::byte* from) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}
inline void store_f16(std::byte* to, F a) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                      _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
inline F load_f16_n(const std::byte* from, int n) {
  return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(first_lanes(n), from));
}
inline F load_bf16(const std::byte* from) {
  return bits_to_f(
      _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))), 16));
}
// E4M3 has the exponent bias 7, f16 has 15: the bits moved over are the value times 2^-8, subnormals included.
inline constexpr float kE4M3Factor = 256.0F;
inline F e4m3_lanes(__m128i bytes) {
  const __m256i wide = _mm256_slli_epi16(_mm256_cvtepi8_epi16(bytes), 7);
  return _mm512_cvtph_ps(_mm256_and_si256(wide, _mm256_set1_epi16(static_cast<short>(0xBFFF))));
}
inline F load_e4m3(const std::byte* from) {
  return e4m3_lanes(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
inline void load_e4m3_pair(const std::byte* from, F& a, F& b) {  // 32 at once
  const __m512i wide =
      _mm512_slli_epi16(_mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))), 7);
  const __m512i halves = _mm512_and_si512(wide, _mm512_set1_epi16(static_cast<short>(0xBFFF)));
  a = _mm512_cvtph_ps(_mm512_castsi512_si256(halves));
  b = _mm512_cvtph_ps(_mm512_extracti64x4_epi64(halves, 1));
}
inline F load_e4m3_n(const std::byte* from, int n) { return e4m3_lanes(_mm_maskz_loadu_epi8(first_lanes(n), from)); }
inline F load_s8(const std::byte* from) {
  return to_f(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
}
// 16 bytes of nibbles: low ones less 8, and high ones less 8.
inline void load_nibbles(const std::byte* from, F& low, F& high) {
  const I bytes = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  const F table = _mm512_setr_ps(-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7);
  low = _mm512_permutexvar_ps(bytes, table);  // looks at the low 4 bits only
  high = _mm512_permutexvar_ps(_mm512_srli_epi32(bytes, 4), table);
}

}  // namespace headroom::isa_avx512 or isa_avx512vbmi
