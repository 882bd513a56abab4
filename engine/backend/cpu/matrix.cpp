#include "backend/cpu/matrix.h"

#include "base/check.h"

namespace headroom {
namespace {

constexpr Bytes kBlockBytes = Bytes{1} << 20;  // of activations' elements: half of a second-level cache of 2 MiB
constexpr Bytes kCacheLine = 64;

static_assert(kCpuTileCols == kTileCols && kCpuPairSlabBytes == kPairPanels * kSlabBytes, "the plan's sizes are those of the kernels");

}  // namespace

std::uint32_t tiles_per_block(const Activations& activations) {
  const Bytes elem_bytes = activations.f32 != nullptr ? 4 : activations.words != nullptr ? 2 : 1;
  const Bytes most = std::clamp<Bytes>(kBlockBytes / (activations.n_elems * elem_bytes * kTileCols), 1, kCpuBlockTiles);
  // Every block unpacks the weights anew: as few as possible, and no small one at the end.
  return static_cast<std::uint32_t>(div_up(activations.n_tiles(), div_up(activations.n_tiles(), most)));
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
  const std::uint32_t n_slabs = (n_cols + slab_cols - 1) / slab_cols, n_tiles = last_tile_ - first_tile_;
  // While a slab is multiplied the packed bytes of the next one come nearer: its blocks a share with every tile, its scales behind them at once.
  const Bytes plane = panel_plane_offset(matrix_.dtype, n_cols), packed = plane / n_slabs;
  const Bytes plane_part = (matrix_.panel_stride - plane) / n_slabs, share = round_up(div_up(packed, n_tiles), kCacheLine);
  for (std::uint32_t slab = 0; slab < n_slabs; ++slab) {
    for (std::uint32_t which = 0; which < n_panels; ++which) {
      unpack_(matrix_.panel(panel_ + which), n_cols, slab, scratch_.slabs + which * kSlabBytes);
    }
    const bool is_last = slab + 1 == n_slabs;
    const std::byte* next_panel = matrix_.panel(is_last ? panel_ + kPairPanels : panel_);
    const std::uint32_t next_slab = is_last ? 0 : slab + 1;
    for (std::uint32_t which = 0; which < n_panels; ++which) {
      const std::byte* scales = next_panel + which * matrix_.panel_stride + plane + next_slab * plane_part;
      for (Bytes at = 0; at < plane_part; at += kCacheLine) __builtin_prefetch(scales + at, 0, 3);
    }
    dot_slabs_({.slabs = scratch_.slabs,
                .n_panels = n_panels,
                .n_cols = n_cols,
                .slab = slab,
                .tiles = tiles_.data(),
                .n_tiles = n_tiles,
                .out = scratch_.values,
                .ahead = next_panel + next_slab * packed,
                .ahead_stride = matrix_.panel_stride,
                .ahead_bytes = share});
  }
}

}  // namespace headroom
