// Unpacked slabs times tiles: sums of a register block stay in registers for all columns of the slab, and every broadcast of activations serves
// all panels of the block. Included by one unit per instruction set, inside its namespace.

// kPerBlock: a scale per 32 columns, otherwise one for all. The sums of this tile and the activations of the next stand in the second level of cache:
// asking for them in time took 256 rows of 2,048 columns from 90 to 94 % of the int8 peak.
template <int kP, int kN, bool kPerBlock>
__attribute__((noinline)) void dot_slab_block(const SlabJob& job, const SlabBlock& part) {
  const std::byte* slabs = part.slabs;
  const ActTile& tile = *part.tile;
  float* out = part.out;
  const std::uint32_t width = tile.width, next_width = part.next->width, left = job.n_cols - job.slab * kSlabCols;
  const std::uint32_t n_blocks = (left < kSlabCols ? left : kSlabCols) / 32;
  const std::size_t at = job.slab * (kSlabCols / 32UL) * width + part.first;  // of a value per 32 columns
  const std::int8_t* quants = tile.quants + at * 32;
  const std::int8_t* next = part.next->quants + (job.slab * (kSlabCols / 32UL) * next_width + part.first) * 32;
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
    for (int p = 0; p < kP; ++p) __builtin_prefetch(out + p * kTileCols * 16UL + block * 16UL, 1, 3);
    HEADROOM_UNROLL_SLAB
    for (int c = 0; c < kN; c += 2) __builtin_prefetch(next + (block * next_width + static_cast<std::size_t>(c)) * 32, 0, 3);
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
      start(tile.starts + at + block * static_cast<std::size_t>(width));
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
    start(tile.slab_starts + job.slab * static_cast<std::size_t>(width) + part.first);
    for (std::uint32_t block = 0; block < n_blocks; ++block) add_block(block);
  }
  HEADROOM_UNROLL_SLAB
  for (int p = 0; p < kP; ++p) {
    HEADROOM_UNROLL_SLAB
    for (int c = 0; c < kN; ++c) {
      float* to = out + static_cast<std::size_t>(p) * kTileCols * 16 + static_cast<std::size_t>(c) * 16;
      const F sum = kPerBlock ? load_f(parts + (p * kN + c) * 16) : mul(to_f(acc[p][c]), load_scale(p, 0));
      const F before = job.slab == job.first_slab ? zero_f() : load_f(to);
      store_f(to, fma(sum, set_f(tile.scales[at + static_cast<std::size_t>(c)]), before));
    }
  }
}

// How a register block is multiplied, by what its slabs hold.
struct OneScale {  // bytes with a scale for all columns
  template <int kP, int kN>
  static void run(const SlabJob& job, const SlabBlock& part) {
    dot_slab_block<kP, kN, false>(job, part);
  }
};
struct BlockScales {  // bytes with a scale per 32
  template <int kP, int kN>
  static void run(const SlabJob& job, const SlabBlock& part) {
    dot_slab_block<kP, kN, true>(job, part);
  }
};
struct Words {  // 16-bit numbers
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
  for (std::uint32_t tile = 0; tile < job.n_tiles; ++tile, ahead += job.ahead_bytes) {
    for (std::uint32_t panel = 0; panel < job.n_panels; ++panel) {
      for (std::size_t at = 0; at < job.ahead_bytes; at += 64) __builtin_prefetch(ahead + panel * job.ahead_stride + at, 0, 2);
    }
    const ActTile* here = job.tiles + tile;
    const auto part = [&](std::uint32_t panel) {
      float* out = job.out + (std::size_t{tile} * kPairPanels + panel) * kTileCols * 16;
      return SlabBlock{job.slabs + panel * kSlabBytes, here, tile + 1 < job.n_tiles ? here + 1 : here, 0, out};
    };
    std::uint32_t panel = 0;
    for (; panel + kSlabBlockPanels <= job.n_panels; panel += kSlabBlockPanels) dot_slab_columns<kSlabBlockPanels, Block>(job, part(panel));
    if constexpr (kSlabBlockPanels > 1) {
      if (panel < job.n_panels) dot_slab_columns<1, Block>(job, part(panel));
    }
  }
}
