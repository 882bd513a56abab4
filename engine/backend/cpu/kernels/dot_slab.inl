// Unpacked slabs times tiles: sums of a register block stay in registers for all columns of the slab, and every
// broadcast of activations serves all panels of the block. Included by one unit per instruction set, inside its
// namespace.

// Activations of a slab, from column `first` of a tile on, as quantize_slabs() leaves them.
struct InterleavedSlab {
  std::size_t width, at;  // `at`: of a value per 32 columns
  const std::int8_t* elems;
  const float* scales;
  const std::int32_t *offset_corrections, *slab_offset_corrections;
  const SlabOutliers* first_outliers;
  const std::uint8_t* outlier_counts;

  InterleavedSlab(const ActTile& tile, std::uint32_t /*n_cols*/, std::uint32_t slab, std::uint32_t first)
      : width(tile.width),
        at(slab * (kSlabCols / 32UL) * width + first),
        elems(tile.quants + at * 32),
        scales(tile.scales + at),
        offset_corrections(tile.offset_corrections + at),
        slab_offset_corrections(tile.slab_offset_corrections + slab * width + first),
        first_outliers(tile.outliers + slab * width + first),
        outlier_counts(tile.outlier_counts + slab * width + first) {}
  const std::int8_t* quants(std::uint32_t block, int c) const { return elems + block * 32UL * width + 32 * c; }
  const std::int8_t* line(std::uint32_t block, int c) const { return quants(block, c); }  // to be asked for, c even
  std::int32_t start(std::uint32_t block, int c) const {
    return offset_corrections[block * width + static_cast<std::size_t>(c)];
  }
  std::int32_t slab_start(int c) const { return slab_offset_corrections[c]; }
  float scale(int c) const { return scales[c]; }
  const SlabOutliers& outliers(int c) const { return first_outliers[c]; }
  std::uint32_t n_outliers(int c) const { return outlier_counts[c]; }
  bool has_outliers(std::uint32_t n_columns) const {
    std::uint8_t counts[8] = {};
    static_assert(sizeof(counts) == kTileCols);
    n_columns == kTileCols ? __builtin_memcpy(counts, outlier_counts, 8)
                           : __builtin_memcpy(counts, outlier_counts, n_columns);
    std::uint64_t any = 0;
    __builtin_memcpy(&any, counts, 8);
    return any != 0;
  }
};

// kPerBlock: a scale per 32 columns, otherwise one for all. The sums of this tile and the activations of the next stand
// in the second level of cache: asking for them in time took 256 rows of 2,048 columns from 90 to 94 % of the int8
// peak.
template <int kP, int kN, bool kPerBlock, class Acts>
__attribute__((noinline)) void dot_slab_block(const SlabJob& job, const SlabBlock& part) {
  const std::byte* slabs = part.slabs;
  float* out = part.out;
  const std::uint32_t left = job.n_cols - job.slab * kSlabCols, n_blocks = (left < kSlabCols ? left : kSlabCols) / 32;
  const Acts acts(*part.tile, job.n_cols, job.slab, part.first), next(*part.next, job.n_cols, job.slab, part.first);
  const std::byte* scales = slabs + kSlabCols * 16;
  I acc[kP][kN];
  const auto start = [&](auto start_of) {
    HEADROOM_UNROLL_SLAB
    for (int c = 0; c < kN; ++c) {
      HEADROOM_UNROLL_SLAB
      for (int p = 0; p < kP; ++p) acc[p][c] = start_biased(start_of(c));
    }
  };
  const auto add_block = [&](std::uint32_t block) {
    HEADROOM_UNROLL_SLAB
    for (int p = 0; p < kP; ++p) __builtin_prefetch(out + p * kTileCols * 16UL + block * 16UL, 1, 3);
    HEADROOM_UNROLL_SLAB
    for (int c = 0; c < kN; c += 2) __builtin_prefetch(next.line(block, c), 0, 3);
    HEADROOM_UNROLL_SLAB
    for (int j = 0; j < 8; ++j) {
      I w[kP];
      HEADROOM_UNROLL_SLAB
      for (int p = 0; p < kP; ++p) w[p] = load_i(slabs + p * kSlabBytes + block * 512UL + 64 * j);
      HEADROOM_UNROLL_SLAB
      for (int c = 0; c < kN; ++c) {
        const auto four = broadcast4(acts.quants(block, c) + 4 * j);
        HEADROOM_UNROLL_SLAB
        for (int p = 0; p < kP; ++p) acc[p][c] = dot_biased(acc[p][c], w[p], four);
      }
    }
  };
  const auto load_scale = [&](int p, std::uint32_t block) {
    return load_f(reinterpret_cast<const float*>(scales + p * kSlabBytes + block * 64UL));
  };
  // The sums over blocks are in memory: there are no registers for them, and one load and one store in 32 columns cost
  // nothing.
  alignas(64) float parts[kPerBlock ? kP * kN * 16 : 16] = {};
  if constexpr (kPerBlock) {
    for (std::uint32_t block = 0; block < n_blocks; ++block) {
      start([&](int c) { return acts.start(block, c); });
      add_block(block);
      HEADROOM_UNROLL_SLAB
      for (int p = 0; p < kP; ++p) {
        const F scale = load_scale(p, block);
        HEADROOM_UNROLL_SLAB
        for (int c = 0; c < kN; ++c) {
          float* sum = parts + (p * kN + c) * 16;
          store_f(sum, fma(to_f(acc[p][c]), scale, load_f(sum)));
        }
      }
    }
  } else {
    start([&](int c) { return acts.slab_start(c); });
    for (std::uint32_t block = 0; block < n_blocks; ++block) add_block(block);
  }
  HEADROOM_UNROLL_SLAB
  for (int p = 0; p < kP; ++p) {
    HEADROOM_UNROLL_SLAB
    for (int c = 0; c < kN; ++c) {
      float* to = out + static_cast<std::size_t>(p) * kTileCols * 16 + static_cast<std::size_t>(c) * 16;
      const F sum = kPerBlock ? load_f(parts + (p * kN + c) * 16) : mul(to_f(acc[p][c]), load_scale(p, 0));
      const F before = job.slab == job.first_slab ? zero_f() : load_f(to);
      store_f(to, fma(sum, set_f(acts.scale(c)), before));
    }
  }
}

// How a register block is multiplied, by what its slabs hold.
template <class ActsOfSlab>
struct OneScaleOf {  // bytes with a scale for all columns
  using Acts = ActsOfSlab;
  template <int kP, int kN>
  static void run(const SlabJob& job, const SlabBlock& part) {
    dot_slab_block<kP, kN, false, Acts>(job, part);
  }
};
template <class ActsOfSlab>
struct BlockScalesOf {  // bytes with a scale per 32
  using Acts = ActsOfSlab;
  template <int kP, int kN>
  static void run(const SlabJob& job, const SlabBlock& part) {
    dot_slab_block<kP, kN, true, Acts>(job, part);
  }
};
// The formats whose slabs have one scale for all columns.
inline constexpr DType kOneScaleTypes[] = {
    DType::kQ4_0,    DType::kQ4_1,   DType::kQ5_0,   DType::kQ5_1,    DType::kQ2_K,  DType::kQ3_K,  DType::kQ4_K,
    DType::kQ5_K,    DType::kQ6_K,   DType::kIQ4_NL, DType::kIQ4_XS,  DType::kMXFP4, DType::kIQ1_S, DType::kIQ1_M,
    DType::kIQ2_XXS, DType::kIQ2_XS, DType::kIQ2_S,  DType::kIQ3_XXS, DType::kIQ3_S};
using OneScale = OneScaleOf<InterleavedSlab>;
using BlockScales = BlockScalesOf<InterleavedSlab>;
struct Words {  // 16-bit numbers, of which activations have none apart
  template <int kP, int kN>
  static void run(const SlabJob& job, const SlabBlock& part) {
    dot_words_block<kP, kN>(job, part);
  }
};

template <int kP, class Block>
inline void dot_slab_columns(const SlabJob& job, SlabBlock part) {
  const std::uint32_t width = part.tile->width;
  for (; part.first < width; part.first += kSlabBlockCols, part.out += kSlabBlockCols * 16) {
    switch (width - part.first < kSlabBlockCols ? width - part.first : kSlabBlockCols) {
      case 1: Block::template run<kP, 1>(job, part); break;
      case 2: Block::template run<kP, 2>(job, part); break;
      case 3: Block::template run<kP, 3>(job, part); break;
      case 4: Block::template run<kP, 4>(job, part); break;
      default: break;
    }
    if constexpr (kSlabBlockCols > 4) {
      switch (width - part.first) {
        case 5: Block::template run<kP, 5>(job, part); break;
        case 6: Block::template run<kP, 6>(job, part); break;
        case 7: Block::template run<kP, 7>(job, part); break;
        case 8: Block::template run<kP, 8>(job, part); break;
        default: break;
      }
    }
  }
}

template <class Block>
void dot_slabs(const SlabJob& job) {
  const std::byte* ahead = job.ahead;
  OutlierWeights outliers;
  if constexpr (requires { typename Block::Acts; }) outliers.read<typename Block::Acts>(job);
  for (std::uint32_t tile = 0; tile < job.n_tiles; ++tile, ahead += job.ahead_bytes) {
    for (std::uint32_t panel = 0; panel < job.n_panels; ++panel) {
      for (std::size_t at = 0; at < job.ahead_bytes; at += 64)
        __builtin_prefetch(ahead + panel * job.panel_stride + at, 0, 2);
    }
    const ActTile* here = job.tiles + tile;
    const auto part = [&](std::uint32_t panel) {
      float* out = job.out + (std::size_t{tile} * kPairPanels + panel) * kTileCols * 16;
      return SlabBlock{job.slabs + panel * kSlabBytes, here, tile + 1 < job.n_tiles ? here + 1 : here, 0, out};
    };
    std::uint32_t panel = 0;
    for (; panel + kSlabBlockPanels <= job.n_panels; panel += kSlabBlockPanels)
      dot_slab_columns<kSlabBlockPanels, Block>(job, part(panel));
    if constexpr (kSlabBlockPanels > 1) {
      if (panel < job.n_panels) dot_slab_columns<1, Block>(job, part(panel));
    }
    if constexpr (requires { typename Block::Acts; }) {
      if (!outliers.are_in(tile)) continue;
      const typename Block::Acts acts(*here, job.n_cols, job.slab, 0);
      job.n_panels == kPairPanels ? add_outliers<kPairPanels>(acts, here->width, outliers, part(0).out)
                                  : add_outliers<1>(acts, here->width, outliers, part(0).out);
    }
  }
}
