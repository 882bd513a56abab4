// What kernels of products with many rows share: tiles of features and rows. Rows are neighbours, or those that chose
// an expert, as group_experts.cu found them.
#pragma once

#include "lib/grouped.cuh"
#include "lib/products.cuh"

namespace headroom::cuda {

inline constexpr u32 kTile = 64,
                     kTileThreads = 256;         // features and rows of most kernels, whose blocks have those threads
inline constexpr u32 kResultStride = kTile + 1;  // floats of a row of results, so that columns are in different banks

using MatmulWords = args::KernelArgs<args::MatmulConstants, args::MatmulPush>;
using MatmulParams = Params<MatmulWords>;

// Which tile a block has. Blocks that run at the same time have the same features and other rows: weights are read
// once, and rows are fewer bytes.
struct TilePlace {
  u32 member;        // of those that are grouped
  u32 across, down;  // of its tiles
};
DEVICE TilePlace tile_place(const BatchedLaunch<MatmulWords>& all) {
  const u32 block = block_y() * grid_x() + block_x(), across = block / grid_y(), member = member_at(all, across);
  return {member, across - all.firsts[member], block % grid_y()};
}

struct Tile {
  u32 across;  // of those of a matrix
  u32 first_row, n_rows;
  u32 expert_panel;  // where the expert's matrix begins, in this window
  u32 n_panels;      // of the matrix, in this window
};

DEVICE u32 matrix_panels(const MatmulWords& words) { return divide_up(words.n_out, kPanelRows); }

// Of a tile of experts: its choices, and behind them its expert, which only what is done with its results asks for:
// until then a register less is taken.
inline constexpr u32 kChoiceWords = kTile + 1;

// All threads call together; false: there is nothing to do. `choices`: (kChoiceWords).
template <u32 kRows = kTile>
DEVICE bool open_tile(const MatmulParams& p, const TilePlace& place, auto& choices, Tile& tile) {
  const MatmulWords& words = p.words;
  const u32 down = place.down;
  tile.across = place.across;
  if (words.experts == 0) {
    const u32* inputs = inputs_of(p);
    const u32 n_rows = words.product.is_of_logits != 0 ? step_logit_rows(inputs) : step_rows(inputs);
    tile.first_row = down * kRows;
    tile.n_rows = smaller(kRows, n_rows - tile.first_row);
    tile.expert_panel = 0;
    tile.n_panels = divide_up(words.last - words.first, kPanelRows);
    return true;
  }
  const u32* tiles = buffer<const u32>(p, 6);
  const u32* of_tile = tiles + 4 + 4 * down;
  if (down >= tiles[0] || of_tile[0] < words.first || of_tile[0] >= words.last) return false;
  tile.first_row = 0;
  tile.n_rows = of_tile[2];
  tile.n_panels = matrix_panels(words);
  tile.expert_panel = (of_tile[0] - words.first) * tile.n_panels;
  if (thread_index() == 0) choices[kTile] = of_tile[0];
  if (thread_index() < kTile)
    choices[thread_index()] = tiles[words.choices_at + of_tile[1] + smaller(thread_index(), tile.n_rows - 1)];
  BARRIER();
  return true;
}

// Rows of the tile behind its last are that again.
DEVICE u32 row_to_read(const MatmulWords& words, const Tile& tile, auto& choices, u32 row) {
  if (words.experts == 0) return tile.first_row + smaller(row, tile.n_rows - 1);
  const u32 choice = choices[row];
  return words.experts == kUp ? choice / words.n_used : choice;
}
DEVICE u32 row_to_write(const MatmulWords& words, const Tile& tile, auto& choices, u32 row) {
  return words.experts == 0 ? tile.first_row + row : static_cast<u32>(choices[row]);
}

// Features of a tile that are of one matrix: of kGate half of them, the other matrix's behind them.
template <u32 kFeatures = kTile>
DEVICE u32 matrix_features(const MatmulWords& words) {
  return words.product.epilogue == kGate ? kFeatures / 2 : kFeatures;
}

// The weights of a feature of the tile. Behind the last panel it is the last again.
struct FeatureRow {
  u32 type;
  const uint4* matrix;
  u32 panel, lane;
};
template <u32 kFeatures = kTile>
DEVICE FeatureRow feature_row(const MatmulParams& p, const Tile& tile, u32 feature) {
  const MatmulWords& words = p.words;
  const u32 n = matrix_features<kFeatures>(words), of_matrix = feature / n;
  const u32 panel = tile.across * (n / kPanelRows) + feature % n / kPanelRows;
  return {of_matrix == 0 ? words.product.type : words.product.second_type, buffer<const uint4>(p, 1 + of_matrix),
          tile.expert_panel + smaller(panel, tile.n_panels - 1), feature % kPanelRows};
}

// The features of a tile's matrix, as rows of it: those from `first` to before `end` are there.
struct Features {
  u32 n, first, end;
};
template <u32 kFeatures = kTile>
DEVICE Features tile_features(const MatmulWords& words, const Tile& tile) {
  const u32 n = matrix_features<kFeatures>(words);
  return {n, (words.experts == 0 ? words.first : 0) + tile.across * n, words.experts == 0 ? words.last : words.n_out};
}

// What a product, and of kGate the other matrix's, becomes.
DEVICE float result_of(const MatmulParams& p, auto& choices, u32 feature, float total, float second) {
  const MatmulWords& words = p.words;
  if (words.product.has_bias != 0 && feature < words.n_out) {
    if (words.experts == 0) {
      total += buffer<const float>(p, 5)[feature];
    } else {
      const std::uint64_t at = std::uint64_t{static_cast<u32>(choices[kTile])} * words.n_out + feature;
      total += buffer<const float>(p, 7)[at];
      if (words.product.epilogue == kGate) second += buffer<const float>(p, 5)[at];
    }
  }
  return finished(words.product, words.cap, total, second);
}
DEVICE void put_result(const MatmulParams& p, const Tile& tile, auto& choices, u32 row, u32 feature, float result) {
  const std::uint64_t of_row = row_to_write(p.words, tile, choices, row);
  float* to = buffer<float>(p, 4) + of_row * p.words.n_out + feature;
  *to = p.words.product.epilogue == kAdd ? *to + result : result;
}

// Sums of products, (kTile rows, kTile features), become results. All threads call together, when all have been
// written.
DEVICE void put_results(const MatmulParams& p, const Tile& tile, auto& choices, auto& sums) {
  const Features features = tile_features(p.words, tile);
  for (u32 i = thread_index(); i < tile.n_rows * features.n; i += kTileThreads) {
    const u32 row = i / features.n, feature = i % features.n, at = row * kResultStride + feature;
    if (features.first + feature >= features.end) continue;
    const float second = p.words.product.epilogue == kGate ? static_cast<float>(sums[at + features.n]) : 0;
    put_result(p, tile, choices, row, features.first + feature,
               result_of(p, choices, features.first + feature, sums[at], second));
  }
}

}  // namespace headroom::cuda
