#include "backend/cpu/matrix.h"

#include "base/check.h"

namespace headroom {
namespace {

constexpr Bytes kBlockBytes = Bytes{1} << 20;  // of activations: half of a second-level cache of 2 MiB
constexpr Bytes kCacheLine = 64;

static_assert(kCpuTileCols == kTileCols && kCpuPairSlabBytes == kPairPanels * kSlabBytes, "the plan's sizes are those of the kernels");

}  // namespace

std::uint32_t tiles_per_block(const Activations& activations) {
  const Bytes n = activations.n_elems;
  const Bytes row = std::max({activations.int8 != nullptr ? cpu_int8_row_bytes(n) : 0, activations.words != nullptr ? word_row_bytes(n) : 0,
                              activations.f32 != nullptr ? n * 4 : 0});
  return static_cast<std::uint32_t>(std::clamp<Bytes>(kBlockBytes / (row * kTileCols), 1, kCpuBlockTiles));
}

void PairProducts::compute(std::uint32_t panel, std::uint32_t n_panels, std::uint32_t first_tile, std::uint32_t last_tile) {
  panel_ = panel;
  if (first_tile != first_tile_ || last_tile != last_tile_) {  // the same for all panels of a block
    CHECK(last_tile - first_tile <= kCpuBlockTiles, "more tiles than scratch holds products of");
    first_tile_ = first_tile;
    last_tile_ = last_tile;
    for (std::uint32_t tile = first_tile; tile < last_tile; ++tile) tiles_[tile - first_tile] = in_.tile(tile);
  }
  if (unpack_ != nullptr) return compute_slabs(n_panels);
  for (std::uint32_t which = 0; which < n_panels; ++which) {
    for (std::uint32_t tile = first_tile; tile < last_tile; ++tile) {
      dot_(matrix_.panel(panel + which), matrix_.n_cols, tiles_[tile - first_tile], values(which, tile), kPanelRows);
    }
  }
}

void PairProducts::compute_slabs(std::uint32_t n_panels) {
  const std::uint32_t n_cols = matrix_.n_cols, slab_cols = matrix_.reads_f32() ? kWordSlabCols : kSlabCols;
  const std::uint32_t n_slabs = (n_cols + slab_cols - 1) / slab_cols;
  // While a slab is multiplied the packed bytes of the next one come nearer, a share with every tile.
  const Bytes packed = panel_plane_offset(matrix_.dtype, n_cols) / n_slabs;
  const Bytes share = round_up(div_up(packed, last_tile_ - first_tile_), kCacheLine);
  for (std::uint32_t slab = 0; slab < n_slabs; ++slab) {
    for (std::uint32_t which = 0; which < n_panels; ++which) {
      unpack_(matrix_.panel(panel_ + which), n_cols, slab, scratch_.slabs + which * kSlabBytes);
    }
    const std::byte* next = slab + 1 < n_slabs ? matrix_.panel(panel_) + (slab + 1) * packed : matrix_.panel(panel_ + kPairPanels);
    for (std::uint32_t tile = first_tile_; tile < last_tile_; ++tile, next += share) {
      for (std::uint32_t which = 0; which < n_panels; ++which) {
        for (Bytes at = 0; at < share; at += kCacheLine) __builtin_prefetch(next + which * matrix_.panel_stride + at, 0, 2);
      }
      dot_slabs_({.slabs = scratch_.slabs,
                  .n_panels = n_panels,
                  .n_cols = n_cols,
                  .slab = slab,
                  .tile = &tiles_[tile - first_tile_],
                  .out = values(0, tile)});
    }
  }
}

}  // namespace headroom
