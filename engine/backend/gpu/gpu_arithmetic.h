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

struct GpuArithmetic {
  bool has_int8 = false;       // products of quantized weights, of steps with few rows at least
  bool has_half_rows = false;  // products with many rows read f16
  std::optional<MatrixShape> matrices{};
};

}  // namespace headroom
