// An op as dispatches of kernels: pure, what a command buffer is recorded from.
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

// How many workgroups a dispatch has; the second number follows from how many rows the step has.
struct GridSize {
  enum class Of : std::uint8_t {
    kRows,         // rows * factor, less those before `first`, at most `most` of them
    kAny,          // one where there are rows
    kTiles,        // `factor` rows each
    kExpertTiles,  // of the choices of rows, `factor` each, among `most` experts: as many as there can be
    kLogitRows,    // rows with logits
    kAnyLogits,
    kLogitTiles  // `factor` rows with logits each
  };
  std::uint32_t x = 1;
  Of of = Of::kRows;
  std::uint32_t factor = 1, first = 0, most = ~0U;
  std::optional<GpuSplits> splits{};  // the third number follows from the positions of the rows; absent: it is 1
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
  bool needs_barrier = false;  // for those before it in the same part
};

// Commands are recorded for each of these, by the rows of the step; of the head by its rows with logits. A matrix is
// read once for a few rows, at most kGpuFewRows.
enum class RowClass : std::uint8_t { kOne, kFew, kMany };
inline constexpr std::array kRowClasses{RowClass::kOne, RowClass::kFew, RowClass::kMany};
RowClass row_class(std::uint32_t n_rows);

// What is submitted at once at least, and how long it takes.
struct OpPart {
  std::vector<Dispatch> dispatches;
  std::uint32_t first_row = 0;  // nothing to do in steps of no more rows
  double products_per_row = 0;  // multiply-adds
};

// All parts of an op of this device, for steps of a class.
std::vector<OpPart> op_parts(const GpuBinding& bound, const Op& op, RowClass rows);

}  // namespace headroom
