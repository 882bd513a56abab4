// Sixteen 32-bit lanes in two 256-bit registers. Needs AVX2, FMA and F16C; a unit that is compiled with AVX-VNNI too
// takes its dot products.
#pragma once

#include <immintrin.h>

#include <cstdint>

// Before a loop over columns of a tile, and before one over the registers of a block: 16 registers do not hold the sums
// of a tile, so its columns stay a loop.
#define HEADROOM_UNROLL_COLUMNS
#define HEADROOM_UNROLL _Pragma("GCC unroll 8")
// Around the register block of a slab, which is small enough.
#define HEADROOM_UNROLL_SLAB _Pragma("GCC unroll 8")

#if defined(__AVXVNNI__)
namespace headroom::isa_avxvnni {
#else
namespace headroom::isa_avx2 {
#endif

// Panels and columns whose sums stand in registers while a slab, or a chunk of keys or values, is read.
inline constexpr int kSlabBlockPanels = 1;
inline constexpr int kSlabBlockCols = 4;
// Chains of dot products that registers hold: the peak is measured with them.
inline constexpr int kPeakChains = 6;
// Rows of a delta net whose sums, two each, stand in registers.
inline constexpr int kDeltaRows = 2;

struct F {  // 16 f32
  __m256 a, b;
};
struct I {  // 16 i32, or 64 bytes
  __m256i a, b;
};

inline F zero_f() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }
inline F set_f(float value) { return {_mm256_set1_ps(value), _mm256_set1_ps(value)}; }
inline F load_f(const float* from) { return {_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8)}; }
inline void store_f(float* to, F value) {
  _mm256_storeu_ps(to, value.a);
  _mm256_storeu_ps(to + 8, value.b);
}

#include "backend/cpu/isa/part_lanes.inl"

inline F add(F x, F y) { return {_mm256_add_ps(x.a, y.a), _mm256_add_ps(x.b, y.b)}; }
inline F sub(F x, F y) { return {_mm256_sub_ps(x.a, y.a), _mm256_sub_ps(x.b, y.b)}; }
inline F mul(F x, F y) { return {_mm256_mul_ps(x.a, y.a), _mm256_mul_ps(x.b, y.b)}; }
inline F div(F x, F y) { return {_mm256_div_ps(x.a, y.a), _mm256_div_ps(x.b, y.b)}; }
inline F sqrt(F x) { return {_mm256_sqrt_ps(x.a), _mm256_sqrt_ps(x.b)}; }
inline __m256 reciprocal(__m256 a) {  // 12 bits, and a step of Newton's
  const __m256 guess = _mm256_rcp_ps(a);
  return _mm256_mul_ps(guess, _mm256_fnmadd_ps(a, guess, _mm256_set1_ps(2.0F)));
}
inline F reciprocal(F x) { return {reciprocal(x.a), reciprocal(x.b)}; }
inline F max(F x, F y) { return {_mm256_max_ps(x.a, y.a), _mm256_max_ps(x.b, y.b)}; }
inline F min(F x, F y) { return {_mm256_min_ps(x.a, y.a), _mm256_min_ps(x.b, y.b)}; }
inline F abs(F x) {
  const __m256 sign = _mm256_set1_ps(-0.0F);
  return {_mm256_andnot_ps(sign, x.a), _mm256_andnot_ps(sign, x.b)};
}
inline F fma(F x, F y, F z) { return {_mm256_fmadd_ps(x.a, y.a, z.a), _mm256_fmadd_ps(x.b, y.b, z.b)}; }  // x * y + z
inline float sum_lanes(F x) {
  const __m256 half = _mm256_add_ps(x.a, x.b);
  __m128 quarter = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
  quarter = _mm_add_ps(quarter, _mm_movehl_ps(quarter, quarter));
  return _mm_cvtss_f32(_mm_add_ss(quarter, _mm_movehdup_ps(quarter)));
}
inline float max_lanes(F x) {
  const __m256 half = _mm256_max_ps(x.a, x.b);
  __m128 quarter = _mm_max_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
  quarter = _mm_max_ps(quarter, _mm_movehl_ps(quarter, quarter));
  return _mm_cvtss_f32(_mm_max_ss(quarter, _mm_movehdup_ps(quarter)));
}
// Lanes first..last-1 of x, the others from y.
inline F select_range(F x, F y, int first, int last) {
  const __m256i low = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), high = _mm256_add_epi32(low, _mm256_set1_epi32(8));
  const __m256i before = _mm256_set1_epi32(first - 1), end = _mm256_set1_epi32(last);
  const __m256i in_a = _mm256_and_si256(_mm256_cmpgt_epi32(low, before), _mm256_cmpgt_epi32(end, low));
  const __m256i in_b = _mm256_and_si256(_mm256_cmpgt_epi32(high, before), _mm256_cmpgt_epi32(end, high));
  return {_mm256_blendv_ps(y.a, x.a, _mm256_castsi256_ps(in_a)), _mm256_blendv_ps(y.b, x.b, _mm256_castsi256_ps(in_b))};
}

// z in the lanes where x < y, other in the others.
inline F select_less(F x, F y, F z, F other) {
  return {_mm256_blendv_ps(other.a, z.a, _mm256_cmp_ps(x.a, y.a, _CMP_LT_OQ)),
          _mm256_blendv_ps(other.b, z.b, _mm256_cmp_ps(x.b, y.b, _CMP_LT_OQ))};
}

// Lane i of the result is lane i ^ kStride.
template <int kStride>
inline F swap_lanes(F x) {
  if constexpr (kStride == 1) return {_mm256_permute_ps(x.a, 0xB1), _mm256_permute_ps(x.b, 0xB1)};
  if constexpr (kStride == 2) return {_mm256_permute_ps(x.a, 0x4E), _mm256_permute_ps(x.b, 0x4E)};
  if constexpr (kStride == 4) return {_mm256_permute2f128_ps(x.a, x.a, 1), _mm256_permute2f128_ps(x.b, x.b, 1)};
  if constexpr (kStride == 8) return {x.b, x.a};
}

// What it holds, from the compiler.
inline void hide(I& x) { asm volatile("" : "+x"(x.a), "+x"(x.b)); }
inline I zero_i() { return {_mm256_setzero_si256(), _mm256_setzero_si256()}; }
inline I set_i(std::int32_t value) { return {_mm256_set1_epi32(value), _mm256_set1_epi32(value)}; }
inline I load_i(const std::byte* from) {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)),
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 32))};
}
inline void store_i(std::byte* to, I value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value.a);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 32), value.b);
}
inline I add_i(I x, I y) { return {_mm256_add_epi32(x.a, y.a), _mm256_add_epi32(x.b, y.b)}; }
inline I and_i(I x, I y) { return {_mm256_and_si256(x.a, y.a), _mm256_and_si256(x.b, y.b)}; }
inline I xor_i(I x, I y) { return {_mm256_xor_si256(x.a, y.a), _mm256_xor_si256(x.b, y.b)}; }
inline I or_and(I x, I y, I mask) {  // x | (y & mask)
  return {_mm256_or_si256(x.a, _mm256_and_si256(y.a, mask.a)), _mm256_or_si256(x.b, _mm256_and_si256(y.b, mask.b))};
}
template <int kBits>
inline I shift_right(I x) {
  return {_mm256_srli_epi32(x.a, kBits), _mm256_srli_epi32(x.b, kBits)};
}
inline I shift_right_by(I x, std::uint32_t n_bits) {  // n_bits: 0 to 31, known only at run time
  const __m128i n = _mm_cvtsi32_si128(static_cast<int>(n_bits));
  return {_mm256_srl_epi32(x.a, n), _mm256_srl_epi32(x.b, n)};
}
template <int kBits>
inline I shift_left(I x) {
  return {_mm256_slli_epi32(x.a, kBits), _mm256_slli_epi32(x.b, kBits)};
}
inline I add16(I x, I y) { return {_mm256_add_epi16(x.a, y.a), _mm256_add_epi16(x.b, y.b)}; }  // 32 lanes of 16 bits
inline I mul16(I x, I y) { return {_mm256_mullo_epi16(x.a, y.a), _mm256_mullo_epi16(x.b, y.b)}; }
template <int kBits>
inline I shift_right16(I x) {
  return {_mm256_srli_epi16(x.a, kBits), _mm256_srli_epi16(x.b, kBits)};
}
template <int kByte>
inline I signed_byte(I x) {  // of each lane, widened
  constexpr int kLeft = 24 - 8 * kByte;
  return {_mm256_srai_epi32(_mm256_slli_epi32(x.a, kLeft), 24), _mm256_srai_epi32(_mm256_slli_epi32(x.b, kLeft), 24)};
}
inline F to_f(I x) { return {_mm256_cvtepi32_ps(x.a), _mm256_cvtepi32_ps(x.b)}; }
inline I to_i(F x) { return {_mm256_cvtps_epi32(x.a), _mm256_cvtps_epi32(x.b)}; }  // nearest, ties to even
inline F bits_to_f(I x) { return {_mm256_castsi256_ps(x.a), _mm256_castsi256_ps(x.b)}; }
inline I f_bits(F x) { return {_mm256_castps_si256(x.a), _mm256_castps_si256(x.b)}; }
inline void store_bytes(std::int8_t* to, I x) {  // low byte of each lane; lanes are within a byte
  const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(x.a, x.b), 0xD8);
  const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes);
}

// A table of 16 bytes, and of each byte of `codes`, 0 to 15, what stands there in it.
inline I table_of(const std::uint8_t (&bytes)[16]) {
  const __m256i both = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
  return {both, both};
}
inline I look_up(I table, I codes) {
  return {_mm256_shuffle_epi8(table.a, codes.a), _mm256_shuffle_epi8(table.b, codes.b)};
}
#if defined(__AVXVNNI__)
// Of each lane the word of a table that has this number. Processors with AVX2 alone have slow gathers: AMD's always
// had, and to Intel's an update against Downfall gave them.
inline I gather_i(const std::uint32_t* table, I indices) {
  const int* words = reinterpret_cast<const int*>(table);
  return {_mm256_i32gather_epi32(words, indices.a, 4), _mm256_i32gather_epi32(words, indices.b, 4)};
}
#endif
inline I load_u8(const std::byte* from) {  // a byte a lane
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  return {_mm256_cvtepu8_epi32(bytes), _mm256_cvtepu8_epi32(_mm_srli_si128(bytes, 8))};
}

inline __m256i broadcast4(const std::int8_t* from) {  // the same 4 bytes in every lane
  std::int32_t four = 0;
  __builtin_memcpy(&four, from, 4);
  return _mm256_set1_epi32(four);
}
#if defined(__AVXVNNI__)
// acc + sum over the 4 bytes of each lane of (w - 128) * a; the start value carries -128 * sum(a).
inline I start_biased(std::int32_t minus_128_sum) { return set_i(minus_128_sum); }
inline I dot_biased(I acc, I w, __m256i four) {
  return {_mm256_dpbusd_avx_epi32(acc.a, w.a, four), _mm256_dpbusd_avx_epi32(acc.b, w.b, four)};
}
// acc + sum over the 4 bytes of each lane of w * a, w at most 127.
inline I dot_small(I acc, I w, __m256i four) { return dot_biased(acc, w, four); }
// acc + the products of the two 16-bit numbers of each lane.
inline I dot_words(I acc, I w, __m256i pair) {
  return {_mm256_dpwssd_avx_epi32(acc.a, w.a, pair), _mm256_dpwssd_avx_epi32(acc.b, w.b, pair)};
}
#else
inline __m256i add_pairs(__m256i acc, __m256i products) {
  return _mm256_add_epi32(acc, _mm256_madd_epi16(products, _mm256_set1_epi16(1)));
}
// acc + sum over the 4 bytes of each lane of (w - 128) * a, exact for |a| <= 127: 2 * 128 * 127 is still within 16
// bits.
inline __m256i dot_biased_half(__m256i acc, __m256i w, __m256i a) {
  const __m256i value = _mm256_xor_si256(w, _mm256_set1_epi8(static_cast<char>(0x80)));
  return add_pairs(acc, _mm256_maddubs_epi16(_mm256_abs_epi8(value), _mm256_sign_epi8(a, value)));
}
inline I start_biased(std::int32_t) { return zero_i(); }
inline I dot_biased(I acc, I w, __m256i four) {
  return {dot_biased_half(acc.a, w.a, four), dot_biased_half(acc.b, w.b, four)};
}
// acc + sum over the 4 bytes of each lane of w * a, w at most 127.
inline I dot_small(I acc, I w, __m256i four) {
  return {add_pairs(acc.a, _mm256_maddubs_epi16(w.a, four)), add_pairs(acc.b, _mm256_maddubs_epi16(w.b, four))};
}

// acc + the products of the two 16-bit numbers of each lane.
inline I dot_words(I acc, I w, __m256i pair) {
  return {_mm256_add_epi32(acc.a, _mm256_madd_epi16(w.a, pair)), _mm256_add_epi32(acc.b, _mm256_madd_epi16(w.b, pair))};
}

// What dot_codes.inl needs. Unsigned bytes times the four activations, pairs of products added in 16 bits, which must
// hold them.
inline I mul_bytes(I w, __m256i four) { return {_mm256_maddubs_epi16(w.a, four), _mm256_maddubs_epi16(w.b, four)}; }
// acc + the products of the two 16-bit numbers of each lane.
inline I add_products(I acc, I x, I y) {
  return {_mm256_add_epi32(acc.a, _mm256_madd_epi16(x.a, y.a)), _mm256_add_epi32(acc.b, _mm256_madd_epi16(x.b, y.b))};
}
template <int kBits>
inline I shift_signed16(I x) {
  return {_mm256_srai_epi16(x.a, kBits), _mm256_srai_epi16(x.b, kBits)};
}
// Bytes `low` and `high` of each lane as the upper bytes of its two 16-bit halves.
inline I bytes_in_halves(I x, int low, int high) {
  const __m256i lanes = _mm256_setr_epi32(0, 0x04000400, 0x08000800, 0x0C000C00, 0, 0x04000400, 0x08000800, 0x0C000C00);
  const __m256i from =
      _mm256_add_epi32(lanes, _mm256_set1_epi32(static_cast<int>(0x00800080U) + (low << 8) + (high << 24)));
  return {_mm256_shuffle_epi8(x.a, from), _mm256_shuffle_epi8(x.b, from)};
}
#endif
inline void store_words(std::int16_t* to, I x) {  // low half of each lane; lanes are within it
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permute4x64_epi64(_mm256_packs_epi32(x.a, x.b), 0xD8));
}

inline __m128i load_128(const std::byte* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }
inline F f16_lanes(__m128i low, __m128i high) { return {_mm256_cvtph_ps(low), _mm256_cvtph_ps(high)}; }
inline F load_f16(const std::byte* from) { return f16_lanes(load_128(from), load_128(from + 16)); }
inline void store_f16(std::byte* to, F x) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_cvtps_ph(x.a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 16),
                   _mm256_cvtps_ph(x.b, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
inline F load_f16_n(const std::byte* from, int n) {
  std::byte lanes[32] = {};
  __builtin_memcpy(lanes, from, static_cast<unsigned>(n) * 2);
  return load_f16(lanes);
}
inline F load_bf16(const std::byte* from) {
  return bits_to_f({_mm256_slli_epi32(_mm256_cvtepu16_epi32(load_128(from)), 16),
                    _mm256_slli_epi32(_mm256_cvtepu16_epi32(load_128(from + 16)), 16)});
}
// E4M3 has the exponent bias 7, f16 has 15: the bits moved over are the value times 2^-8, subnormals included.
inline constexpr float kE4M3Factor = 256.0F;
inline F load_e4m3(const std::byte* from) {
  const __m256i wide = _mm256_slli_epi16(_mm256_cvtepi8_epi16(load_128(from)), 7);
  const __m256i halves = _mm256_and_si256(wide, _mm256_set1_epi16(static_cast<short>(0xBFFF)));
  return f16_lanes(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
}
inline F load_e4m3_n(const std::byte* from, int n) {
  std::byte lanes[16] = {};
  __builtin_memcpy(lanes, from, static_cast<unsigned>(n));
  return load_e4m3(lanes);
}
inline void load_e4m3_pair(const std::byte* from, F& a, F& b) {
  a = load_e4m3(from);
  b = load_e4m3(from + 16);
}
inline F load_s8(const std::byte* from) {
  const __m128i bytes = load_128(from);
  return to_f({_mm256_cvtepi8_epi32(bytes), _mm256_cvtepi8_epi32(_mm_srli_si128(bytes, 8))});
}
// 16 bytes of nibbles: low ones less 8, and high ones less 8.
inline void load_nibbles(const std::byte* from, F& low, F& high) {
  const __m128i bytes = load_128(from);
  const I wide{_mm256_cvtepu8_epi32(bytes), _mm256_cvtepu8_epi32(_mm_srli_si128(bytes, 8))};
  const F eight = set_f(8.0F);
  low = sub(to_f(and_i(wide, set_i(15))), eight);
  high = sub(to_f(shift_right<4>(wide)), eight);
}

}  // namespace headroom::isa_avx2 or isa_avxvnni
