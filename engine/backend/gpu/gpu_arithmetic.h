// What the products of a device are computed in.
#pragma once

#include <cstdint>
#include <optional>

namespace headroom {

// How instructions for whole matrices (f16 with sums in f32) share out a tile of kGpuTileRows rows among the subgroups
// of a workgroup.
struct MatrixShape {
  std::uint32_t m = 16, n = 16, k = 16;  // of a fragment: features, rows, columns
  std::uint32_t subgroup_size = 32;      // threads that hold one together
  std::uint32_t n_subgroups() const;     // of a workgroup
  // Subgroups that share out n_features; the others have other rows. 0: no number of them does.
  std::uint32_t n_beside(std::uint32_t n_features) const;
  bool operator==(const MatrixShape&) const = default;
};

// Whose products with many rows read f16; those of F32 weights never do.
enum class HalfRows : std::uint8_t {
  kNone,
  kOfPlainWeights,  // where one of those that read the same rows is F16 or BF16
  kOfAllWeights
};

struct GpuArithmetic {
  bool has_int8 = false;  // products of quantized weights, of steps with few rows at least
  HalfRows half_rows = HalfRows::kNone;
  // Of a matrix and few rows: warps of a workgroup that share out the columns, and the two matrices.
  std::uint32_t column_parts = 8;
  // What a workgroup has of products that do not read f32, without `matrices`; of experts it has kGpuTileRows rows, and
  // so it has where a step has too few workgroups for the device.
  std::uint32_t tile_features = 64, tile_rows = 64;
  std::uint32_t n_multiprocessors = 0;  // that workgroups are shared out over; 0: unknown
  std::optional<MatrixShape> matrices{};
  // Attention of many rows in f16, of heads of at most so many elements; 0: never, as in layers with F32 weights.
  std::uint32_t half_attend_dim = 0;
  // In steps of few rows attention leaves its results as int8 in GpuScratch::normed, where they are read so.
  bool attends_to_int8 = false;
};

}  // namespace headroom
