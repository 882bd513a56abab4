// What a card does at most: bytes that it reads, and operations on registers alone. What is computed is stored hardly
// ever; else nothing would have to be computed. Blocks: (any number).
#include "lib/mma.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kThreads = 256, kReads = 16;            // units of 16 bytes that a thread reads
constexpr u32 kRounds = 256, kSteps = 8, kSums = 16;  // of a thread: sums that do not wait for each other
constexpr u32 kTiles = 8;                             // of a warp, likewise

struct RateWords {
  u32 factor, addend;
};
using RateParams = Params<RateWords>;

DEVICE void store_hardly_ever(const RateParams& p, u32 all) {
  if (all == 0x9E3779B9U) *buffer<u32>(p, 4) = all;
}

}  // namespace

// Each block its own kThreads * kReads units.
KERNEL(read_rate, kThreads, RateParams) {
  const uint4* from = buffer<const uint4>(p, 1) + std::uint64_t{block_x()} * kThreads * kReads + thread_index();
  uint4 units[kReads];
#pragma unroll
  for (u32 i = 0; i < kReads; ++i) units[i] = load_stream(from + i * kThreads);
  u32 all = 0;
#pragma unroll
  for (u32 i = 0; i < kReads; ++i) all ^= units[i].x ^ units[i].y ^ units[i].z ^ units[i].w;
  store_hardly_ever(p, all);
}

KERNEL(peak_f32, kThreads, RateParams) {
  const float factor = float_of(p.words.factor), addend = float_of(p.words.addend);
  float sums[kSums];
#pragma unroll
  for (u32 i = 0; i < kSums; ++i) sums[i] = static_cast<float>(thread_index() + i);
#pragma unroll 1
  for (u32 i = 0; i < kRounds * kSteps; ++i) {
#pragma unroll
    for (float& sum : sums) sum = sum * factor + addend;
  }
  u32 all = 0;
#pragma unroll
  for (u32 i = 0; i < kSums; ++i) all ^= bits_of(sums[i]);
  store_hardly_ever(p, all);
}

KERNEL(peak_int8, kThreads, RateParams) {
  int sums[kSums];
#pragma unroll
  for (u32 i = 0; i < kSums; ++i) sums[i] = static_cast<int>(thread_index() + i);
#pragma unroll 1
  for (u32 i = 0; i < kRounds * kSteps; ++i) {
#pragma unroll
    for (int& sum : sums) sum = dot4(sum, static_cast<int>(p.words.factor), sum);
  }
  u32 all = 0;
#pragma unroll
  for (u32 i = 0; i < kSums; ++i) all ^= static_cast<u32>(sums[i]);
  store_hardly_ever(p, all);
}

// Whole tiles by the instructions of lib/mma.cuh: 16 x 8 x 32 products of int8 each, or 16 x 8 x 16 of f16.
KERNEL(peak_tiles, kThreads, RateParams) {
  int sums[kTiles][4]{};
  const u32 a[4]{p.words.factor + thread_index(), p.words.factor, p.words.addend, thread_index()};
#pragma unroll 1
  for (u32 i = 0; i < kRounds; ++i) {
#pragma unroll
    for (u32 tile = 0; tile < kTiles; ++tile)
      multiply_32(sums[tile], a, static_cast<u32>(sums[tile][0]), p.words.addend + tile);
  }
  u32 all = 0;
#pragma unroll
  for (u32 i = 0; i < kTiles; ++i) all ^= static_cast<u32>(sums[i][0] ^ sums[i][1] ^ sums[i][2] ^ sums[i][3]);
  store_hardly_ever(p, all);
}

KERNEL(peak_half_tiles, kThreads, RateParams) {
  float sums[kTiles][4]{};
  const u32 a[4]{p.words.factor, p.words.addend, p.words.factor, p.words.addend};
#pragma unroll 1
  for (u32 i = 0; i < kRounds; ++i) {
#pragma unroll
    for (float(&tile)[4] : sums) multiply_halves(tile, a, p.words.factor, p.words.addend);
  }
  u32 all = 0;
#pragma unroll
  for (u32 i = 0; i < kTiles; ++i)
    all ^= bits_of(sums[i][0]) ^ bits_of(sums[i][1]) ^ bits_of(sums[i][2]) ^ bits_of(sums[i][3]);
  store_hardly_ever(p, all);
}

}  // namespace headroom::cuda
