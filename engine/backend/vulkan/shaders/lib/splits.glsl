// What a row sees, and how its keys are shared out over workgroups in a step of few rows: as GpuSplits of
// plan/gpu_rules.h counts them. Each split has a key.
const uint kSplitKeys = 64;

struct Splits {
  uint first, n_keys;  // the first split begins here and has so many keys, as all but the last
  uint n;
};

uint seen_from(uint window, uint position) { return window != 0u && position >= window ? position + 1u - window : 0u; }

// Of one row. `row_splits`: of all rows of a step.
uint most_splits(uint row_splits) { return max(1u, row_splits / step_rows()); }

Splits splits_of(uint row_splits, uint window, uint position) {
  const uint first = seen_from(window, position) / kSplitKeys * kSplitKeys, n_seen = position + 1u - first;
  const uint unit = kSplitKeys * most_splits(row_splits), n_keys = (n_seen + unit - 1u) / unit * kSplitKeys;
  return Splits(first, n_keys, (n_seen + n_keys - 1u) / n_keys);
}
