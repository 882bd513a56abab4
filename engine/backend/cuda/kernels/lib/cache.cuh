// Where a position of a slot stands in a cache, as plan/kv_regions.h lays it out: (n_slots, n_kv_heads, n_rows) rows of
// one head.
#pragma once

#include "lib/params.cuh"

namespace headroom::cuda {

using CacheRows = args::CacheRows;

// The byte of a row.
DEVICE std::uint64_t cache_row(const CacheRows& rows, u32 slot, u32 n_heads, u32 head, u32 position) {
  return (std::uint64_t{slot * n_heads + head} * rows.n_rows + position % rows.n_rows) * rows.row_bytes;
}

DEVICE std::uint64_t exact_row(const CacheRows& rows, u32 slot, u32 n_heads, u32 head, u32 position, u32 head_dim) {
  const u32 at = position < rows.n_sinks ? position : rows.n_sinks + position % rows.n_ring;
  return (std::uint64_t{slot * n_heads + head} * (rows.n_sinks + rows.n_ring) + at) * head_dim * 2;
}

// value_shift(): of the codes of Q4_0 values.
DEVICE float value_shift(u32 position) { return (static_cast<float>(position * 7 % 16) + 0.5F) / 16 - 0.5F; }

}  // namespace headroom::cuda
