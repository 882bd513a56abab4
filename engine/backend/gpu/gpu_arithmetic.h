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

// What a workgroup of attention may hold on a device, and how a prompt's attention is cut into submissions. Each
// backend states its own, as its kernels and drivers need it.
struct AttendLimits {
  std::uint32_t n_threads = 0;     // of a workgroup of Kernel::kAttend
  std::uint32_t team = 0;          // of them share out the scores of one query
  std::uint32_t shared_words = 0;  // of shared memory, of 32 bits each
  std::uint32_t most_queries = 0;  // of a workgroup
  // Queries that a workgroup has in steps of many rows, where they fit: more share the decoding of a key, and leave
  // fewer workgroups for a submission.
  std::uint32_t queries_of_rows = 0;
  std::uint32_t tile_queries = 0;  // of a workgroup of Kernel::kAttendTiles; 0: the backend has no such kernel
  // A submission has a multiple of this many rows of a prompt, and at least so many, whatever `most_products` says. Not
  // less than kGpuLeastAttendRows, by which plans have room for the dispatches.
  std::uint32_t least_rows = 0;
};

// What one workgroup of the simple kernels does.
struct GroupSizes {
  std::uint32_t embedded_cols = 0;   // columns of a row of the embedding
  std::uint32_t encoded_groups = 0;  // groups of 32 activations that become int8
  std::uint32_t added_cols = 0;      // columns of a row that the results of experts are added to
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
  AttendLimits attend{};
  GroupSizes group_sizes{};
  // Multiply-adds of one submission at most: a stop waits for it, and some drivers end work that takes seconds.
  double most_products = 0;
};

}  // namespace headroom
