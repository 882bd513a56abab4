// Rows of a step by their slots.
#pragma once

#include "lib/params.cuh"

namespace headroom::cuda {

// Where the rows of the step's i-th slot begin, one behind the other; step_rows() where it has no more slots.
DEVICE u32 run_begin(const u32* inputs, u32 rows_at, u32 i) {
  return i < step_rows(inputs) ? inputs[rows_at + i * kRowWords + 3] : step_rows(inputs);
}

}  // namespace headroom::cuda
