// What kernels of attention share: what they are given, which queries a block has, and what those see.
#pragma once

#include "lib/cache.cuh"
#include "lib/key_tile.cuh"
#include "lib/splits.cuh"

namespace headroom::cuda {

inline constexpr float kUnseen = -3.0e38F;

using AttendWords = args::KernelArgs<args::AttendConstants, args::AttendPush>;
using AttendParams = Params<AttendWords>;

// What the block has.
struct Stack {
  u32 slot, kv_head, first_row, n_rows, first_head, n_heads;
};

// A tile in shared memory: the byte of its first row, and the format of its rows.
struct KeyTile {
  u32 at, row_bytes, type;
};

DEVICE bool is_exact(const CacheRows& rows, u32 position, u32 exact_from) {
  return position < rows.n_sinks || (rows.n_ring != 0 && position >= exact_from);
}

// Neighbouring rows of a slot go together, with the query heads of a stack. False: this block's row goes with the one
// before it.
DEVICE bool open_stack(const AttendParams& p, Stack& stack) {
  const AttendWords& words = p.words;
  const u32* inputs = inputs_of(p);
  const auto slot_of = [&](u32 row) { return step_row(inputs, words.rows_at, row).slot; };
  const u32 in_block = block_y() % words.rows;
  stack.first_row = words.first_row + block_y();
  stack.slot = slot_of(stack.first_row);
  if (in_block > 0 && slot_of(stack.first_row - 1) == stack.slot) return false;
  stack.n_rows = 1;
  while (in_block + stack.n_rows < words.rows && block_y() + stack.n_rows < grid_y() &&
         slot_of(stack.first_row + stack.n_rows) == stack.slot)
    ++stack.n_rows;
  const u32 group = words.n_heads / words.n_kv_heads, of_stack = block_x() % words.n_stacks;
  stack.kv_head = block_x() / words.n_stacks;
  stack.first_head = stack.kv_head * group + of_stack * words.heads;
  stack.n_heads = smaller(words.heads, group - of_stack * words.heads);
  return true;
}

// Query q of a stack: its row and head, where it is there.
DEVICE bool has_query(const AttendWords& words, const Stack& stack, u32 q) {
  return q % words.heads < stack.n_heads && q / words.heads < stack.n_rows;
}
DEVICE u32 query_row(const AttendWords& words, const Stack& stack, u32 q) { return stack.first_row + q / words.heads; }
// Where its elements are, in the queries and in the results.
DEVICE std::uint64_t query_at(const AttendWords& words, const Stack& stack, u32 q) {
  const std::uint64_t row = query_row(words, stack, q);
  return (row * words.n_heads + stack.first_head + q % words.heads) * words.head_dim;
}

// The score of its head that has no value: a softmax begins with it.
DEVICE float sink_of(const AttendParams& p, const Stack& stack, u32 q) {
  return buffer<const float>(p, 7)[stack.first_head + q % p.words.heads];
}

// The first byte of rows that stand together: keys or values of neighbouring positions.
DEVICE std::uint64_t rows_at(const AttendWords& words, const Stack& stack, const CacheRows& rows, bool from_exact,
                             u32 position) {
  return from_exact ? exact_row(rows, stack.slot, words.n_kv_heads, stack.kv_head, position, words.head_dim)
                    : cache_row(rows, stack.slot, words.n_kv_heads, stack.kv_head, position);
}

// One of keys or values.
struct CachePart {
  u32 plain, exact;  // the numbers of their buffers
  u32 type, has_exact;
};

// Where rows end that stand together from `position` on: at the end of a ring, and where others are exact.
DEVICE u32 end_of_rows(const CachePart& part, const CacheRows& rows, u32 exact_from, u32 position) {
  const u32 last = (position / rows.n_rows + 1) * rows.n_rows;
  if (part.has_exact == 0) return last;
  if (position < rows.n_sinks) return smaller(last, rows.n_sinks);
  if (rows.n_ring == 0) return last;
  return smaller(last, position < exact_from ? exact_from : (position / rows.n_ring + 1) * rows.n_ring);
}

}  // namespace headroom::cuda
