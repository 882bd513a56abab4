// Products of outliers (SlabOutliers): the weights of their columns, read out of a slab, times their values. Included
// by one unit per instruction set, inside its namespace.

// Of each lane the byte that stands at `index` of its four, without a sign.
inline I byte_of_lanes(I lanes, std::uint32_t index) {
  const I byte = set_i(255);
  switch (index) {
    case 0: return and_i(lanes, byte);
    case 1: return and_i(shift_right<8>(lanes), byte);
    case 2: return and_i(shift_right<16>(lanes), byte);
    default: return and_i(shift_right<24>(lanes), byte);
  }
}
// What stands in a column of a slab: 16 bytes, less their offset.
inline F slab_column(const std::byte* slab, std::uint32_t column, float offset) {
  return sub(to_f(byte_of_lanes(load_i(slab + column / 4 * 64UL), column % 4)), set_f(offset));
}

// Weights of the columns that outliers of a slab had last: a slab's rows mostly have them in the same columns, so that
// these are read once.
struct OutlierWeights {
  alignas(64) float weights[kMostOutliers][kPairPanels][16];
  std::uint32_t columns[kMostOutliers];
  OutlierWeights() {
    for (std::uint32_t& column : columns) column = kSlabCols;  // none
  }
};

// Adds them to the sums of kP panels with the columns of a tile, (kP, kTileCols, 16). Block reads a column's weights
// out of a slab.
template <int kP, class Block>
__attribute__((noinline)) void add_outliers(const std::byte* slabs, const typename Block::Acts& acts,
                                            std::uint32_t width, OutlierWeights& known, float* out) {
  for (std::uint32_t c = 0; c < width; ++c, out += 16) {
    const std::uint32_t n = acts.n_outliers(static_cast<int>(c));
    if (n == 0) continue;
    const SlabOutliers& outliers = acts.outliers(static_cast<int>(c));
    F sums[kP];
    for (std::uint32_t p = 0; p < kP; ++p) sums[p] = load_f(out + p * kTileCols * 16UL);
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t column = outliers.columns[i];
      if (known.columns[i] != column) {
        known.columns[i] = column;
        for (std::uint32_t p = 0; p < kP; ++p)
          store_f(known.weights[i][p], Block::weights_of(slabs + p * kSlabBytes, column));
      }
      const F value = set_f(outliers.values[i]);
      for (std::uint32_t p = 0; p < kP; ++p) sums[p] = fma(load_f(known.weights[i][p]), value, sums[p]);
    }
    for (std::uint32_t p = 0; p < kP; ++p) store_f(out + p * kTileCols * 16UL, sums[p]);
  }
}
