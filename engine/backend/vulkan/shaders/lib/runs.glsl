// Rows of a step by their slots. Before it is included: a push constant p with rows_at.
uint slot_of(uint row) { return inputs[p.rows_at + row * kRowWords + 1u]; }
uint position_of(uint row) { return inputs[p.rows_at + row * kRowWords + 2u]; }

// How many of the rows right before it are of the row's slot, `most` at most.
uint rows_before(uint row, uint most) {
  uint n = 0u;
  while (n < most && n < row && slot_of(row - n - 1u) == slot_of(row)) ++n;
  return n;
}

// Where the rows of the step's i-th slot begin, one behind the other; step_rows() where it has no more slots.
uint run_begin(uint i) { return i < step_rows() ? inputs[p.rows_at + i * kRowWords + 3u] : step_rows(); }
