// Unpacked slabs times tiles: sums of a register block stay in registers for all columns of the slab, and every broadcast of activations serves
// all panels of the block. Included by one unit per instruction set, inside its namespace.

enum class SlabKind { kOneScale, kBlockScales, kWords };  // bytes with a scale for all columns or one per 32, or 16-bit numbers

// kP panels and kN columns from column `first` of a tile; out as in SlabJob. kPerBlock: a scale per 32 columns, otherwise one for all.
template <int kP, int kN, bool kPerBlock>
__attribute__((noinline)) void dot_slab_block(const SlabJob& job, const std::byte* slabs, std::uint32_t first, float* out) {
  const std::uint32_t width = job.tile->width, left = job.n_cols - job.slab * kSlabCols;
  const std::uint32_t n_blocks = (left < kSlabCols ? left : kSlabCols) / 32;
  const std::size_t at = job.slab * (kSlabCols / 32UL) * width + first;  // of a value per 32 columns
  const std::int8_t* quants = job.tile->quants + at * 32;
  const std::byte* scales = slabs + kSlabCols * 16;
  I acc[kP][kN];
  const auto start = [&](const std::int32_t* starts) {
    HEADROOM_UNROLL_SLAB
    for (int c = 0; c < kN; ++c) {
      HEADROOM_UNROLL_SLAB
      for (int p = 0; p < kP; ++p) acc[p][c] = start_biased(starts[c]);
    }
  };
  const auto add_block = [&](std::uint32_t block) {
    HEADROOM_UNROLL_SLAB
    for (int j = 0; j < 8; ++j) {
      I w[kP];
      HEADROOM_UNROLL_SLAB
      for (int p = 0; p < kP; ++p) w[p] = load_i(slabs + p * kSlabBytes + block * 512UL + 64 * j);
      HEADROOM_UNROLL_SLAB
      for (int c = 0; c < kN; ++c) {
        const auto four = broadcast4(quants + block * 32UL * width + 32 * c + 4 * j);
        HEADROOM_UNROLL_SLAB
        for (int p = 0; p < kP; ++p) acc[p][c] = dot_biased(acc[p][c], w[p], four);
      }
    }
  };
  const auto load_scale = [&](int p, std::uint32_t block) { return load_f(reinterpret_cast<const float*>(scales + p * kSlabBytes + block * 64UL)); };
  // The sums over blocks are in memory: there are no registers for them, and one load and one store in 32 columns cost nothing.
  alignas(64) float parts[kPerBlock ? kP * kN * 16 : 16] = {};
  if constexpr (kPerBlock) {
    for (std::uint32_t block = 0; block < n_blocks; ++block) {
      start(job.tile->starts + at + block * static_cast<std::size_t>(width));
      add_block(block);
      HEADROOM_UNROLL_SLAB
      for (int p = 0; p < kP; ++p) {
        const F scale = load_scale(p, block);
        HEADROOM_UNROLL_SLAB
        for (int c = 0; c < kN; ++c) {
          float* part = parts + (p * kN + c) * 16;
          store_f(part, fma(to_f(acc[p][c]), scale, load_f(part)));
        }
      }
    }
  } else {
    start(job.tile->slab_starts + job.slab * static_cast<std::size_t>(width) + first);
    for (std::uint32_t block = 0; block < n_blocks; ++block) add_block(block);
  }
  HEADROOM_UNROLL_SLAB
  for (int p = 0; p < kP; ++p) {
    HEADROOM_UNROLL_SLAB
    for (int c = 0; c < kN; ++c) {
      float* to = out + static_cast<std::size_t>(p) * kTileCols * 16 + static_cast<std::size_t>(c) * 16;
      const F part = kPerBlock ? load_f(parts + (p * kN + c) * 16) : mul(to_f(acc[p][c]), load_scale(p, 0));
      const F before = job.slab == 0 ? zero_f() : load_f(to);
      store_f(to, fma(part, set_f(job.tile->scales[at + static_cast<std::size_t>(c)]), before));
    }
  }
}

template <int kP, int kN, SlabKind kKind>
inline void dot_block(const SlabJob& job, const std::byte* slabs, std::uint32_t first, float* out) {
  if constexpr (kKind == SlabKind::kWords) {
    dot_words_block<kP, kN>(job, slabs, first, out);
  } else {
    dot_slab_block<kP, kN, kKind == SlabKind::kBlockScales>(job, slabs, first, out);
  }
}

template <int kP, SlabKind kKind>
void dot_slab_columns(const SlabJob& job, const std::byte* slabs, float* out) {
  for (std::uint32_t first = 0; first < job.tile->width; first += kSlabBlockCols, out += kSlabBlockCols * 16) {
    switch (job.tile->width - first < kSlabBlockCols ? job.tile->width - first : kSlabBlockCols) {
      case 1: dot_block<kP, 1, kKind>(job, slabs, first, out); break;
      case 2: dot_block<kP, 2, kKind>(job, slabs, first, out); break;
      case 3: dot_block<kP, 3, kKind>(job, slabs, first, out); break;
      case 4: dot_block<kP, 4, kKind>(job, slabs, first, out); break;
      default: break;
    }
    if constexpr (kSlabBlockCols > 4) {
      switch (job.tile->width - first) {
        case 5: dot_block<kP, 5, kKind>(job, slabs, first, out); break;
        case 6: dot_block<kP, 6, kKind>(job, slabs, first, out); break;
        case 7: dot_block<kP, 7, kKind>(job, slabs, first, out); break;
        case 8: dot_block<kP, 8, kKind>(job, slabs, first, out); break;
        default: break;
      }
    }
  }
}

template <SlabKind kKind>
void dot_slabs(const SlabJob& job) {
  std::uint32_t panel = 0;
  for (; panel + kSlabBlockPanels <= job.n_panels; panel += kSlabBlockPanels) {
    dot_slab_columns<kSlabBlockPanels, kKind>(job, job.slabs + panel * kSlabBytes, job.out + static_cast<std::size_t>(panel) * kTileCols * 16);
  }
  if constexpr (kSlabBlockPanels > 1) {
    if (panel < job.n_panels)
      dot_slab_columns<1, kKind>(job, job.slabs + panel * kSlabBytes, job.out + static_cast<std::size_t>(panel) * kTileCols * 16);
  }
}
