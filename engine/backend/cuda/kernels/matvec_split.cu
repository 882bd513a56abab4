// Products of a matrix of plain numbers that has few panels, as a router's, with one row or with up to eight. Several
// blocks share out the rows of a panel, and their warps and lanes the columns, so that more multiprocessors read it and
// each of them asks for all of its part at once. Blocks: (panels of all matrices that are read together, times
// panel_blocks, 1). Example: of 32 rows and 2,880 columns eight blocks have four rows each. Of 15 warps the eight lanes
// that have a row have eight columns in turn: lane 4 of warp 0 the second eight of row 0, then those 960 columns on.
#include "lib/grouped.cuh"
#include "lib/products.cuh"
#include "lib/reduce.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kMostThreads = 512, kEight = 8;  // columns

using MatvecArgs = args::KernelArgs<args::MatvecConstants, args::MatvecPush>;
using MatvecParams = Params<MatvecArgs>;

DEVICE Four four_of(const float* values) {
  const float4 quad = *reinterpret_cast<const float4*>(values);
  return {quad.x, quad.y, quad.z, quad.w};
}

// Adds what the thread has of its row of the panel, times each of n_rows rows of activations. All weights of an
// iteration are asked for before the first is used: those behind the end are read from where it begins, and not added.
template <u32 kType, u32 kAhead, u32 kRows>
DEVICE void add_eights(const PanelRow& row, const float* values, const MatvecArgs& words, u32 n_rows,
                       float (&sums)[kRows]) {
  const u32 n_beside = words.panel_blocks, n_eights = words.n_cols / kEight, step = words.n_threads / kWarp * n_beside;
#pragma unroll 1
  for (u32 first = warp_index() * n_beside + lane_index() * n_beside / kWarp; first < n_eights;
       first += kAhead * step) {
    Four elems[kAhead][2];
#pragma unroll
    for (u32 i = 0; i < kAhead; ++i) {
      const u32 eight = first + i * step, at = eight < n_eights ? eight : first;
      elems[i][0] = plain_elems<kType>(row, at / 4, at % 4 * 2);
      elems[i][1] = plain_elems<kType>(row, at / 4, at % 4 * 2 + 1);
    }
#pragma unroll
    for (u32 r = 0; r < kRows; ++r) {
      if (kRows > 1 && r >= n_rows) break;
#pragma unroll
      for (u32 i = 0; i < kAhead; ++i) {
        const u32 eight = first + i * step, at = eight < n_eights ? eight : first;
        const float* with = values + std::uint64_t{r} * words.n_cols + at * kEight;
        const float more = dot(elems[i][0], four_of(with)) + dot(elems[i][1], four_of(with + 4));
        sums[r] += eight < n_eights ? more : 0;
      }
    }
  }
}

template <u32 kAhead, u32 kRows>
DEVICE void matvec_split(const BatchedLaunch<MatvecArgs>& all, auto& part_sums) {
  const u32 member = member_at(all, block_x()), across = block_x() - all.firsts[member];
  const MatvecParams& p = all.members[member].params;
  const MatvecArgs& words = p.words;
  const ProductConstants& constants = words.product;
  u32 n_rows = 1;
  if constexpr (kRows > 1)
    n_rows = smaller(kRows, constants.is_of_logits != 0 ? step_logit_rows(inputs_of(p)) : step_rows(inputs_of(p)));
  const u32 of_block = kPanelRows / words.panel_blocks, panel = across / words.panel_blocks;
  const u32 first = across % words.panel_blocks * of_block, lane = lane_index(), n_warps = words.n_threads / kWarp;
  float sums[kRows]{};
  const auto add = [&]<u32 kType>() {
    const PanelRow row = panel_row(kType, buffer<const uint4>(p, 1), panel, first + lane % of_block, words.n_groups);
    add_eights<kType, kAhead>(row, buffer<const float>(p, 3), words, n_rows, sums);
  };
  switch (constants.type) {
    case kF32: add.template operator()<kF32>(); break;
    case kF16: add.template operator()<kF16>(); break;
    default: add.template operator()<kBF16>(); break;
  }
#pragma unroll
  for (u32 r = 0; r < kRows; ++r) {
    for (u32 mask = kWarp / 2; mask >= of_block; mask /= 2) sums[r] += shuffle_xor(sums[r], mask);
    part_sums[r * kMostThreads + thread_index()] = sums[r];
  }
  BARRIER();
  const u32 n = words.first + panel * kPanelRows + first + lane;
  if (lane >= of_block || n >= words.n_out) return;
  for (u32 r = warp_index(); r < n_rows; r += n_warps) {
    float total = 0;
    for (u32 i = 0; i < n_warps; ++i) total += part_sums[r * kMostThreads + i * kWarp + lane];
    if (constants.has_bias != 0) total += buffer<const float>(p, 5)[n];
    total = finished(constants, words.cap, total, 0);
    float* to = buffer<float>(p, 4) + std::uint64_t{r} * words.n_out + n;
    *to = constants.epilogue == kAdd ? *to + total : total;
  }
}

}  // namespace

KERNEL(matvec_split_1, kMostThreads, BatchedLaunch<MatvecArgs>) {
  SHARED(float, part_sums, kMostThreads);
  matvec_split<4, 1>(p, part_sums);
}
KERNEL(matvec_split_8, kMostThreads, BatchedLaunch<MatvecArgs>) {
  SHARED(float, part_sums, 8 * kMostThreads);
  matvec_split<2, 8>(p, part_sums);
}

}  // namespace headroom::cuda
