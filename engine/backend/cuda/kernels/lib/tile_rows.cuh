// What kernels of products with many rows share: tiles of 64 features and 64 rows in blocks of 256 threads. Rows are
// neighbours, or those that chose an expert, as group_experts.cu found them.
#pragma once

#include "lib/products.cuh"

namespace headroom::cuda {

inline constexpr u32 kTile = 64, kTileThreads = 256;
inline constexpr u32 kResultStride = kTile + 1;  // floats of a row of results, so that columns are in different banks

struct MatmulWords {
  ProductConstants constants;
  u32 experts;
  u32 n_cols, n_groups, n_out;
  u32 first, last;  // rows of the matrix in this window; of experts: experts
  float cap;
  u32 n_used, choices_at;  // of experts: of a row; where the choices of tiles are
};
using MatmulParams = Params<MatmulWords>;

struct Tile {
  u32 first_row, n_rows;
  u32 expert_panel;  // where the expert's matrix begins, in this window
  u32 n_panels;      // of the matrix, in this window
};

DEVICE u32 matrix_panels(const MatmulWords& words) { return divide_up(words.n_out, kPanelRows); }

// All threads call together; false: there is nothing to do. `choices`: (kTile), of experts.
DEVICE bool open_tile(const MatmulParams& p, auto& choices, Tile& tile) {
  const MatmulWords& words = p.words;
  if (words.experts == 0) {
    const u32* inputs = inputs_of(p);
    const u32 n_rows = words.constants.is_of_logits != 0 ? step_logit_rows(inputs) : step_rows(inputs);
    tile.first_row = block_y() * kTile;
    tile.n_rows = smaller(kTile, n_rows - tile.first_row);
    tile.expert_panel = 0;
    tile.n_panels = divide_up(words.last - words.first, kPanelRows);
    return true;
  }
  const u32* tiles = buffer<const u32>(p, 6);
  const u32* of_tile = tiles + 4 + 4 * block_y();
  if (block_y() >= tiles[0] || of_tile[0] < words.first || of_tile[0] >= words.last) return false;
  tile.first_row = 0;
  tile.n_rows = of_tile[2];
  tile.n_panels = matrix_panels(words);
  tile.expert_panel = (of_tile[0] - words.first) * tile.n_panels;
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
DEVICE u32 matrix_features(const MatmulWords& words) { return words.constants.then == kGate ? kTile / 2 : kTile; }

// The weights of a feature of the tile. Behind the last panel it is the last again.
struct FeatureRow {
  u32 type;
  const uint4* matrix;
  u32 panel, lane;
};
DEVICE FeatureRow feature_row(const MatmulParams& p, const Tile& tile, u32 feature) {
  const MatmulWords& words = p.words;
  const u32 n = matrix_features(words), of_matrix = feature / n;
  const u32 panel = block_x() * (n / kPanelRows) + feature % n / kPanelRows;
  return {of_matrix == 0 ? words.constants.type : words.constants.second_type, buffer<const uint4>(p, 1 + of_matrix),
          tile.expert_panel + smaller(panel, tile.n_panels - 1), feature % kPanelRows};
}

// Sums of products, (kTile rows, kTile features), become results. All threads call together, when all have been
// written.
DEVICE void put_results(const MatmulParams& p, const Tile& tile, auto& choices, auto& sums, auto put_encoded) {
  const MatmulWords& words = p.words;
  const ProductConstants& constants = words.constants;
  const u32 n_features = matrix_features(words);
  const u32 first = (words.experts == 0 ? words.first : 0) + block_x() * n_features;
  const u32 end = words.experts == 0 ? words.last : words.n_out;
  const auto result = [&](u32 row, u32 feature) {
    const u32 n = first + feature;
    float total = sums[row * kResultStride + feature];
    if (constants.has_bias != 0 && n < words.n_out) total += buffer<const float>(p, 5)[n];
    const float second =
        constants.then == kGate ? static_cast<float>(sums[row * kResultStride + feature + n_features]) : 0;
    return finished(constants, words.cap, total, second);
  };
  if (constants.encodes != 0) {
    put_encoded(first / kPanelRows, result);
    return;
  }
  for (u32 i = thread_index(); i < tile.n_rows * n_features; i += kTileThreads) {
    const u32 row = i / n_features, feature = i % n_features;
    if (first + feature >= end) continue;
    const std::uint64_t of_row = row_to_write(words, tile, choices, row);
    float* to = buffer<float>(p, 4) + of_row * words.n_out + first + feature;
    const float total = result(row, feature);
    *to = constants.then == kAdd ? *to + total : total;
  }
}

}  // namespace headroom::cuda
