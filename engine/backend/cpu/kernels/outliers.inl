// Products of outliers (SlabOutliers): the weights of their columns, decoded from packed panels, times their values.
// Included by one unit per instruction set, inside its namespace.

// What stands in column `index` of 32: bytes without a sign, less their offset.
inline F column_of(const I (&w)[8], std::uint32_t index, float offset) {
  const I bytes = and_i(shift_right_by(w[index / 4], index % 4 * 8), set_i(255));
  return sub(to_f(bytes), set_f(offset));
}

// Stores column(index) of 32 columns for each bit of `wanted`.
template <class Column>
inline void store_wanted(std::uint32_t wanted, float* to, std::uint32_t stride, Column column) {
  for (; wanted != 0; wanted &= wanted - 1) {
    const auto index = static_cast<std::uint32_t>(__builtin_ctz(wanted));
    store_f(to + std::size_t{index} * stride, column(index));
  }
}

template <class Source>
void columns_of_blocks(const std::byte* panel, std::uint32_t slab, const WantedColumns& wanted, float* out,
                       std::uint32_t stride) {
  const Source source(panel);
  for (std::uint32_t i = 0; i < kSlabCols / 32; ++i) {
    if (wanted.of_32[i] == 0) continue;
    const std::uint32_t block = slab * (kSlabCols / 32) + i;
    I w[8];
    source.load(block, w);
    const F scale = mul(source.scale(block), set_f(Source::kFactor));
    store_wanted(wanted.of_32[i], out + std::size_t{i} * 32 * stride, stride,
                 [&](std::uint32_t index) { return mul(column_of(w, index, 128.0F), scale); });
  }
}

template <class Source>
void columns_of_min_blocks(const std::byte* panel, std::uint32_t slab, const WantedColumns& wanted, float* out,
                           std::uint32_t stride) {
  const Source source(panel);
  for (std::uint32_t i = 0; i < kSlabCols / 32; ++i) {
    if (wanted.of_32[i] == 0) continue;
    const std::uint32_t block = slab * (kSlabCols / 32) + i;
    I w[8];
    source.load(block, w);
    const F scale = source.scale(block), min = source.min(block);
    store_wanted(wanted.of_32[i], out + std::size_t{i} * 32 * stride, stride,
                 [&](std::uint32_t index) { return add(mul(scale, column_of(w, index, 0.0F)), min); });
  }
}

// 256 columns in 8 groups, each of which has code of its own: columns<kPart>(source, super, store) calls
// store(column) with column(index) of the 32 of a group.
template <class Source>
struct WithMin {
  using Packed = Source;
  template <int kGroup, class Store>
  static void columns(const Source& source, std::uint32_t super, Store store) {
    const GroupScales groups = source.groups(super);
    I w[8];
    source.template load<kGroup>(super, w);
    const F scale = groups.scale<kGroup>(), min = groups.min<kGroup>();
    store([&](std::uint32_t index) { return sub(mul(scale, column_of(w, index, 0.0F)), min); });
  }
};
// Of Q6_K and Q3_K.
template <class Source>
struct WithHalves {
  using Packed = Source;
  template <int kPart, class Store>
  static void columns(const Source& source, std::uint32_t super, Store store) {
    I w[8];
    source.template load_codes<kPart>(super, w);
    F halves[2];
    source.template scales<kPart>(super, mul(source.super_scale(super), set_f(1.0F / Source::kFactor)), halves[0],
                                  halves[1]);
    store([&](std::uint32_t index) { return mul(halves[index / 16], column_of(w, index, Source::kZero)); });
  }
};
struct WithTwoBits {
  using Packed = PackedQ2_K;
  template <int kPart, class Store>
  static void columns(const PackedQ2_K& source, std::uint32_t super, Store store) {
    I w[8];
    source.load<kPart>(super, w);
    const I four = source.four_scales(super, kPart / 2);
    F halves[2], mins[2];
    PackedQ2_K::scales<kPart>(four, source.super_scale(super), halves[0], halves[1]);
    PackedQ2_K::mins<kPart>(four, source.super_min(super), mins[0], mins[1]);
    store(
        [&](std::uint32_t index) { return sub(mul(halves[index / 16], column_of(w, index, 0.0F)), mins[index / 16]); });
  }
};
// Of formats whose load() gives what their codes stand for.
template <class Source>
struct WithValues {
  using Packed = Source;
  template <int kPart, class Store>
  static void columns(const Source& source, std::uint32_t super, Store store) {
    I w[8];
    source.template load<kPart>(super, w);
    F halves[2];
    part_scales<kPart>(source, super, source.super_scale(super), halves[0], halves[1]);
    store([&](std::uint32_t index) { return mul(halves[index / 16], column_of(w, index, 128.0F)); });
  }
};
template <class Groups, int kPart>
inline void columns_of_group(const typename Groups::Packed& source, std::uint32_t slab, const WantedColumns& wanted,
                             float* out, std::uint32_t stride) {
  if (wanted.of_32[kPart] == 0) return;
  Groups::template columns<kPart>(source, slab, [&](auto column) {
    store_wanted(wanted.of_32[kPart], out + std::size_t{kPart * 32} * stride, stride, column);
  });
}
template <class Groups>
void columns_of_groups(const std::byte* panel, std::uint32_t slab, const WantedColumns& wanted, float* out,
                       std::uint32_t stride) {
  const typename Groups::Packed source(panel);
  columns_of_group<Groups, 0>(source, slab, wanted, out, stride);
  columns_of_group<Groups, 1>(source, slab, wanted, out, stride);
  columns_of_group<Groups, 2>(source, slab, wanted, out, stride);
  columns_of_group<Groups, 3>(source, slab, wanted, out, stride);
  columns_of_group<Groups, 4>(source, slab, wanted, out, stride);
  columns_of_group<Groups, 5>(source, slab, wanted, out, stride);
  columns_of_group<Groups, 6>(source, slab, wanted, out, stride);
  columns_of_group<Groups, 7>(source, slab, wanted, out, stride);
}

// Exact weights of those columns of a slab in which any activation row of a job has an outlier. A kernel decodes them
// before its products, each once; the rest of the array stays unwritten.
struct OutlierWeights {
  alignas(64) float weights[kSlabCols][kPairPanels][16];
  std::uint64_t tiles = 0;  // of the job, which have outliers in this slab: a bit each

  bool are_in(std::uint32_t tile) const { return (tiles >> tile & 1U) != 0; }
  // Of a job with one panel, only the weights of panel 0 are written.
  template <class Acts>
  void read(const SlabJob& job) {
    WantedColumns wanted;
    const std::uint64_t candidates = job.outlier_tiles == nullptr ? ~std::uint64_t{0} : *job.outlier_tiles;
    for (std::uint32_t tile = 0; tile < job.n_tiles; ++tile) {
      if ((candidates >> tile & 1U) == 0) continue;
      const Acts acts(job.tiles[tile], job.n_cols, job.slab, 0);
      const std::uint32_t width = job.tiles[tile].width;
      if (!acts.has_outliers(width)) continue;
      tiles |= std::uint64_t{1} << tile;
      for (int c = 0; c < static_cast<int>(width); ++c) {
        for (std::uint32_t i = 0; i < acts.n_outliers(c); ++i) {
          const std::uint32_t column = acts.outliers(c).columns[i];
          wanted.of_32[column / 32] |= 1U << column % 32;
        }
      }
    }
    if (job.outlier_tiles != nullptr) *job.outlier_tiles = tiles;
    for (std::uint32_t panel = 0; tiles != 0 && panel < job.n_panels; ++panel)
      job.columns(job.panels + panel * job.panel_stride, job.slab, wanted, weights[0][panel], kPairPanels * 16);
  }
};

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
__attribute__((noinline)) void add_outliers(const Acts& acts, std::uint32_t width, const OutlierWeights& known,
                                            float* out) {
  if (const std::uint32_t n = acts.n_outliers(0); width == kTileCols && have_same_channels(acts, n)) {
    for (std::uint32_t i = 0; i < n; ++i) {
      HEADROOM_UNROLL_SLAB
      for (int p = 0; p < kP; ++p) {
        const F weights = load_f(known.weights[acts.outliers(0).columns[i]][p]);
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
    F sums[kP];
    HEADROOM_UNROLL_SLAB
    for (int p = 0; p < kP; ++p) sums[p] = load_f(out + p * kTileCols * 16UL);
    for (std::uint32_t i = 0; i < n; ++i) {
      const F value = set_f(outliers.values[i]);
      HEADROOM_UNROLL_SLAB
      for (int p = 0; p < kP; ++p) sums[p] = fma(load_f(known.weights[outliers.columns[i]][p]), value, sums[p]);
    }
    HEADROOM_UNROLL_SLAB
    for (int p = 0; p < kP; ++p) store_f(out + p * kTileCols * 16UL, sums[p]);
  }
}
