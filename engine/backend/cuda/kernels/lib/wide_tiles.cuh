// What kernels of products by instructions for whole tiles share: tiles of 128 features and 64 or 128 rows. Of a
// block's warps two stand beside each other, the others above. A warp has 64 features in four fragments, and 8 * kHigh
// rows. Weights go a group of columns at a time to shared memory, a thread a feature, while the group before is
// multiplied.
#pragma once

#include "lib/int8.cuh"
#include "lib/mma.cuh"
#include "lib/reduce.cuh"
#include "lib/tile_rows.cuh"

namespace headroom::cuda {

inline constexpr u32 kWideFeatures = 128, kWarpFeatures = 64;
inline constexpr u32 kSlab = 32, kSlabStride = kWideFeatures + 4;  // rows whose results are in shared memory at once

struct WarpTile {
  u32 first_feature, first_row;
};
template <u32 kHigh>
DEVICE WarpTile warp_tile() {
  return {warp_index() % 2 * kWarpFeatures, warp_index() / 2 * (8 * kHigh)};
}
DEVICE constexpr u32 high_of(u32 n_rows, u32 n_threads) { return n_rows / (n_threads / kWarp / 2) / 8; }

// Goes over the groups of columns: begin(group) asks for one, multiply(group) is called for the one before meanwhile,
// and finish(group) puts into shared memory what came.
DEVICE void each_group(u32 n_groups, auto begin, auto finish, auto multiply) {
  begin(0);
  finish(0);
  for (u32 group = 0; group < n_groups; ++group) {
    const bool has_next = group + 1 < n_groups;
    await_copies();
    BARRIER();  // this group is there, and the one before it has been read
    if (has_next) begin(group + 1);
    multiply(group);
    if (has_next) finish(group + 1);
  }
}

// Sums of a warp, as lib/mma.cuh has them, times scale(row) become results, by way of `area`, of kSlab * kSlabStride
// words at least, which nobody reads any more behind the next barrier. All threads call together.
template <u32 kThreads, u32 kHigh>
DEVICE void put_wide_results(const MatmulParams& p, const Tile& tile, auto& choices, auto& area,
                             const float (&sums)[4][kHigh][4], auto scale) {
  const MatmulWords& words = p.words;
  const u32 thread = thread_index(), lane = lane_index();
  const WarpTile warp = warp_tile<kHigh>();
  const Features features = tile_features<kWideFeatures>(words, tile);
  // Of a row of the slab, and of a feature of the matrix that is there.
  const auto result = [&](u32 slab, u32 in_slab, u32 feature) {
    const float factor = scale(slab + in_slab);
    const u32 at = in_slab * kSlabStride + feature;
    const float second = words.product.epilogue == kGate ? factor * float_of(area[at + features.n]) : 0;
    return result_of(p, choices, features.first + feature, factor * float_of(area[at]), second);
  };
#pragma unroll
  for (u32 slab = 0; slab < kThreads / kWarp / 2 * 8 * kHigh; slab += kSlab) {
    BARRIER();  // what stood there has been read
#pragma unroll
    for (u32 n = 0; n < kHigh; ++n) {
      const u32 in_slab = warp.first_row + n * 8 - slab;
      if (in_slab >= kSlab) continue;
      const u32 at = (in_slab + lane % 4 * 2) * kSlabStride + warp.first_feature + lane / 4;
#pragma unroll
      for (u32 m = 0; m < 4; ++m) {
        area[at + m * 16] = bits_of(sums[m][n][0]);
        area[at + m * 16 + kSlabStride] = bits_of(sums[m][n][1]);
        area[at + m * 16 + 8] = bits_of(sums[m][n][2]);
        area[at + m * 16 + 8 + kSlabStride] = bits_of(sums[m][n][3]);
      }
    }
    BARRIER();
    if (words.product.encodes == 0) {
      for (u32 i = thread; i < kSlab * features.n; i += kThreads) {
        const u32 in_slab = i / features.n, feature = i % features.n;
        if (slab + in_slab >= tile.n_rows || features.first + feature >= features.end) continue;
        put_result(p, tile, choices, slab + in_slab, features.first + feature, result(slab, in_slab, feature));
      }
      continue;
    }
    // Eight neighbouring threads have a panel, which is a group of the activations.
    const u32 n_panels = features.n / kPanelRows;
    for (u32 i = thread / 8; i < kSlab * n_panels; i += kThreads / 8) {
      const u32 in_slab = i / n_panels, in_tile = i % n_panels, panel = features.first / kPanelRows + in_tile;
      const bool is_there = slab + in_slab < tile.n_rows && panel < matrix_panels(words);
      Four elems{};
      for (u32 k = 0; k < 4 && is_there; ++k)
        elems.of[k] = result(slab, in_slab, in_tile * kPanelRows + thread % 8 * 4 + k);
      const std::uint64_t row = is_there ? row_to_write(words, tile, choices, slab + in_slab) : 0;
      put_group(buffer<u32>(p, 4) + (row * matrix_panels(words) + panel) * kGroupWords, elems, is_there);
    }
  }
}

}  // namespace headroom::cuda
