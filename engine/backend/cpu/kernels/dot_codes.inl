// Slabs of codes as they stand in the file, for instruction sets without a dot product of bytes: products of unsigned
// codes of at most six bits with activations are added in 16 bits as long as they fit, then multiplied with the scale
// of their group while they are widened. Half the instructions of slabs with an offset of 128, and nothing is rounded.
// Included after all.inl, inside the namespace of the set.
//
// A slab of codes: (kSlabCols / 4, 16) dwords of unsigned bytes, then up to 512 bytes of what belongs to the type's
// scales.

// Registers of four codes of at most kMost, each times an activation of at most 127 and added in pairs, whose sum fits
// in 16 bits.
template <int kMost>
inline constexpr int kAddable = 32767 / (2 * 127 * kMost) < 8 ? 32767 / (2 * 127 * kMost) : 8;

// sums (n_columns of pairs in 16 bits): kRegs registers of codes times kN columns.
template <int kRegs, int kN>
[[gnu::always_inline]] inline void sum_codes(const std::byte* codes, const std::int8_t* quants, I (&sums)[kN]) {
  HEADROOM_UNROLL_SLAB
  for (int j = 0; j < kRegs; ++j) {
    const I w = load_i(codes + 64 * j);
    HEADROOM_UNROLL_SLAB
    for (int c = 0; c < kN; ++c) {
      const I products = mul_bytes(w, broadcast4(quants + 32 * c + 4 * j));
      sums[c] = j == 0 ? products : add16(sums[c], products);
    }
  }
}

// The columns of a tile that one call takes, in that slab.
struct CodeBlock {
  const std::byte *codes, *scales;
  const ActTile& tile;
  std::uint32_t width, n_blocks;
  std::size_t at;  // of a value per 32 columns
  const std::int8_t* quants;
  CodeBlock(const SlabJob& job, const SlabBlock& part)
      : codes(part.slabs), scales(part.slabs + kSlabCols * 16), tile(*part.tile), width(tile.width) {
    const std::uint32_t left = job.n_cols - job.slab * kSlabCols;
    n_blocks = (left < kSlabCols ? left : kSlabCols) / 32;
    at = job.slab * (kSlabCols / 32UL) * width + part.first;
    quants = tile.quants + at * 32;
  }
  const std::int8_t* quants_of(std::uint32_t block) const {
    return quants + static_cast<std::size_t>(block) * 32 * width;
  }
  // Adds to what earlier slabs gave.
  void add_to(const SlabJob& job, float* out, int c, F value) const {
    float* to = out + static_cast<std::size_t>(c) * 16;
    const F before = job.slab == job.first_slab ? zero_f() : load_f(to);
    store_f(to, fma(value, set_f(tile.scales[at + static_cast<std::size_t>(c)]), before));
  }
};

// Behind the codes: (8, 16) f32 scales.
template <class Source>
struct CodesOfBlocks {
  using Acts = InterleavedSlab;
  static void unpack(const std::byte* panel, std::uint32_t n_cols, std::uint32_t slab, std::byte* to) {
    const Source source(panel);
    const std::uint32_t first = slab * (kSlabCols / 32),
                        last = n_cols / 32 < first + kSlabCols / 32 ? n_cols / 32 : first + kSlabCols / 32;
    auto* scales = reinterpret_cast<float*>(to + kSlabCols * 16);
    for (std::uint32_t block = first; block < last; ++block, to += 512, scales += 16) {
      I w[8];
      source.load_codes(block, w);
      HEADROOM_UNROLL
      for (int j = 0; j < 8; ++j) store_i(to + 64 * j, w[j]);
      store_f(scales, source.scale(block));
    }
  }

  template <int kP, int kN>
  static __attribute__((noinline)) void run(const SlabJob& job, const SlabBlock& part) {
    constexpr int kRegs = kAddable<Source::kMostCode>;
    constexpr int kOffset = 128 / Source::kZero;
    static_assert(kP == 1, "a panel at a time");
    const CodeBlock block(job, part);
    const I ones = set_i(0x00010001);
    F totals[kN];
    HEADROOM_UNROLL_SLAB
    for (int c = 0; c < kN; ++c) totals[c] = zero_f();
    for (std::uint32_t i = 0; i < block.n_blocks; ++i) {
      const std::int32_t* offset_corrections =
          block.tile.offset_corrections + block.at + i * static_cast<std::size_t>(block.width);
      const F scale = load_f(reinterpret_cast<const float*>(block.scales) + i * 16UL);
      I whole[kN];
      HEADROOM_UNROLL_SLAB
      for (int c = 0; c < kN; ++c) whole[c] = set_i(offset_corrections[c] / kOffset);  // codes are taken from kZero
      HEADROOM_UNROLL_SLAB
      for (int j = 0; j < 8; j += kRegs) {
        I sums[kN];
        sum_codes<kRegs>(block.codes + i * 512UL + 64 * j, block.quants_of(i) + 4 * j, sums);
        HEADROOM_UNROLL_SLAB
        for (int c = 0; c < kN; ++c) whole[c] = add_products(whole[c], sums[c], ones);
      }
      HEADROOM_UNROLL_SLAB
      for (int c = 0; c < kN; ++c) totals[c] = fma(to_f(whole[c]), scale, totals[c]);
    }
    HEADROOM_UNROLL_SLAB
    for (int c = 0; c < kN; ++c) block.add_to(job, part.out, c, totals[c]);
  }
};

// Behind the codes: bytes of scales (2, 16, 4) and mins (2, 16, 4), then d (16) and d_min (16) in f32.
template <class Source>
struct CodesWithMins {
  static constexpr std::size_t kMinsAt = 128, kFactorAt = 256, kMinFactorAt = 320;
  using Acts = InterleavedSlab;

  template <int kGroup>
  static void unpack_group(const Source& source, std::uint32_t slab, std::byte* to) {
    I w[8];
    source.template load<kGroup>(slab, w);
    HEADROOM_UNROLL
    for (int j = 0; j < 8; ++j) store_i(to + kGroup * 512 + 64 * j, w[j]);
  }
  static void unpack(const std::byte* panel, std::uint32_t /*n_cols*/, std::uint32_t slab, std::byte* to) {
    const Source source(panel);
    unpack_group<0>(source, slab, to);
    unpack_group<1>(source, slab, to);
    unpack_group<2>(source, slab, to);
    unpack_group<3>(source, slab, to);
    unpack_group<4>(source, slab, to);
    unpack_group<5>(source, slab, to);
    unpack_group<6>(source, slab, to);
    unpack_group<7>(source, slab, to);
    const GroupScales groups = source.groups(slab);
    std::byte* scales = to + kSlabCols * 16;
    for (int i = 0; i < 2; ++i) {
      store_i(scales + 64 * i, groups.scales[i]);
      store_i(scales + kMinsAt + 64 * i, groups.mins[i]);
    }
    store_f(reinterpret_cast<float*>(scales + kFactorAt), groups.d);
    store_f(reinterpret_cast<float*>(scales + kMinFactorAt), groups.d_min);
  }

  // Mins times the sums of the activations of their groups, which are given as 64 * first + second.
  static I dot_mins(const CodeBlock& block, const std::int8_t* sums) {
    const I low = load_i(block.scales + kMinsAt), high = load_i(block.scales + kMinsAt + 64);
    const I first = add16(mul_bytes(low, broadcast4(sums)), mul_bytes(high, broadcast4(sums + 4)));
    const I second = add16(mul_bytes(low, broadcast4(sums + 8)), mul_bytes(high, broadcast4(sums + 12)));
    return add_products(add_products(zero_i(), first, set_i(0x00400040)), second, set_i(0x00010001));
  }

  template <int kP, int kN>
  static __attribute__((noinline)) void run(const SlabJob& job, const SlabBlock& part) {
    constexpr int kRegs = kAddable<Source::kMost>;
    static_assert(kP == 1, "a panel at a time");
    const CodeBlock block(job, part);
    I totals[kN];
    HEADROOM_UNROLL_SLAB
    for (int c = 0; c < kN; ++c) totals[c] = zero_i();
    for (std::uint32_t group = 0; group < 8; ++group) {
      const int byte = static_cast<int>(group % 4);
      const I scale = shift_right16<8>(bytes_in_halves(load_i(block.scales + group / 4 * 64), byte, byte));
      HEADROOM_UNROLL_SLAB
      for (int j = 0; j < 8; j += kRegs) {
        I sums[kN];
        sum_codes<kRegs>(block.codes + group * 512UL + 64 * j, block.quants_of(group) + 4 * j, sums);
        HEADROOM_UNROLL_SLAB
        for (int c = 0; c < kN; ++c) totals[c] = add_products(totals[c], sums[c], scale);
      }
    }
    const F d = load_f(reinterpret_cast<const float*>(block.scales + kFactorAt));
    const F d_min = load_f(reinterpret_cast<const float*>(block.scales + kMinFactorAt));
    const std::int8_t* sums = block.tile.sums + (static_cast<std::size_t>(job.slab) * block.width + part.first) * 16;
    HEADROOM_UNROLL_SLAB
    for (int c = 0; c < kN; ++c) {
      block.add_to(job, part.out, c, sub(mul(d, to_f(totals[c])), mul(d_min, to_f(dot_mins(block, sums + 16 * c)))));
    }
  }
};

// Behind the codes: signed bytes of scales of 16 columns each (4, 16, 4), then d (16) in f32.
struct CodesQ6_K {
  static constexpr std::size_t kFactorAt = 256;
  using Acts = InterleavedSlab;

  template <int kPart>
  static void unpack_part(const PackedQ6_K& source, std::uint32_t slab, std::byte* to) {
    I w[8];
    source.load_codes<kPart>(slab, w);
    HEADROOM_UNROLL
    for (int j = 0; j < 8; ++j) store_i(to + kPart * 512 + 64 * j, w[j]);
  }
  static void unpack(const std::byte* panel, std::uint32_t /*n_cols*/, std::uint32_t slab, std::byte* to) {
    const PackedQ6_K source(panel);
    unpack_part<0>(source, slab, to);
    unpack_part<1>(source, slab, to);
    unpack_part<2>(source, slab, to);
    unpack_part<3>(source, slab, to);
    unpack_part<4>(source, slab, to);
    unpack_part<5>(source, slab, to);
    unpack_part<6>(source, slab, to);
    unpack_part<7>(source, slab, to);
    std::byte* scales = to + kSlabCols * 16;
    for (std::uint32_t i = 0; i < 4; ++i) store_i(scales + 64 * i, source.four_scales(slab, i));
    store_f(reinterpret_cast<float*>(scales + kFactorAt), mul(source.super_scale(slab), set_f(4.0F)));
  }

  template <int kP, int kN>
  static __attribute__((noinline)) void run(const SlabJob& job, const SlabBlock& part) {
    constexpr int kRegs = kAddable<63>;
    static_assert(kP == 1, "a panel at a time");
    const CodeBlock block(job, part);
    I totals[kN];
    HEADROOM_UNROLL_SLAB
    for (int c = 0; c < kN; ++c) totals[c] = zero_i();
    for (std::uint32_t group = 0; group < 8; ++group) {
      const I four = load_i(block.scales + group / 2 * 64);
      const int byte = static_cast<int>(group % 2) * 2;
      const I scales[2] = {shift_signed16<8>(bytes_in_halves(four, byte, byte)),
                           shift_signed16<8>(bytes_in_halves(four, byte + 1, byte + 1))};
      HEADROOM_UNROLL_SLAB
      for (int j = 0; j < 8; j += kRegs) {
        I sums[kN];
        sum_codes<kRegs>(block.codes + group * 512UL + 64 * j, block.quants_of(group) + 4 * j, sums);
        HEADROOM_UNROLL_SLAB
        for (int c = 0; c < kN; ++c) totals[c] = add_products(totals[c], sums[c], scales[j / 4]);
      }
      // A code has an offset of 32: less 32 * scale * sum of 16 activations, both groups at once.
      const I offsets = shift_signed16<3>(bytes_in_halves(four, byte, byte + 1));
      const std::int32_t* offset_corrections =
          block.tile.offset_corrections16 + 2 * (block.at + group * static_cast<std::size_t>(block.width));
      HEADROOM_UNROLL_SLAB
      for (int c = 0; c < kN; ++c) {
        const std::int32_t low = offset_corrections[2 * c] >> 7, high = offset_corrections[2 * c + 1] >> 7;
        totals[c] = add_products(totals[c], offsets,
                                 set_i(static_cast<std::int32_t>(static_cast<std::uint32_t>(high) << 16U |
                                                                 (static_cast<std::uint32_t>(low) & 0xFFFFU))));
      }
    }
    const F d = load_f(reinterpret_cast<const float*>(block.scales + kFactorAt));
    HEADROOM_UNROLL_SLAB
    for (int c = 0; c < kN; ++c) block.add_to(job, part.out, c, mul(d, to_f(totals[c])));
  }
};

// These slabs need the sums of 16 and of 32 activations too.
void quantize_for_codes(const float* in, std::uint32_t n, std::uint32_t column, const ActTile& tile) {
  auto* outliers = const_cast<SlabOutliers*>(tile.outliers) + column;
  auto* counts = const_cast<std::uint8_t*>(tile.outlier_counts) + column;
  alignas(64) float rest[kSlabCols];
  std::int32_t slab_sum = 0;
  for (std::uint32_t first = 0; first < n; first += kSlabCols, outliers += tile.width, counts += tile.width) {
    const std::uint32_t n_group = n - first < kSlabCols ? n - first : kSlabCols;
    F most = largest_of_lanes(in + first, n_group);
    const float* from = take_outliers(in + first, n_group, most, rest, *outliers, *counts);
    quantize_group(from, first, n_group, most, column, tile, slab_sum);
  }
}

// As int8_peak(), of products that are added in 16 bits and never widened.
float codes_peak(std::uint64_t n_rounds) {
  I acc[4] = {zero_i(), zero_i(), zero_i(), zero_i()};
  const std::int8_t a[4] = {1, 2, 3, 4};
  I w = set_i(0x01020304);
  for (std::uint64_t quarter = 0; quarter < 4 * n_rounds; ++quarter) {
    HEADROOM_UNROLL_SLAB
    for (int i = 0; i < 4; ++i) {
      hide(w);  // otherwise one product would do for all
      acc[i] = add16(acc[i], mul_bytes(w, broadcast4(a)));
    }
  }
  const I ones = set_i(0x00010001);
  I sum = zero_i();
  HEADROOM_UNROLL_SLAB
  for (int i = 0; i < 4; ++i) sum = add_products(sum, acc[i], ones);
  return sum_lanes(to_f(sum));
}

void fill_codes(KernelTable& table) {
  table.quantize_slabs = quantize_for_codes;
  table.int8_peak = codes_peak;
  const auto set = [&](DType dtype, UnpackFn unpack, DotSlabsFn dot) {
    table.unpack[static_cast<unsigned>(dtype)] = unpack;
    table.dot_slabs[static_cast<unsigned>(dtype)] = dot;
  };
  set(DType::kQ4_0, CodesOfBlocks<PackedQ4_0>::unpack, dot_slabs<CodesOfBlocks<PackedQ4_0>>);
  set(DType::kQ5_0, CodesOfBlocks<PackedQ5_0>::unpack, dot_slabs<CodesOfBlocks<PackedQ5_0>>);
  set(DType::kQ4_K, CodesWithMins<PackedQ4_K>::unpack, dot_slabs<CodesWithMins<PackedQ4_K>>);
  set(DType::kQ5_K, CodesWithMins<PackedQ5_K>::unpack, dot_slabs<CodesWithMins<PackedQ5_K>>);
  set(DType::kQ6_K, CodesQ6_K::unpack, dot_slabs<CodesQ6_K>);
}
