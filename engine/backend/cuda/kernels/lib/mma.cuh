// Products of tiles by a warp's instruction: sums += a b, of 16 rows of a and 8 columns of b. Lane l has of a the words
// at rows l / 4 and l / 4 + 8, of b those of column l / 4. Its sums are those of row l / 4, columns 2 (l % 4) and the
// next one, then of row l / 4 + 8. PTX ISA, "Matrix fragments for mma.m16n8k16" and "mma.m16n8k32".
//
// int8: words of 4 elements, 16 or 32 of them between: of a word l % 4 of both rows (a0, a1), with 32 also word
// l % 4 + 4 (a2, a3); of b the same words (b0, b1).
// f16: words of 2 elements, 16 of them between: of a word l % 4 of both rows (a[0], a[1]), and word l % 4 + 4 (a[2],
// a[3]); of b the same words (b0, b1).
#pragma once

#include "lib/params.cuh"

namespace headroom::cuda {

// Which of its two rows the sum i of a lane is of: 0 is row l / 4, 1 is row l / 4 + 8.
DEVICE constexpr u32 row_of_sum(u32 i) { return i / 2; }

#ifdef __CUDACC__

#if __CUDA_ARCH__ >= 800
DEVICE void multiply_16(int (&sums)[4], u32 a0, u32 a1, u32 b0) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
               : "r"(a0), "r"(a1), "r"(b0));
}
DEVICE void multiply_32(int (&sums)[4], const u32 (&a)[4], u32 b0, u32 b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
#else
DEVICE void multiply_8_rows(int& first, int& second, u32 a, u32 b) {
  asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+r"(first), "+r"(second)
               : "r"(a), "r"(b));
}
DEVICE void multiply_16(int (&sums)[4], u32 a0, u32 a1, u32 b0) {
  multiply_8_rows(sums[0], sums[1], a0, b0);
  multiply_8_rows(sums[2], sums[3], a1, b0);
}
DEVICE void multiply_32(int (&sums)[4], const u32 (&a)[4], u32 b0, u32 b1) {
  multiply_16(sums, a[0], a[1], b0);
  multiply_16(sums, a[2], a[3], b1);
}
#endif

// Cards before sm_80 have instructions for 8 elements between.
DEVICE void multiply_halves(float (&sums)[4], const u32 (&a)[4], u32 b0, u32 b1) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  for (u32 half = 0; half < 2; ++half) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                 : "r"(a[2 * half]), "r"(a[2 * half + 1]), "r"(half == 0 ? b0 : b1));
  }
#endif
}

// Four tiles of 8 rows of 8 f16 from shared memory: row r of tile m begins at the word that lane 8 m + r names, a
// multiple of 4. The lane gets of each the word l % 4 of row l / 4; transposed, the elements 2 (l % 4) and the next one
// of column l / 4. PTX ISA, "ldmatrix".
template <bool kIsTransposed, std::size_t n>
DEVICE void load_tiles(u32 (&tiles)[4], u32 (&area)[n], u32 word) {
  const u32 at = shared_address(area, word);
  if constexpr (kIsTransposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(tiles[0]), "=r"(tiles[1]), "=r"(tiles[2]), "=r"(tiles[3])
                 : "r"(at)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(tiles[0]), "=r"(tiles[1]), "=r"(tiles[2]), "=r"(tiles[3])
                 : "r"(at)
                 : "memory");
  }
}

#else

// What the instructions are documented to do, from what lanes tell each other.
inline void multiply_16(int (&sums)[4], u32 a0, u32 a1, u32 b0) {
  const u32 lane = lane_index();
  for (u32 word = 0; word < 4; ++word) {
    const u32 from_a = lane / 4 * 4 + word, from_b = lane % 4 * 8 + word;
    const int upper = static_cast<int>(shuffle(a0, from_a)), lower = static_cast<int>(shuffle(a1, from_a));
    const int even = static_cast<int>(shuffle(b0, from_b)), odd = static_cast<int>(shuffle(b0, from_b + 4));
    sums[0] = dot4(upper, even, sums[0]);
    sums[1] = dot4(upper, odd, sums[1]);
    sums[2] = dot4(lower, even, sums[2]);
    sums[3] = dot4(lower, odd, sums[3]);
  }
}
inline void multiply_32(int (&sums)[4], const u32 (&a)[4], u32 b0, u32 b1) {
  multiply_16(sums, a[0], a[1], b0);
  multiply_16(sums, a[2], a[3], b1);
}

// Sixteen elements of a row or column, of which each lane has words.
struct HalfRow {
  float of[16];
  void put(u32 word, u32 both) {
    of[2 * word] = half_to_float(static_cast<std::uint16_t>(both));
    of[2 * word + 1] = half_to_float(static_cast<std::uint16_t>(both >> 16));
  }
};
inline void multiply_halves(float (&sums)[4], const u32 (&a)[4], u32 b0, u32 b1) {
  const u32 lane = lane_index();
  const u32 own[3][2] = {{a[0], a[1]}, {a[2], a[3]}, {b0, b1}};
  HalfRow upper, lower, even, odd;
  for (u32 i = 0; i < 3; ++i) {
    const std::uint64_t* all =
        emulated::exchange(own[i][0] | std::uint64_t{own[i][1]} << 32, __builtin_FILE(), __builtin_LINE());
    for (u32 word = 0; word < 4; ++word) {
      if (i < 2) {
        const std::uint64_t both = all[lane / 4 * 4 + word];
        upper.put(4 * i + word, static_cast<u32>(both));
        lower.put(4 * i + word, static_cast<u32>(both >> 32));
      } else {
        const std::uint64_t of_even = all[lane % 4 * 8 + word], of_odd = all[lane % 4 * 8 + 4 + word];
        even.put(word, static_cast<u32>(of_even));
        even.put(4 + word, static_cast<u32>(of_even >> 32));
        odd.put(word, static_cast<u32>(of_odd));
        odd.put(4 + word, static_cast<u32>(of_odd >> 32));
      }
    }
  }
  for (u32 k = 0; k < 16; ++k) {
    sums[0] += upper.of[k] * even.of[k];
    sums[1] += upper.of[k] * odd.of[k];
    sums[2] += lower.of[k] * even.of[k];
    sums[3] += lower.of[k] * odd.of[k];
  }
}

template <bool kIsTransposed, class Area>
void load_tiles(u32 (&tiles)[4], const Area& area, u32 word) {
  const u32 lane = lane_index();
  const std::uint64_t* all = emulated::exchange(word, __builtin_FILE(), __builtin_LINE());
  for (u32 tile = 0; tile < 4; ++tile) {
    const auto row = [&](u32 i) { return static_cast<u32>(all[8 * tile + i]); };
    if constexpr (kIsTransposed) {
      const auto elem = [&](u32 i) { return (area[row(i) + lane / 8] >> (lane / 4 % 2 * 16)) & 0xFFFFU; };
      tiles[tile] = elem(lane % 4 * 2) | elem(lane % 4 * 2 + 1) << 16;
    } else {
      tiles[tile] = area[row(lane / 4) + (lane % 4 ^ (tile == 1 ? emulated::fragment_fault() : 0))];
    }
  }
}

#endif

}  // namespace headroom::cuda
