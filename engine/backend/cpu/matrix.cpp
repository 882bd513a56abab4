#include "backend/cpu/matrix.h"

#include <algorithm>

#include "backend/cpu/prefetch.h"
#include "base/check.h"

namespace headroom {
namespace {

constexpr Bytes kBlockBytes = Bytes{1} << 20;  // of activations' elements: half of a second-level cache of 2 MiB
constexpr Bytes kCacheLine = 64;

static_assert(kCpuFewRows == kDirectCols,
              "rows that each thread prepares for itself are those that read packed panels");
static_assert(kCpuBlockTiles <= 64, "outliers have a bit for each tile of a job");
static_assert(kDirectCols <= kTileCols, "few activation rows are one tile");
static_assert(kCpuTileCols == kTileCols && kCpuPairSlabBytes == kPairPanels * kSlabBytes,
              "the plan's sizes are those of the kernels");

// The size of as few equal parts of n as may have `most` each.
std::uint32_t equal_parts(std::uint32_t n, Bytes most) {
  return static_cast<std::uint32_t>(div_up(n, div_up(n, std::max<Bytes>(most, 1))));
}

}  // namespace

Activations activations_for(std::span<const Matrix* const> matrices, std::uint32_t n_rows, std::byte* f32,
                            std::byte* int8) {
  const bool packed = n_rows <= kDirectCols;
  Activations made{.n_rows = n_rows, .n_elems = matrices.front()->n_cols};
  // Words stand where f32 would, and are smaller: all matrices that would read f32 must be able to read them.
  const bool words = !packed && std::all_of(matrices.begin(), matrices.end(),
                                            [](const Matrix* each) { return !each->reads_f32() || each->has_words(); });
  for (const Matrix* matrix : matrices) {
    if (matrix->reads_f32()) {
      (words ? made.words : made.f32) = f32;
    } else {
      made.int8 = int8;
      made.form = !packed ? Int8Form::kSlabs : matrix->has_super_blocks() ? Int8Form::kSuperBlocks : made.form;
    }
  }
  return made;
}

BlockShape whole_blocks(const Activations& activations) {
  const Bytes elem_bytes = activations.f32 != nullptr ? 4 : activations.words != nullptr ? 2 : 1;
  const Bytes most = std::min<Bytes>(kBlockBytes / (activations.n_elems * elem_bytes * kTileCols), kCpuBlockTiles);
  return {equal_parts(activations.n_tiles(), most), n_slabs_of(activations)};
}

BlockShape run_blocks(const Activations& activations, std::uint32_t n_scratch_tiles) {
  CHECK(n_scratch_tiles > 0, "scratch without room for products");
  BlockShape shape = whole_blocks(activations);
  if (activations.n_rows <= kDirectCols) shape.n_panels = n_scratch_tiles * kPairPanels;
  return shape;
}

BlockShape cut_blocks(const Matrix& matrix, const Activations& activations) {
  if (matrix.reads_f32() || activations.n_rows <= kDirectCols) return whole_blocks(activations);
  const std::uint32_t n_tiles = equal_parts(activations.n_tiles(), kCpuBlockTiles);
  return {n_tiles, equal_parts(n_slabs_of(activations), kBlockBytes / (Bytes{n_tiles} * kTileCols * kSlabCols))};
}

void BlockProducts::compute(const ProductBlock& block) {
  if (block.first_tile != block_.first_tile ||
      block.last_tile != block_.last_tile) {  // the same for all panels of a block
    CHECK(block.last_tile - block.first_tile <= kCpuBlockTiles, "more tiles than scratch holds products of");
    for (std::uint32_t tile = block.first_tile; tile < block.last_tile; ++tile)
      tiles_[tile - block.first_tile] = in_.tile(tile);
    outlier_tiles_.fill(~std::uint64_t{0});
  }
  block_ = block;
  if (unpack_ != nullptr) return compute_slabs();
  for (std::uint32_t which = 0; which < block.n_panels; ++which) {
    for (std::uint32_t tile = block.first_tile; tile < block.last_tile; ++tile) {
      dot_(matrix_.panel(block.panel + which), matrix_.n_cols, tiles_[tile - block.first_tile], values(which, tile),
           kPanelRows);
    }
  }
}

void BlockProducts::compute_slabs() {
  const bool words = matrix_.reads_f32();  // whose slabs are smaller; their blocks have all columns
  const std::uint32_t n_cols = matrix_.n_cols, slab_cols = words ? kWordSlabCols : kSlabCols,
                      n_slabs = static_cast<std::uint32_t>(div_up(n_cols, slab_cols));
  const std::uint32_t first_slab = words ? 0 : block_.first_slab, last_slab = words ? n_slabs : block_.last_slab;
  const std::uint32_t n_panels = block_.n_panels, n_tiles = block_.last_tile - block_.first_tile;
  // While a slab is multiplied the packed bytes of the next one come nearer, a share with every tile.
  const Bytes packed = panel_bytes(matrix_.dtype, slab_cols), share = round_up(div_up(packed, n_tiles), kCacheLine);
  for (std::uint32_t slab = first_slab; slab < last_slab; ++slab) {
    for (std::uint32_t which = 0; which < n_panels; ++which) {
      const std::byte* panel = matrix_.panel(block_.panel + which);
      // Blocks of quantized weights begin within lines. On a Xeon a load of two lines that has to wait for the second
      // level waits twice: unpacking of Q4_0 and MXFP4 took 1.4 times as long.
      if (tiles_[0].reads_ahead && !words) {
        const Bytes start = slab * packed;
        prefetch_whole({panel + start, std::min(packed, matrix_.panel_stride - start)});
      }
      unpack_(panel, n_cols, slab, scratch_.slabs + which * kSlabBytes);
    }
    const bool is_last = slab + 1 == last_slab;
    const std::byte* next_panel = matrix_.panel(is_last ? block_.panel + kPairPanels : block_.panel);
    const std::uint32_t next_slab = is_last ? first_slab : slab + 1;
    dot_slabs_({.slabs = scratch_.slabs,
                .n_panels = n_panels,
                .n_cols = n_cols,
                .slab = slab,
                .first_slab = first_slab,
                .tiles = tiles_.data(),
                .n_tiles = n_tiles,
                .out = scratch_.values,
                .panels = matrix_.panel(block_.panel),
                .panel_stride = matrix_.panel_stride,
                .columns = columns_,
                .outlier_tiles = slab < outlier_tiles_.size() ? &outlier_tiles_[slab] : nullptr,
                .ahead = next_panel + next_slab * packed,
                .ahead_bytes = share});
  }
}

}  // namespace headroom
