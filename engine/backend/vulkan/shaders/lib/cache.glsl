// Where a position of a slot stands in a cache, as plan/kv_regions.h lays it out: (n_slots, n_kv_heads, n_rows) rows of
// one head.

// The byte of a row. 32 bits hold what one binding sees.
uint cache_row(CacheRows rows, uint slot, uint n_heads, uint head, uint position) {
  return ((slot * n_heads + head) * rows.n_rows + position % rows.n_rows) * rows.row_bytes;
}

uint exact_row(CacheRows rows, uint slot, uint n_heads, uint head, uint position, uint head_dim) {
  const uint at = position < rows.n_sinks ? position : rows.n_sinks + position % rows.n_ring;
  return ((slot * n_heads + head) * (rows.n_sinks + rows.n_ring) + at) * head_dim * 2u;
}

// value_shift(): of the codes of Q4_0 values.
float value_shift(uint position) { return (float(position * 7u % 16u) + 0.5) / 16.0 - 0.5; }
