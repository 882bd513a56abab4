// What kernels of attention in steps of many rows share: which queries a block has.
#pragma once

#include "backend/cuda/kernel_limits.h"
#include "lib/cache_tile.cuh"

namespace headroom::cuda {

// Calls f with each stack of the block: of words.rows neighbouring rows those of each slot, which follow each other.
// Later rows see more keys, so that blocks with the last ones begin first. All threads call together. A step that ends
// before words.first_row launches no block.
template <class F>
DEVICE void for_each_stack(const AttendParams& p, F f) {
  const AttendWords& words = p.words;
  const u32* inputs = inputs_of(p);
  const auto row_of = [&](u32 row) { return step_row(inputs, words.rows_at, row); };
  const u32 of_dispatch = smaller(words.n_rows, step_rows(inputs) - words.first_row);
  const u32 first = (grid_y() - 1 - block_y()) * words.rows;
  const u32 end = words.first_row + smaller(first + words.rows, of_dispatch);
  Stack stack;
  find_heads(words, stack);
  for (u32 row = words.first_row + first; row < end; row += stack.n_rows) {
    const StepRow own = row_of(row), last = row_of(end - 1);
    stack.first_row = row;
    stack.slot = own.slot;
    // Positions without a gap are those of one slot.
    stack.n_rows = last.slot == own.slot && last.position - own.position == end - 1 - row ? end - row : 1;
    while (row + stack.n_rows < end && row_of(row + stack.n_rows).slot == stack.slot) ++stack.n_rows;
    if (row > words.first_row + first) BARRIER();  // nobody reads shared memory for the stack before
    f(stack);
  }
}

}  // namespace headroom::cuda
