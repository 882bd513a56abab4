// Slabs times activations in the tile registers of AMX: one instruction multiplies 16 rows of activations, 16 of a
// panel and 64 columns. A slab already has the order in which such an instruction reads its second operand. Sums are
// integers, so results are those of dot_slab.inl bit by bit.
//
// Activations for slabs are kept row by row, so that 16 of them are one load: ActTile::row_stride apart stand n_cols
// quants, then a scale per 256, then -128 * their sum per 256, then per 32, then the outliers and their count per 256.
//
// Q8_0 with its scale per 32 columns stays with dot products, which read these rows too: half of each tile instruction
// would be empty, and 16 sums would be stored and loaded again for each. On a core whose other half was busy that ran
// at 0.6 to 0.7 of the speed.

inline constexpr std::uint32_t kTileRows = 16;       // activation rows of a tile register
inline constexpr std::uint32_t kTileBlockCols = 64;  // columns of one instruction
inline constexpr std::uint32_t kTileBytes = 1024;

// Not the compiler's intrinsics, of which loads do not tell it that memory is read.
template <int kTo>
inline void load_tile(const void* from, std::size_t row_bytes) {
  __asm__ volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(row_bytes), "i"(kTo) : "memory");
}
template <int kFrom>
inline void store_tile(void* to) {
  __asm__ volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(std::size_t{64}), "i"(kFrom) : "memory");
}
template <int kTile>
inline void zero_tile() {
  __asm__ volatile("tilezero %%tmm%c0" ::"i"(kTile));
}
template <int kTo, int kRows, int kWeights>  // signed rows times weights with an offset of 128
inline void dot_tile() {
  __asm__ volatile("tdpbsud %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kTo), "i"(kRows), "i"(kWeights));
}
inline std::uint32_t n_slabs_of(std::uint32_t n_cols) { return (n_cols + kSlabCols - 1) / kSlabCols; }

void quantize_rows(const float* in, std::uint32_t n, std::uint32_t column, const ActTile& tile) {
  auto* row = const_cast<std::int8_t*>(tile.quants) + column * tile.row_stride;
  auto* scales = reinterpret_cast<float*>(row + n);
  auto* offset_corrections = reinterpret_cast<std::int32_t*>(scales + n_slabs_of(n));
  auto* outliers = reinterpret_cast<SlabOutliers*>(offset_corrections + n_slabs_of(n) + n / 32);
  quantize_slab_row(in, n,
                    {.quants = row,
                     .block_bytes = 32,
                     .scales = scales,
                     .scale_step = 1,
                     .slab_offset_corrections = offset_corrections,
                     .slab_step = 1,
                     .offset_corrections = offset_corrections + n_slabs_of(n),
                     .start_step = 1,
                     .outliers = outliers,
                     .outlier_counts = reinterpret_cast<std::uint8_t*>(outliers + n_slabs_of(n))});
}

// As InterleavedSlab.
struct RowsOfSlab {
  const std::int8_t* elems;
  const std::byte* factors;
  std::size_t stride, to_slab_start, to_starts, to_outliers, to_count;

  RowsOfSlab(const ActTile& tile, std::uint32_t n_cols, std::uint32_t slab, std::uint32_t first)
      : elems(tile.quants + first * tile.row_stride + slab * std::size_t{kSlabCols}),
        factors(reinterpret_cast<const std::byte*>(tile.quants + first * tile.row_stride + n_cols) +
                slab * sizeof(float)),
        stride(tile.row_stride),
        to_slab_start(n_slabs_of(n_cols) * sizeof(float)),
        to_starts(2 * to_slab_start + slab * (kSlabCols / 32 - 1UL) * sizeof(std::int32_t)),
        to_outliers(2 * to_slab_start + n_cols / 32 * sizeof(std::int32_t) +
                    slab * (sizeof(SlabOutliers) - sizeof(float))),
        to_count(2 * to_slab_start + n_cols / 32 * sizeof(std::int32_t) + n_slabs_of(n_cols) * sizeof(SlabOutliers) -
                 slab * (sizeof(float) - 1)) {}
  const std::int8_t* quants(std::uint32_t block, int c) const {
    return elems + static_cast<std::size_t>(c) * stride + block * 32UL;
  }
  const std::int8_t* line(std::uint32_t block, int c) const {
    return elems + block * stride + 32 * c;
  }  // all of a row with each block
  std::int32_t start(std::uint32_t block, int c) const { return number(c, to_starts + block * sizeof(std::int32_t)); }
  std::int32_t slab_start(int c) const { return number(c, to_slab_start); }
  float scale(int c) const { return *reinterpret_cast<const float*>(factors + static_cast<std::size_t>(c) * stride); }
  const SlabOutliers& outliers(int c) const {
    return *reinterpret_cast<const SlabOutliers*>(factors + static_cast<std::size_t>(c) * stride + to_outliers);
  }
  std::uint32_t n_outliers(int c) const {
    return static_cast<std::uint32_t>(factors[static_cast<std::size_t>(c) * stride + to_count]);
  }
  bool has_outliers(std::uint32_t n_columns) const {
    std::uint32_t any = 0;
    for (std::uint32_t c = 0; c < n_columns; ++c) any |= n_outliers(static_cast<int>(c));
    return any != 0;
  }

 private:
  std::int32_t number(int c, std::size_t at) const {
    return *reinterpret_cast<const std::int32_t*>(factors + static_cast<std::size_t>(c) * stride + at);
  }
};

// All activation rows of a job, one behind another.
struct RowsOfJob {
  const std::int8_t* first;
  std::size_t stride;
  std::uint32_t n_rows, n_blocks, slab;  // n_blocks: of 32 columns in this slab

  explicit RowsOfJob(const SlabJob& job)
      : first(job.tiles->quants),
        stride(job.tiles->row_stride),
        n_rows((job.n_tiles - 1) * kTileCols + job.tiles[job.n_tiles - 1].width),
        n_blocks((job.n_cols - job.slab * kSlabCols < kSlabCols ? job.n_cols - job.slab * kSlabCols : kSlabCols) / 32),
        slab(job.slab) {}
  const std::int8_t* quants(std::uint32_t row) const { return first + row * stride + slab * std::size_t{kSlabCols}; }
};

// Registers 0 to 3 are sums, 4 and 5 activations (of `upper` and `lower` rows), 6 and 7 weights.
class TileShapes {
 public:
  TileShapes() = default;
  TileShapes(const TileShapes&) = delete;
  TileShapes& operator=(const TileShapes&) = delete;
  ~TileShapes() { __asm__ volatile("tilerelease"); }

  void set(std::uint32_t upper, std::uint32_t lower) {
    if (upper == upper_ && lower == lower_) return;
    upper_ = upper, lower_ = lower;
    const std::uint32_t n_rows[8] = {upper, upper, lower, lower, upper, lower, kTileRows, kTileRows};
    alignas(64) Palette palette{};
    palette.id = 1;
    for (int i = 0; i < 8; ++i) {
      palette.n_rows[i] = static_cast<std::uint8_t>(n_rows[i]);
      palette.row_bytes[i] = n_rows[i] == 0 ? 0 : 64;  // a register that is not used has neither
    }
    __asm__ volatile("ldtilecfg %0" ::"m"(palette));
  }

 private:
  struct Palette {
    std::uint8_t id, start_row, reserved[14];
    std::uint16_t row_bytes[16];
    std::uint8_t n_rows[16];
  };
  std::uint32_t upper_ = 0, lower_ = 0;
};

// Sums of kGroups * 16 rows with kP panels, register 2 * group + panel. After each block of columns `meanwhile` may do
// something else: products take a while, and nothing waits for them until they are stored.
template <int kGroups, int kP, class Meanwhile>
inline void multiply_tiles(const RowsOfJob& rows, std::uint32_t row, const std::byte* const* weights,
                           std::uint32_t n_tile_blocks, Meanwhile meanwhile) {
  zero_tile<0>();
  if constexpr (kP > 1) zero_tile<1>();
  if constexpr (kGroups > 1) zero_tile<2>();
  if constexpr (kGroups > 1 && kP > 1) zero_tile<3>();
  const std::int8_t* upper = rows.quants(row);
  const std::int8_t* lower = upper + kTileRows * rows.stride;
  for (std::uint32_t block = 0; block < n_tile_blocks; ++block, upper += kTileBlockCols, lower += kTileBlockCols) {
    load_tile<6>(weights[2 * block], 64);
    load_tile<4>(upper, rows.stride);
    dot_tile<0, 4, 6>();
    if constexpr (kP > 1) {
      load_tile<7>(weights[2 * block + 1], 64);
      dot_tile<1, 4, 7>();
    }
    if constexpr (kGroups > 1) {
      load_tile<5>(lower, rows.stride);
      dot_tile<2, 5, 6>();
      if constexpr (kP > 1) dot_tile<3, 5, 7>();
    }
    meanwhile(block);
  }
}

template <int kGroups, int kP>
inline void store_tiles(std::int32_t* sums) {
  store_tile<0>(sums);
  if constexpr (kP > 1) store_tile<1>(sums + 256);
  if constexpr (kGroups > 1) store_tile<2>(sums + 512);
  if constexpr (kGroups > 1 && kP > 1) store_tile<3>(sums + 768);
}

inline void bring_ahead(const SlabJob& job, std::uint32_t first_tile, std::uint32_t last_tile) {
  for (std::uint32_t tile = first_tile; tile < last_tile && tile < job.n_tiles; ++tile) {
    for (std::uint32_t panel = 0; panel < job.n_panels; ++panel) {
      const std::byte* ahead = job.ahead + panel * job.panel_stride + tile * job.ahead_bytes;
      for (std::size_t at = 0; at < job.ahead_bytes; at += 64) __builtin_prefetch(ahead + at, 0, 2);
    }
  }
}

// Sums of at most 32 rows, (group, panel, 16 rows, 16), and what turns them into products.
template <int kP>
struct TileSums {
  alignas(64) std::int32_t sums[4 * 256];
  std::uint32_t row = 0, n_rows = 0;

  // Of the rows of one tile of activations: products become floats and are added.
  template <bool kFirst>
  void put(const SlabJob& job, std::uint32_t tile, const OutlierWeights& outliers) const {
    const std::uint32_t first = tile * kTileCols;
    if (first >= n_rows) return;
    F scales[kP];
    for (int p = 0; p < kP; ++p)
      scales[p] = load_f(reinterpret_cast<const float*>(job.slabs + p * kSlabBytes + kSlabCols * 16));
    const RowsOfSlab acts(job.tiles[row / kTileCols + tile], job.n_cols, job.slab, 0);
    float* out = job.out + std::size_t{row / kTileCols + tile} * kPairPanels * kTileCols * 16;
    const std::int32_t* from = sums + (first / kTileRows * 2 * kTileRows + first % kTileRows) * 16;
    const std::uint32_t n = n_rows - first < kTileCols ? n_rows - first : kTileCols;
    for (std::uint32_t c = 0; c < n; ++c) {
      const I start = set_i(acts.slab_start(static_cast<int>(c)));
      const F scale = set_f(acts.scale(static_cast<int>(c)));
      HEADROOM_UNROLL_SLAB
      for (int p = 0; p < kP; ++p) {
        float* to = out + p * kTileCols * 16UL + c * 16UL;
        const I sum = add_i(load_i(reinterpret_cast<const std::byte*>(from + p * 256 + c * 16)), start);
        store_f(to, fma(mul(to_f(sum), scales[p]), scale, kFirst ? zero_f() : load_f(to)));
      }
    }
    if (outliers.are_in(row / kTileCols + tile)) add_outliers<kP>(acts, n, outliers, out);
  }
};

// Slabs with one scale. Between the products of one step the sums of the step before become floats: 1.9 times as fast
// as dot products, where one behind the other was 1.4 to 1.65 times. Asking for the next activations while these are
// multiplied was a fifth slower than not to.
template <int kP, bool kFirst>
void multiply_one_scale(const SlabJob& job) {
  constexpr std::uint32_t kStep = 2 * kTileRows, kTilesOfStep = kStep / kTileCols;
  const RowsOfJob rows(job);
  const std::uint32_t n_blocks = rows.n_blocks, n_tile_blocks = (n_blocks + 1) / 2;
  // A slab that ends in half a block is multiplied with zeros behind it, whatever stands behind the activations.
  alignas(64) std::byte last[kP][kTileBytes];
  const std::byte* weights[2 * kSlabCols / kTileBlockCols];
  for (std::uint32_t block = 0; block < n_tile_blocks; ++block) {
    for (int p = 0; p < kP; ++p) {
      weights[2 * block + static_cast<std::uint32_t>(p)] = job.slabs + p * kSlabBytes + block * kTileBytes;
      if (2 * block + 1 < n_blocks) continue;
      __builtin_memset(last[p], 0, kTileBytes);
      __builtin_memcpy(last[p], weights[2 * block + static_cast<std::uint32_t>(p)], kTileBytes / 2);
      weights[2 * block + static_cast<std::uint32_t>(p)] = last[p];
    }
  }
  TileSums<kP> sums[2];
  OutlierWeights outliers;
  outliers.read<RowsOfSlab>(job);
  TileShapes shapes;
  int which = 0;
  for (std::uint32_t row = 0; row < rows.n_rows; row += kStep, which ^= 1) {
    TileSums<kP>& here = sums[which];
    const TileSums<kP>& before = sums[which ^ 1];
    here.row = row, here.n_rows = rows.n_rows - row < kStep ? rows.n_rows - row : kStep;
    bring_ahead(job, row / kTileCols, (row + kStep) / kTileCols);
    const auto put_one = [&](std::uint32_t tile) { before.template put<kFirst>(job, tile, outliers); };
    if (here.n_rows > kTileRows) {
      shapes.set(kTileRows, here.n_rows - kTileRows);
      multiply_tiles<2, kP>(rows, row, weights, n_tile_blocks, put_one);
    } else {
      shapes.set(here.n_rows, 0);
      multiply_tiles<1, kP>(rows, row, weights, n_tile_blocks, put_one);
    }
    for (std::uint32_t tile = n_tile_blocks; tile < kTilesOfStep; ++tile) put_one(tile);
    here.n_rows > kTileRows ? store_tiles<2, kP>(here.sums) : store_tiles<1, kP>(here.sums);
  }
  for (std::uint32_t tile = 0; tile < kTilesOfStep; ++tile) sums[which ^ 1].template put<kFirst>(job, tile, outliers);
}

// Few rows leave much of a tile empty: 8 of them took 1.2 times as long as with dot products, 16 the same.
void dot_one_scale(const SlabJob& job) {
  const bool is_first = job.slab == job.first_slab;
  if (RowsOfJob(job).n_rows <= kTileRows) return dot_slabs<OneScaleOf<RowsOfSlab>>(job);
  if (job.n_panels == 1) return is_first ? multiply_one_scale<1, true>(job) : multiply_one_scale<1, false>(job);
  is_first ? multiply_one_scale<2, true>(job) : multiply_one_scale<2, false>(job);
}

float tile_peak(std::uint64_t n_rounds) {
  alignas(64) std::byte memory[kTileBytes];
  __builtin_memset(memory, 1, kTileBytes);
  alignas(64) std::int32_t sums[4 * 256];
  TileShapes shapes;
  shapes.set(kTileRows, kTileRows);
  load_tile<4>(memory, 64);
  load_tile<5>(memory, 64);
  load_tile<6>(memory, 64);
  load_tile<7>(memory, 64);
  zero_tile<0>();
  zero_tile<1>();
  zero_tile<2>();
  zero_tile<3>();
  for (std::uint64_t round = 0; round < n_rounds; ++round) {
    dot_tile<0, 4, 6>();
    dot_tile<1, 4, 7>();
    dot_tile<2, 5, 6>();
    dot_tile<3, 5, 7>();
  }
  store_tiles<2, 2>(sums);
  return static_cast<float>(sums[0] + sums[300] + sums[600] + sums[900]);
}

void fill_amx(KernelTable& table) {
  table.quantize_slabs = quantize_rows;
  table.tile_peak = tile_peak;
  for (const DType dtype : kOneScaleTypes) table.dot_slabs[static_cast<unsigned>(dtype)] = dot_one_scale;
  table.dot_slabs[static_cast<unsigned>(DType::kQ8_0)] = dot_slabs<BlockScalesOf<RowsOfSlab>>;
}
