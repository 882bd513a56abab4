// A matrix in row panels, and its product with activation rows.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "backend/cpu/activations.h"
#include "backend/cpu/kernel_table.h"
#include "backend/cpu/panel.h"
#include "base/stop.h"
#include "format/dtype_table.h"
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
  bool has_super_blocks() const { return dtype_row(dtype).block_elems == 256; }
};

// Products of 16 rows with the columns of one tile: (n_cols, kPanelRows).
struct PanelProduct {
  std::uint32_t first_row = 0, n_rows = 0;  // of the matrix; 16, or fewer in the last panel
  std::uint32_t first_col = 0, n_cols = 0;  // activation rows
  float* values = nullptr;                  // scratch of whoever multiplies

  // In `out`, (all activation rows, stride).
  ProductPlace place(float* out, std::size_t stride) const {
    return {out + first_col * stride + first_row, stride, n_cols, n_rows};
  }
};

// Places n_rows activation rows at `f32` and `int8`, in the encodings that these matrices need: with few rows kernels
// read packed panels, with many unpacked slabs, and the two need different ones.
Activations activations_for(std::span<const Matrix* const> matrices, std::uint32_t n_rows, std::byte* f32,
                            std::byte* int8);

// Scratch of one thread for one matrix.
struct ProductScratch {
  std::byte* slabs = nullptr;  // kPairPanels * kSlabBytes
  float* values = nullptr;     // (tiles, kPairPanels, kTileCols, kPanelRows); of few rows, which are one tile, (panels,
                               // kTileCols, kPanelRows)
};

// How activations are cut into blocks of equal size. A panel's weights are unpacked once for a block, and all of the
// block is multiplied with them before the next weights are unpacked. A block's activations fit the second-level cache,
// its products fit the scratch.
struct BlockShape {
  std::uint32_t n_tiles = 0, n_slabs = 0;
  std::uint32_t n_panels =
      kPairPanels;  // neighbours, multiplied before their products are used; more than two only where rows are few
};
inline std::uint32_t n_slabs_of(const Activations& activations) {
  return static_cast<std::uint32_t>(div_up(activations.n_elems, kSlabCols));
}
// Blocks that have all columns.
BlockShape whole_blocks(const Activations& activations);
// Blocks of few activation rows with as many panels as scratch of so many tiles has room for; others as whole_blocks().
// For two matrices that take turns: each is then read in long runs, of up to 128 panels, and not two panels at a time.
// A processor that prefetches by itself has to see each run begin: alone on a core of Zen 4, of the read bandwidth,
// gpt-oss decoded at 80 % by two panels and at 92 % by runs.
BlockShape run_blocks(const Activations& activations, std::uint32_t n_scratch_tiles);
// Blocks with as many tiles as scratch has room for, and only some of the columns where all of them would not fit the
// cache. Then each weight is unpacked once, and the products of a block are parts of the sums. Only for weights that
// are unpacked to bytes.
BlockShape cut_blocks(const Matrix& matrix, const Activations& activations);

// Some tiles and slabs of the activations, and the neighbouring panels that are multiplied with them: as many as the
// shape says, or what is left.
struct ProductBlock {
  std::uint32_t panel = 0, n_panels = 0;
  std::uint32_t first_tile = 0, last_tile = 0;
  std::uint32_t first_slab = 0, last_slab = 0;
};

// Multiplies panels with a block: straight from the packed panels for few activation rows, slab by slab for many.
class BlockProducts {
 public:
  BlockProducts(const KernelTable& kernels, const Matrix& matrix, const Activations& in, ProductScratch scratch)
      : matrix_(matrix), in_(in), scratch_(scratch), kernels_(kernels) {
    const auto type = static_cast<std::size_t>(matrix.dtype);
    const bool unpacks = in.n_rows > kDirectCols && (!matrix.reads_f32() || in.words != nullptr);
    unpack_ = unpacks ? kernels.unpack[type] : nullptr;
    dot_ = kernels.dot[type];
    columns_ = kernels.columns[type];
    dot_slabs_ = kernels.dot_slabs[type];
  }
  void compute(const ProductBlock& block);
  // Of panel `which` of the last compute() and a tile of its block.
  PanelProduct product(std::uint32_t which, std::uint32_t tile) const {
    const std::uint32_t row = (block_.panel + which) * kPanelRows;
    return {row, std::min(kPanelRows, matrix_.n_rows - row), tile * kTileCols, tiles_[tile - block_.first_tile].width,
            values(which, tile)};
  }

 private:
  float* values(std::uint32_t which, std::uint32_t tile) const {
    return scratch_.values + (std::size_t{tile - block_.first_tile} * kPairPanels + which) * kTileCols * kPanelRows;
  }
  void compute_slabs();

  const Matrix& matrix_;
  const Activations& in_;
  ProductScratch scratch_;
  const KernelTable& kernels_;
  UnpackFn unpack_;
  DotFn dot_;
  ColumnsFn columns_;
  DotSlabsFn dot_slabs_;
  ProductBlock block_;
  std::array<ActTile, kCpuBlockTiles> tiles_;  // of the block
  // SlabJob::outlier_tiles of the block's first slabs: the tiles that can have outliers: all panels of the block meet
  // the same ones, and to look for them anew took AMX's kernels a tenth of their time. 128 slabs are 32,768 columns.
  std::array<std::uint64_t, 128> outlier_tiles_{};
};

// Calls `visit(ProductBlock)` for panels of [first, last) and blocks. Returns early when asked to stop.
template <class Visit>
void for_each_block(std::uint32_t first, std::uint32_t last, const Activations& in, BlockShape shape,
                    const StopToken& stop, Visit visit) {
  const std::uint32_t n_tiles = in.n_tiles(), n_slabs = n_slabs_of(in);
  for (std::uint32_t slab = 0; slab < n_slabs; slab += shape.n_slabs) {
    for (std::uint32_t tile = 0; tile < n_tiles; tile += shape.n_tiles) {
      for (std::uint32_t panel = first; panel < last; panel += shape.n_panels) {
        if (stop.stop_requested()) return;
        visit(ProductBlock{.panel = panel,
                           .n_panels = std::min(shape.n_panels, last - panel),
                           .first_tile = tile,
                           .last_tile = std::min(n_tiles, tile + shape.n_tiles),
                           .first_slab = slab,
                           .last_slab = std::min(n_slabs, slab + shape.n_slabs)});
      }
    }
  }
}

// Calls `store(PanelProduct, is_first)` for panels [first, last) and all activation rows, once for each block of
// columns. Products of the first block of columns are stored, those of later blocks are added to them. When stopped it
// returns early with undefined results.
template <class Store>
void multiply(const KernelTable& kernels, const Matrix& matrix, std::uint32_t first, std::uint32_t last,
              const Activations& in, BlockShape shape, ProductScratch scratch, const StopToken& stop, Store store) {
  BlockProducts products(kernels, matrix, in, scratch);
  for_each_block(first, last, in, shape, stop, [&](const ProductBlock& block) {
    products.compute(block);
    for (std::uint32_t tile = block.first_tile; tile < block.last_tile; ++tile) {
      for (std::uint32_t which = 0; which < block.n_panels; ++which)
        store(products.product(which, tile), block.first_slab == 0);
    }
  });
}

}  // namespace headroom
