// An op as a list of dispatches: which kernels compute it, on which buffers, with how many workgroups. Pure. Vulkan
// records its command buffers from the list, CUDA its launches.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "backend/gpu/gpu_binding.h"
#include "backend/gpu/gpu_kernel.h"
#include "program/step.h"

namespace headroom {

// How many workgroups a dispatch has. x is known when a plan is bound; y follows from the rows of the step by the rule
// `of`. Example: a matrix of 4,096 rows in tiles of 128 features and 64 rows is {32, kTiles, 64}; a step of 130 rows
// has 32 x 3 workgroups.
struct GridSize {
  enum class Of : std::uint8_t {
    kRows,         // (rows of the step - first, at most `most`) * factor
    kAny,          // 1 where the step has rows
    kTiles,        // one for each `factor` of the rows that kRows has
    kExpertTiles,  // as many tiles as rows * factor choices among `most` experts can make
    kLogitRows,    // rows that ask for logits
    kAnyLogits,    // 1 where any row asks for logits
    kLogitTiles    // one for each `factor` rows that ask for logits
  };
  std::uint32_t x = 1;
  Of of = Of::kRows;
  std::uint32_t factor = 1, first = 0, most = ~0U;
  std::optional<GpuSplits> splits{};  // z: the most splits of the keys that any row has; absent: 1
  bool operator==(const GridSize&) const = default;
  std::uint32_t y(std::uint32_t n_rows, std::uint32_t n_logit_rows) const;
  std::uint32_t z(std::span<const StepRow> rows) const;
};

struct Dispatch {
  Kernel kernel = Kernel::kEmbed;
  std::vector<std::uint32_t> constants;  // a struct XConstants of gpu_args.inl
  std::array<GpuSlice, kKernelBuffers> slices{};
  std::vector<std::uint32_t> push;  // a struct XPush
  GridSize groups;
  bool needs_barrier = false;  // it reads or overwrites what earlier dispatches of this part have written
};

// Every op has three lists of dispatches: for steps of one row, of few (at most kGpuFewRows, for which a matrix is read
// once) and of many. For the head the rows that ask for logits are counted.
enum class RowClass : std::uint8_t { kOne, kFew, kMany };
inline constexpr std::array kRowClasses{RowClass::kOne, RowClass::kFew, RowClass::kMany};
RowClass row_class(std::uint32_t n_rows);
// Whether a step may have so many rows. Of those that none has, the plan has no scratch.
inline bool has_steps_of(const Program& program, RowClass rows) { return rows <= row_class(program.max_rows); }

// Dispatches that are submitted together. Most ops are one part; a prompt's attention is several, each of some rows, so
// that no submission takes too long.
struct OpPart {
  std::vector<Dispatch> dispatches;
  std::uint32_t first_row = 0;  // steps of no more rows than this skip the part
  double products_per_row = 0;  // multiply-adds, by which submissions are bounded
};

// The parts of an op that runs on this device, for steps of this class.
std::vector<OpPart> op_parts(const GpuBinding& bound, const Op& op, RowClass rows);

}  // namespace headroom
