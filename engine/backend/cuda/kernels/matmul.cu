// Products of a matrix with many rows of f32, and what is done with them; also those of experts. Blocks: (panels / 2,
// rows / 64, or tiles of rows that chose the same expert); for kGate, whose tiles have a panel of each matrix, (panels,
// as before).
#include "lib/tile_rows.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kStep = 16;  // columns

// A thread has four features, 16 apart, and four neighbouring rows.
DEVICE void multiply_tile_of_matmul(const MatmulParams& p, const TilePlace& place) {
  SHARED(float, tile_elems, kStep* kTile);   // [column][feature]
  SHARED(float, tile_inputs, kStep* kTile);  // [column][row]
  SHARED(float, results, kTile* kResultStride);
  SHARED(u32, choices, kChoiceWords);
  const MatmulWords& words = p.words;
  Tile tile;
  if (!open_tile(p, place, choices, tile)) return;
  const u32 thread = thread_index(), lane = thread % 16, first = thread / 16 * 4;
  const u32 feature = thread % kTile, quarter = thread / kTile;
  const FeatureRow from = feature_row(p, tile, feature);
  const u32 row = thread / 4;
  const float* values =
      buffer<const float>(p, 3) + std::uint64_t{row_to_read(words, tile, choices, row)} * words.n_cols;
  float sums[4][4]{};
  for (u32 step = 0; step < 2 * words.n_groups; ++step) {
    Four elems{};
    with_type(from.type, [&]<u32 kType>() {
      elems = row_elems<kType>(panel_row(kType, from.matrix, from.panel, from.lane, words.n_groups), step / 2,
                               step % 2 * 4 + quarter);
    });
    const u32 col = step * kStep + thread % 4 * 4;
#pragma unroll
    for (u32 i = 0; i < 4; ++i) {
      tile_elems[(4 * quarter + i) * kTile + feature] = elems.of[i];
      tile_inputs[(thread % 4 * 4 + i) * kTile + row] = col + i < words.n_cols ? values[col + i] : 0.0F;
    }
    BARRIER();
    for (u32 k = 0; k < kStep; ++k) {
      float of_features[4], of_rows[4];
#pragma unroll
      for (u32 i = 0; i < 4; ++i) {
        of_features[i] = tile_elems[k * kTile + lane + 16 * i];
        of_rows[i] = tile_inputs[k * kTile + first + i];
      }
#pragma unroll
      for (u32 f = 0; f < 4; ++f) {
#pragma unroll
        for (u32 r = 0; r < 4; ++r) sums[f][r] += of_features[f] * of_rows[r];
      }
    }
    BARRIER();
  }
#pragma unroll
  for (u32 f = 0; f < 4; ++f) {
#pragma unroll
    for (u32 r = 0; r < 4; ++r) results[(first + r) * kResultStride + lane + 16 * f] = sums[f][r];
  }
  BARRIER();
  put_results(p, tile, choices, results);
}

}  // namespace

KERNEL(matmul, kTileThreads, BatchedLaunch<MatmulWords>) {
  const TilePlace place = tile_place(p);
  multiply_tile_of_matmul(p.members[place.member].params, place);
}

}  // namespace headroom::cuda
