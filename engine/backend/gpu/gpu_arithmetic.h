// Which number formats a device multiplies in, and how large the pieces are that its workgroups compute: what
// dispatches depend on beside the model and the plan.
#pragma once

#include <cstdint>
#include <optional>

namespace headroom {

// Vulkan's instructions for whole matrices (f16 with sums in f32): the size of the fragments that one instruction
// multiplies, and how the subgroups of a workgroup share out a tile of kGpuTileRows rows. Example: fragments of 16 x 16
// x 16 and 8 subgroups; of a tile of 64 features and 64 rows each subgroup has 2 of the 16 fragments.
struct MatrixShape {
  std::uint32_t m = 16, n = 16, k = 16;  // of a fragment: features, rows, columns
  std::uint32_t subgroup_size = 32;      // threads that hold one together
  std::uint32_t n_subgroups() const;     // of a workgroup
  // How many subgroups stand side by side over n_features; the others have other rows. 0: no number divides the tile.
  std::uint32_t n_beside(std::uint32_t n_features) const;
  bool operator==(const MatrixShape&) const = default;
};

// For which weights steps of many rows multiply activations in f16. F32 weights are always multiplied in f32.
enum class HalfRows : std::uint8_t {
  kNone,
  kOfPlainWeights,  // where one of the matrices that read the same activations is F16 or BF16
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
  // Queries of a workgroup of Kernel::kAttendTiles, by the elements of a head; null: the backend has no such kernel.
  std::uint32_t (*tile_queries)(std::uint32_t head_dim) = nullptr;
  std::uint32_t few_row_queries = 0;  // of Kernel::kAttendRows, of one row; 0: likewise
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
  bool has_int8 = false;  // quantized weights are multiplied in int8, at least in steps of few rows
  HalfRows half_rows = HalfRows::kNone;
  std::uint32_t half_exponent = 0;  // of rows of F16: args::kHalfExponent where their products are added up in F32
  // A matrix and few rows: how many warps of a workgroup share out the columns of a panel (and, of an FFN, of its two
  // matrices).
  std::uint32_t column_parts = 8;
  // Of experts' down products, the warps of a workgroup share out the columns of all experts of the row together,
  // instead of those of one expert after the other.
  bool shares_out_experts = false;
  // A matrix of plain numbers and few rows: workgroups that share out the rows of a panel, where a matrix has few
  // panels. A power of two.
  std::uint32_t most_panel_blocks = 1;
  // A matrix and many rows: features and rows of the tile that a workgroup computes, unless it reads f32 or `matrices`
  // is set. It has kGpuTileRows rows instead for experts, and where higher tiles would be too few for the device.
  std::uint32_t tile_features = 64, tile_rows = 64;
  std::uint32_t n_multiprocessors = 0;  // 0: unknown
  std::optional<MatrixShape> matrices{};
  // Steps of many rows attend in f16 where heads have at most so many elements and the layer has no F32 weights; 0:
  // never.
  std::uint32_t half_attend_dim = 0;
  std::uint32_t half_attend_row_dim = 0;  // likewise of steps of few rows
  // Steps of few rows write the results of attention as int8 to GpuScratch::normed, if the matrix behind them reads
  // int8.
  bool attends_to_int8 = false;
  AttendLimits attend{};
  GroupSizes group_sizes{};
  // Multiply-adds of one submission at most: a stop waits for it, and some drivers end work that takes seconds.
  double most_products = 0;
};

}  // namespace headroom
