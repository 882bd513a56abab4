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
// What stands in column `index` of 32: bytes, less their offset.
inline F column_of(const I (&w)[8], std::uint32_t index, float offset) {
  return sub(to_f(byte_of_lanes(w[index / 4], index % 4)), set_f(offset));
}

template <class Source>
void column_of_blocks(const std::byte* panel, std::uint32_t column, float* out) {
  const Source source(panel);
  I w[8];
  source.load(column / 32, w);
  const F scale = mul(source.scale(column / 32), set_f(Source::kFactor));
  store_f(out, mul(column_of(w, column % 32, 128.0F), scale));
}

template <class Source>
void column_of_min_blocks(const std::byte* panel, std::uint32_t column, float* out) {
  const Source source(panel);
  I w[8];
  source.load(column / 32, w);
  store_f(out, add(mul(source.scale(column / 32), column_of(w, column % 32, 0.0F)), source.min(column / 32)));
}

template <class Source>
struct WithMin {
  template <int kGroup>
  static F column(const std::byte* panel, std::uint32_t super, std::uint32_t index) {
    const Source source(panel);
    const GroupScales groups = source.groups(super);
    I w[8];
    source.template load<kGroup>(super, w);
    return sub(mul(groups.scale<kGroup>(), column_of(w, index, 0.0F)), groups.min<kGroup>());
  }
};
// Of Q6_K and Q3_K.
template <class Source>
struct WithHalves {
  template <int kPart>
  static F column(const std::byte* panel, std::uint32_t super, std::uint32_t index) {
    const Source source(panel);
    I w[8];
    source.template load_codes<kPart>(super, w);
    F first, second;
    source.template scales<kPart>(super, mul(source.super_scale(super), set_f(1.0F / Source::kFactor)), first, second);
    return mul(index < 16 ? first : second, column_of(w, index, Source::kZero));
  }
};
struct WithTwoBits {
  template <int kPart>
  static F column(const std::byte* panel, std::uint32_t super, std::uint32_t index) {
    const PackedQ2_K source(panel);
    I w[8];
    source.load<kPart>(super, w);
    const I four = source.four_scales(super, kPart / 2);
    F first, second, first_min, second_min;
    PackedQ2_K::scales<kPart>(four, source.super_scale(super), first, second);
    PackedQ2_K::mins<kPart>(four, source.super_min(super), first_min, second_min);
    return sub(mul(index < 16 ? first : second, column_of(w, index, 0.0F)), index < 16 ? first_min : second_min);
  }
};
// Of formats whose load() gives what their codes stand for.
template <class Source>
struct WithValues {
  template <int kPart>
  static F column(const std::byte* panel, std::uint32_t super, std::uint32_t index) {
    const Source source(panel);
    I w[8];
    source.template load<kPart>(super, w);
    F first, second;
    part_scales<kPart>(source, super, source.super_scale(super), first, second);
    return mul(index < 16 ? first : second, column_of(w, index, 128.0F));
  }
};
// 256 columns in 8 groups, each of which has code of its own.
template <class Groups>
void column_of_groups(const std::byte* panel, std::uint32_t column, float* out) {
  const std::uint32_t super = column / 256, index = column % 32;
  switch (column / 32 % 8) {
    case 0: return store_f(out, Groups::template column<0>(panel, super, index));
    case 1: return store_f(out, Groups::template column<1>(panel, super, index));
    case 2: return store_f(out, Groups::template column<2>(panel, super, index));
    case 3: return store_f(out, Groups::template column<3>(panel, super, index));
    case 4: return store_f(out, Groups::template column<4>(panel, super, index));
    case 5: return store_f(out, Groups::template column<5>(panel, super, index));
    case 6: return store_f(out, Groups::template column<6>(panel, super, index));
    default: return store_f(out, Groups::template column<7>(panel, super, index));
  }
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

// Reads the weights that one row's outliers meet, unless they are those that the row before met.
template <int kP>
inline void read_weights(const SlabJob& job, const SlabOutliers& outliers, std::uint32_t n, OutlierWeights& known) {
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t column = outliers.columns[i];
    if (known.columns[i] == column) continue;
    known.columns[i] = column;
    for (int p = 0; p < kP; ++p) {
      job.column(job.panels + static_cast<std::size_t>(p) * job.panel_stride, job.slab * kSlabCols + column,
                 known.weights[i][p]);
    }
  }
}

// Whether all columns of a whole tile have n > 0 outliers, in the same channels. Asked for every slab of every tile, so
// without a branch for each column.
template <class Acts>
inline bool have_same_channels(const Acts& acts, std::uint32_t n) {
  const auto channels = [&](int c) {
    std::uint32_t four = 0;
    static_assert(sizeof(four) == sizeof(SlabOutliers::columns));
    __builtin_memcpy(&four, acts.outliers(c).columns, sizeof(four));
    return four;
  };
  std::uint32_t other_channels = 0, other_counts = 0;
  HEADROOM_UNROLL_SLAB
  for (int c = 1; c < static_cast<int>(kTileCols); ++c) {
    other_channels |= channels(c) ^ channels(0);
    other_counts |= acts.n_outliers(c) ^ n;
  }
  // On a little-endian machine the n channels in use are the low bytes; the others say nothing.
  return n > 0 && other_counts == 0 && other_channels << (32 - 8 * n) == 0;
}

// Adds what outliers make to the sums of kP panels with the columns of a tile, (kP, kTileCols, 16). Trained models have
// outliers in the same channels of every row: their weights then stay in registers for all columns of the tile.
template <int kP, class Acts>
__attribute__((noinline)) void add_outliers(const SlabJob& job, const Acts& acts, std::uint32_t width,
                                            OutlierWeights& known, float* out) {
  if (const std::uint32_t n = acts.n_outliers(0); width == kTileCols && have_same_channels(acts, n)) {
    read_weights<kP>(job, acts.outliers(0), n, known);
    for (std::uint32_t i = 0; i < n; ++i) {
      HEADROOM_UNROLL_SLAB
      for (int p = 0; p < kP; ++p) {
        const F weights = load_f(known.weights[i][p]);
        HEADROOM_UNROLL_SLAB
        for (int c = 0; c < static_cast<int>(kTileCols); ++c) {
          float* sums = out + (p * kTileCols + static_cast<std::size_t>(c)) * 16;
          store_f(sums, fma(weights, set_f(acts.outliers(c).values[i]), load_f(sums)));
        }
      }
    }
    return;
  }
  for (std::uint32_t c = 0; c < width; ++c, out += 16) {
    const std::uint32_t n = acts.n_outliers(static_cast<int>(c));
    if (n == 0) continue;
    const SlabOutliers& outliers = acts.outliers(static_cast<int>(c));
    read_weights<kP>(job, outliers, n, known);  // before any sums are in registers, which a call would take
    F sums[kP];
    HEADROOM_UNROLL_SLAB
    for (int p = 0; p < kP; ++p) sums[p] = load_f(out + p * kTileCols * 16UL);
    for (std::uint32_t i = 0; i < n; ++i) {
      const F value = set_f(outliers.values[i]);
      HEADROOM_UNROLL_SLAB
      for (int p = 0; p < kP; ++p) sums[p] = fma(load_f(known.weights[i][p]), value, sums[p]);
    }
    HEADROOM_UNROLL_SLAB
    for (int p = 0; p < kP; ++p) store_f(out + p * kTileCols * 16UL, sums[p]);
  }
}
