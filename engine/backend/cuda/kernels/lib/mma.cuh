// Products of int8 tiles by a warp's instruction: sums += a b, of 16 rows of a, 8 columns of b and 16 or 32 between
// them. Lane l has of a the words (4 elements each) at rows l / 4 (a0) and l / 4 + 8 (a1), word l % 4; with 32 elements
// also the words l % 4 + 4 of both (a2, a3). Of b it has the same words of column l / 4 (b0, b1). Its sums are those of
// row l / 4, columns 2 (l % 4) and the next one, then of row l / 4 + 8. PTX ISA, "Matrix fragments for mma.m16n8k32".
#pragma once

#include "lib/params.cuh"

namespace headroom::cuda {

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

#else

// What the instruction is documented to do, from what lanes tell each other.
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

#endif

}  // namespace headroom::cuda
