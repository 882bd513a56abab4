// Plain arithmetic that kernels are held to, when the engine starts and in contract tests.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "backend/cpu/kernel_table.h"
#include "base/bytes.h"

namespace headroom {

// A row for slabs as quantize_slabs() leaves it: interleaved in its tile or, where a set has tile registers, whole: n
// quants, a scale per 256, -128 * their sums per 256 and per 32, outliers per 256 and their counts.
struct SlabRowView {
  const ActTile& tile;
  std::uint32_t n, column;
  bool is_whole;

  std::int8_t quant(std::uint32_t i) const {
    return is_whole ? tile.quants[column * tile.row_stride + i]
                    : tile.quants[(i / 32 * tile.width + column) * 32 + i % 32];
  }
  float scale(std::uint32_t slab) const {
    return is_whole ? std::bit_cast<float>(number(slab)) : tile.scales[slab * 8 * tile.width + column];
  }
  std::int32_t slab_start(std::uint32_t slab) const {
    return is_whole ? number(n_slabs() + slab) : tile.slab_offset_corrections[slab * tile.width + column];
  }
  std::int32_t start(std::uint32_t block) const {
    return is_whole ? number(2 * n_slabs() + block) : tile.offset_corrections[block * tile.width + column];
  }
  SlabOutliers outliers(std::uint32_t slab) const {
    if (!is_whole) return tile.outliers[slab * tile.width + column];
    SlabOutliers found;
    std::memcpy(&found, behind_sums() + slab * sizeof(found), sizeof(found));
    return found;
  }
  std::uint32_t n_outliers(std::uint32_t slab) const {
    if (!is_whole) return tile.outlier_counts[slab * tile.width + column];
    return std::to_integer<std::uint32_t>(behind_sums()[n_slabs() * sizeof(SlabOutliers) + slab]);
  }

 private:
  std::uint32_t n_slabs() const { return static_cast<std::uint32_t>(div_up(n, kSlabCols)); }
  const std::byte* behind_quants() const {
    return reinterpret_cast<const std::byte*>(tile.quants + column * tile.row_stride + n);
  }
  const std::byte* behind_sums() const { return behind_quants() + (2 * n_slabs() + n / 32) * sizeof(std::int32_t); }
  std::int32_t number(std::size_t at) const {
    std::int32_t value = 0;
    std::memcpy(&value, behind_quants() + at * sizeof(value), sizeof(value));
    return value;
  }
};

}  // namespace headroom
