// A matrix in row panels, and its product with activation rows.
#pragma once

#include <algorithm>
#include <array>

#include "backend/cpu/activations.h"
#include "backend/cpu/kernel_table.h"
#include "backend/cpu/panel.h"
#include "base/stop.h"
#include "plan/device_rules.h"

namespace headroom {

struct Matrix {
  const std::byte* panels = nullptr;
  DType dtype = DType::kF32;
  std::uint32_t n_rows = 0, n_cols = 0;
  Bytes panel_stride = 0;

  std::uint32_t n_panels() const { return (n_rows + kPanelRows - 1) / kPanelRows; }
  const std::byte* panel(std::uint32_t index) const { return panels + index * panel_stride; }
  bool reads_f32() const { return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16; }
  // Whether it has a form in 16-bit words for many activation rows.
  bool has_words() const { return (dtype == DType::kF16 || dtype == DType::kBF16) && n_cols % 64 == 0; }
  bool has_super_blocks() const { return dtype == DType::kQ4_K || dtype == DType::kQ5_K || dtype == DType::kQ6_K; }
};

// Products of 16 rows with the columns of one tile: (n_cols, kPanelRows).
struct PanelProduct {
  std::uint32_t first_row = 0, n_rows = 0;  // of the matrix; 16, or fewer in the last panel
  std::uint32_t first_col = 0, n_cols = 0;  // activation rows
  const float* values = nullptr;
};

// Scratch of one thread for one matrix.
struct ProductScratch {
  std::byte* slabs = nullptr;  // kPairPanels * kSlabBytes
  float* values = nullptr;     // (tiles of a block, kPairPanels, kTileCols, kPanelRows)
};

// Tiles that pass by one unpacked slab before the next: their activations stay in the second-level cache, their products in scratch.
std::uint32_t tiles_per_block(const Activations& activations);

// Computes up to two neighbouring panels times a block of tiles: straight from the packed panels for few activation rows, slab by slab for many.
class PairProducts {
 public:
  PairProducts(const KernelTable& kernels, const Matrix& matrix, const Activations& in, ProductScratch scratch)
      : matrix_(matrix), in_(in), scratch_(scratch), kernels_(kernels) {
    const auto type = static_cast<std::size_t>(matrix.dtype);
    const bool unpacks = in.n_rows > kDirectCols && (!matrix.reads_f32() || in.words != nullptr);
    unpack_ = unpacks ? kernels.unpack[type] : nullptr;
    dot_ = kernels.dot[type];
    dot_slabs_ = kernels.dot_slabs[type];
  }
  void compute(std::uint32_t panel, std::uint32_t n_panels, std::uint32_t first_tile, std::uint32_t last_tile);
  // Of panel `which` (0 or 1) of the last compute() and a tile of its block.
  PanelProduct product(std::uint32_t which, std::uint32_t tile) const {
    const std::uint32_t row = (panel_ + which) * kPanelRows;
    return {row, std::min(kPanelRows, matrix_.n_rows - row), tile * kTileCols, tiles_[tile - first_tile_].width, values(which, tile)};
  }

 private:
  float* values(std::uint32_t which, std::uint32_t tile) const {
    return scratch_.values + (std::size_t{tile - first_tile_} * kPairPanels + which) * kTileCols * kPanelRows;
  }
  void compute_slabs(std::uint32_t n_panels);

  const Matrix& matrix_;
  const Activations& in_;
  ProductScratch scratch_;
  const KernelTable& kernels_;
  UnpackFn unpack_;
  DotFn dot_;
  DotSlabsFn dot_slabs_;
  std::uint32_t panel_ = 0, first_tile_ = 0, last_tile_ = 0;
  std::array<ActTile, kCpuBlockTiles> tiles_;  // of the block
};

// Calls `visit(first panel, n_panels, first tile, last tile)` for pairs of panels of [first, last) and blocks of tiles. Returns early when asked to
// stop.
template <class Visit>
void for_each_pair(std::uint32_t first, std::uint32_t last, const Activations& in, const StopToken& stop, Visit visit) {
  const std::uint32_t step = tiles_per_block(in), n_tiles = in.n_tiles();
  for (std::uint32_t tile = 0; tile < n_tiles; tile += step) {
    for (std::uint32_t panel = first; panel < last; panel += kPairPanels) {
      if (stop.stop_requested()) return;
      visit(panel, std::min(kPairPanels, last - panel), tile, std::min(n_tiles, tile + step));
    }
  }
}

// Calls `store(PanelProduct)` for panels [first, last) and all activation rows. Returns early, results undefined, when asked to stop.
template <class Store>
void multiply(const KernelTable& kernels, const Matrix& matrix, std::uint32_t first, std::uint32_t last, const Activations& in,
              ProductScratch scratch, const StopToken& stop, Store store) {
  PairProducts products(kernels, matrix, in, scratch);
  for_each_pair(first, last, in, stop, [&](std::uint32_t panel, std::uint32_t n_panels, std::uint32_t first_tile, std::uint32_t last_tile) {
    products.compute(panel, n_panels, first_tile, last_tile);
    for (std::uint32_t tile = first_tile; tile < last_tile; ++tile) {
      for (std::uint32_t which = 0; which < n_panels; ++which) store(products.product(which, tile));
    }
  });
}

}  // namespace headroom
