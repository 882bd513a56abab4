// What a row sees, and how its keys are shared out over blocks in a step of few rows: as GpuSplits of plan/gpu_rules.h
// counts them. Each split has a key.
#pragma once

#include "lib/params.cuh"

namespace headroom::cuda {

inline constexpr u32 kSplitKeys = 64;

struct Splits {
  u32 first, n_keys;  // the first split begins here and has so many keys, as all but the last
  u32 n;
};

DEVICE u32 seen_from(u32 window, u32 position) { return window != 0 && position >= window ? position + 1 - window : 0; }

// Of one row. `row_splits`: of all rows of a step.
DEVICE u32 most_splits(u32 row_splits, u32 n_rows) { return row_splits < n_rows ? 1 : row_splits / n_rows; }

DEVICE Splits splits_of(u32 row_splits, u32 n_rows, u32 window, u32 position) {
  const u32 first = seen_from(window, position) / kSplitKeys * kSplitKeys, n_seen = position + 1 - first;
  const u32 unit = kSplitKeys * most_splits(row_splits, n_rows), n_keys = divide_up(n_seen, unit) * kSplitKeys;
  return {first, n_keys, divide_up(n_seen, n_keys)};
}

}  // namespace headroom::cuda
