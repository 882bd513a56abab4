// Rows of a step by their slots.
#pragma once

#include "lib/params.cuh"

namespace headroom::cuda {

// Where the rows of the step's i-th slot begin, one behind the other; step_rows() where it has no more slots.
DEVICE u32 run_begin(const u32* inputs, u32 rows_at, u32 i) {
  return i < step_rows(inputs) ? inputs[rows_at + i * kRowWords + 3] : step_rows(inputs);
}

// A row, and how many of the rows right before it are of its slot, as far as a convolution sees.
struct SeenRow {
  u32 row, slot, position, n_before;
};

DEVICE SeenRow seen_row(const u32* inputs, u32 rows_at, u32 conv_width, u32 row) {
  const StepRow at = step_row(inputs, rows_at, row);
  u32 n = 0;
  while (n + 1 < conv_width && n < row && step_row(inputs, rows_at, row - n - 1).slot == at.slot) ++n;
  return {row, at.slot, at.position, n};
}

// Where the row that is `back` before this one stands in the state of a convolution, (slots, conv_width - 1, channels),
// the newest last: one that is of an earlier step.
DEVICE std::uint64_t kept_row(const SeenRow& at, u32 conv_width, u32 back) {
  const u32 n_kept = conv_width - 1;
  return std::uint64_t{at.slot} * n_kept + n_kept - (back - at.n_before);
}

}  // namespace headroom::cuda
