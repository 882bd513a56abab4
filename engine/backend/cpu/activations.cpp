#include "backend/cpu/activations.h"

#include <algorithm>

#include "base/cpu_features.h"
#include "plan/device_rules.h"

namespace headroom {

static_assert(sizeof(SlabOutliers) + 1 == kCpuOutlierBytes, "the plan's size is that of the kernels");

ActTile Activations::tile(std::uint32_t index) const {
  const std::uint32_t first = index * kTileCols;
  ActTile tile;
  tile.reads_ahead = needs_read_ahead();
  tile.width = std::min(kTileCols, n_rows - first);
  if (f32 != nullptr) tile.f32 = reinterpret_cast<const float*>(f32) + std::size_t{first} * n_elems;
  if (words != nullptr) {
    const std::byte* at = words + first * word_row_bytes(n_elems);
    tile.words = reinterpret_cast<const std::int16_t*>(at);
    tile.word_scales = reinterpret_cast<const float*>(at + std::size_t{n_elems} * tile.width * 2);
  }
  if (int8 != nullptr) {
    const std::size_t n_values = div_up(n_elems, 32) * tile.width, n_slabs = div_up(n_elems, 256) * tile.width;
    const std::byte* at = int8 + first * cpu_int8_row_bytes(n_elems);
    tile.row_stride = cpu_int8_row_bytes(n_elems);
    tile.quants = reinterpret_cast<const std::int8_t*>(at);
    tile.scales = reinterpret_cast<const float*>(at + n_values * 32);
    tile.offset_corrections = reinterpret_cast<const std::int32_t*>(at + n_values * 36);
    tile.offset_corrections16 = reinterpret_cast<const std::int32_t*>(at + n_values * 40);
    tile.slab_offset_corrections = reinterpret_cast<const std::int32_t*>(at + n_values * 48);
    tile.sums = reinterpret_cast<const std::int8_t*>(tile.slab_offset_corrections + n_slabs);
    tile.outliers = reinterpret_cast<const SlabOutliers*>(tile.sums + n_slabs * 16);
    tile.outlier_counts = reinterpret_cast<const std::uint8_t*>(tile.outliers + n_slabs);
  }
  return tile;
}

void put_activation_row(const KernelTable& kernels, const Activations& to, std::uint32_t row, const float* from) {
  const ActTile tile = to.tile(row / kTileCols);
  const std::uint32_t column = row % kTileCols;
  if (to.int8 != nullptr && to.form == Int8Form::kSlabs) {
    kernels.quantize_slabs(from, to.n_elems, column, tile);
  } else if (to.int8 != nullptr) {
    kernels.quantize(from, to.n_elems, to.form == Int8Form::kSuperBlocks ? 256 : 32, column, tile);
  }
  if (to.words != nullptr) kernels.quantize_words(from, to.n_elems, column, tile);
  if (to.f32 != nullptr) {
    auto* out = const_cast<float*>(tile.f32) + column;
    for (std::uint32_t i = 0; i < to.n_elems; ++i, out += tile.width) *out = from[i];
  }
}

}  // namespace headroom
