// Attention as dispatches: which queries and keys a workgroup has, how steps of few rows split the keys, and how a
// prompt is cut into submissions.
#pragma once

#include "backend/gpu/gpu_dispatches.h"

namespace headroom {

// The queries and keys of one workgroup, within the backend's AttendLimits. The query heads of a KV head are stacked,
// in steps of many rows with those of the next rows of a slot. Example: 32 query heads share 8 KV heads, so that a
// stack has 4 heads; of a prompt a workgroup has 2 rows, 8 queries in all.
struct AttendShape {
  std::uint32_t n_stacks = 1;    // of a KV head, each of which reads its keys
  std::uint32_t n_heads = 1;     // query heads of a stack; the last one may have fewer
  std::uint32_t n_rows = 1;      // rows of a block
  std::uint32_t tile_keys = 1;   // read at once; a power of two, at most kKvRowStep
  std::uint32_t area_words = 0;  // of shared memory, for the rows of a tile, with gaps, and for what threads exchange
  std::uint32_t shared_words = 0;
  std::uint32_t n_queries() const { return n_heads * n_rows; }
};
AttendShape attend_shape(const LayerSpec& layer, const PlanOptions& options, const AttendLimits& limits, bool is_split);

// Of Kernel::kAttendTiles, whose shared memory is its own.
AttendShape attend_tile_shape(const LayerSpec& layer, const AttendLimits& limits);
// Of Kernel::kAttendRows, likewise.
AttendShape attend_row_shape(const LayerSpec& layer, const AttendLimits& limits);

// Rows of a prompt that attend in one submission.
std::uint32_t attend_rows_at_once(const LayerSpec& layer, const PlanOptions& options, const GpuArithmetic& arithmetic);

// Iterations of all loops of one invocation of vulkan/shaders/attend.comp over so many keys.
std::uint64_t attend_loops(const LayerSpec& layer, const PlanOptions& options, const AttendLimits& limits,
                           std::uint64_t n_keys);

// Whether a step of this class writes a layer's results of attention as int8: kAttend writes them so, and kAttnOut then
// reads them without encoding them. See GpuArithmetic::attends_to_int8.
bool attends_to_int8(const GpuBinding& bound, std::int32_t layer, RowClass rows);

// op_parts() of a kAttend.
std::vector<OpPart> attend_parts(const GpuBinding& bound, const Op& op, RowClass rows);

}  // namespace headroom
