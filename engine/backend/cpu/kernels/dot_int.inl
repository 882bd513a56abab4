// Panels of quantized weights times int8 activations: a lane is a row, so nothing is ever summed across lanes.
// Included by one unit per instruction set, inside its namespace.

// --- 32 columns with a scale, perhaps a min ---

template <int kN, class Source>
void dot_biased_tile(const std::byte* panel, std::uint32_t n_cols, const ActTile& tile, float* out,
                     std::uint32_t out_stride) {
  const Source source(panel);
  F acc[kN];
  HEADROOM_UNROLL_COLUMNS
  for (int c = 0; c < kN; ++c) acc[c] = zero_f();
  const std::int8_t* quants = tile.quants;
  const float* scales = tile.scales;
  const std::int32_t* offset_corrections = tile.offset_corrections;
  const std::uint32_t n_blocks = n_cols / 32;
  for (std::uint32_t block = 0; block < n_blocks; ++block, quants += 32 * kN, scales += kN, offset_corrections += kN) {
    if constexpr (kN <= static_cast<int>(kDirectCols)) {  // more columns are keys' alone, which are in the cache
      read_ahead<Source::kBytes>(tile, source.at(block));
    }
    I w[8];
    source.load(block, w);
    const F scale = source.scale(block);
    HEADROOM_UNROLL_COLUMNS
    for (int c = 0; c < kN; ++c) {
      I sum = start_biased(offset_corrections[c]);
      HEADROOM_UNROLL
      for (int j = 0; j < 8; ++j) sum = dot_biased(sum, w[j], broadcast4(quants + 32 * c + 4 * j));
      acc[c] = fma(to_f(sum), mul(scale, set_f(scales[c])), acc[c]);
    }
  }
  HEADROOM_UNROLL_COLUMNS
  for (int c = 0; c < kN; ++c)
    store_f(out + static_cast<std::size_t>(c) * out_stride, mul(acc[c], set_f(Source::kFactor)));
}

template <int kN, class Source>
void dot_min_blocks_tile(const std::byte* panel, std::uint32_t n_cols, const ActTile& tile, float* out,
                         std::uint32_t out_stride) {
  const Source source(panel);
  F acc[kN];
  HEADROOM_UNROLL_COLUMNS
  for (int c = 0; c < kN; ++c) acc[c] = zero_f();
  const std::int8_t* quants = tile.quants;
  const float* scales = tile.scales;
  const std::int32_t* offset_corrections = tile.offset_corrections;
  const std::uint32_t n_blocks = n_cols / 32;
  for (std::uint32_t block = 0; block < n_blocks; ++block, quants += 32 * kN, scales += kN, offset_corrections += kN) {
    read_ahead<Source::kBytes>(tile, source.at(block));
    I w[8];
    source.load(block, w);
    const F scale = source.scale(block), min = source.min(block);
    HEADROOM_UNROLL_COLUMNS
    for (int c = 0; c < kN; ++c) {
      I sum = zero_i();
      HEADROOM_UNROLL
      for (int j = 0; j < 8; ++j) sum = dot_small(sum, w[j], broadcast4(quants + 32 * c + 4 * j));
      const float sum_of_quants = static_cast<float>(offset_corrections[c]) * (-1.0F / 128);
      const F product = fma(to_f(sum), scale, mul(min, set_f(sum_of_quants)));
      acc[c] = fma(product, set_f(scales[c]), acc[c]);
    }
  }
  HEADROOM_UNROLL_COLUMNS
  for (int c = 0; c < kN; ++c) store_f(out + static_cast<std::size_t>(c) * out_stride, acc[c]);
}

// --- 256 columns in parts of 32 ---

// Kernels multiply unsigned bytes, so values are kept with an offset: 128 by load(), or Source::kOffset by
// load_from_offset(), whose bytes are below 128. start_of() is the sum's first value, which takes the offset back:
// minus the offset times the sum of the activations. dot_values() adds four products.
template <class Source>
inline I start_of(std::int32_t correction) {
  if constexpr (requires { Source::kOffset; }) {
    return set_i(correction / 128 * Source::kOffset);
  } else {
    return start_biased(correction);
  }
}
template <class Source, class Four>
inline I dot_values(I acc, I w, Four four) {
  if constexpr (requires { Source::kOffset; }) {
    return dot_small(acc, w, four);
  } else {
    return dot_biased(acc, w, four);
  }
}

// A part has a scale per 16, or one; they stand in front of its bits, and are read first.
template <int kN, int kPart, class Source>
inline void add_part(const Source& source, std::uint32_t super, F d, const ActTile& tile, F (&acc)[kN]) {
  read_part_ahead<kPart, Source::kBytes>(tile, source.at(super));
  constexpr bool kHasOne = requires { source.template scale<kPart>(super, d); };
  F first, second;
  if constexpr (kHasOne) {
    first = source.template scale<kPart>(super, d);
  } else {
    source.template scales<kPart>(super, d, first, second);
  }
  I w[8];
  if constexpr (requires { Source::kOffset; }) {
    source.template load_from_offset<kPart>(super, w);
  } else {
    source.template load<kPart>(super, w);
  }
  const std::size_t at = (super * 8UL + kPart) * kN;
  if constexpr (kHasOne) {
    HEADROOM_UNROLL_COLUMNS
    for (int c = 0; c < kN; ++c) {
      const std::int8_t* quants = tile.quants + (at + c) * 32;
      I sum = start_of<Source>(tile.offset_corrections[at + c]);
      HEADROOM_UNROLL
      for (int j = 0; j < 8; ++j) sum = dot_values<Source>(sum, w[j], broadcast4(quants + 4 * j));
      acc[c] = fma(to_f(sum), first, acc[c]);
    }
  } else {
    HEADROOM_UNROLL_COLUMNS
    for (int c = 0; c < kN; ++c) {
      const std::int8_t* quants = tile.quants + (at + c) * 32;
      I low = start_of<Source>(tile.offset_corrections16[2 * (at + c)]),
        high = start_of<Source>(tile.offset_corrections16[2 * (at + c) + 1]);
      HEADROOM_UNROLL
      for (int j = 0; j < 4; ++j) {
        low = dot_values<Source>(low, w[j], broadcast4(quants + 4 * j));
        high = dot_values<Source>(high, w[j + 4], broadcast4(quants + 16 + 4 * j));
      }
      acc[c] = fma(to_f(low), first, acc[c]);
      acc[c] = fma(to_f(high), second, acc[c]);
    }
  }
}

template <int kN, class Source>
void dot_parts_tile(const std::byte* panel, std::uint32_t n_cols, const ActTile& tile, float* out,
                    std::uint32_t out_stride) {
  const Source source(panel);
  F total[kN];
  HEADROOM_UNROLL_COLUMNS
  for (int c = 0; c < kN; ++c) total[c] = zero_f();
  for (std::uint32_t super = 0; super < n_cols / 256; ++super) {
    F acc[kN];
    HEADROOM_UNROLL_COLUMNS
    for (int c = 0; c < kN; ++c) acc[c] = zero_f();
    const F d = source.super_scale(super);
    add_part<kN, 0>(source, super, d, tile, acc);
    add_part<kN, 1>(source, super, d, tile, acc);
    add_part<kN, 2>(source, super, d, tile, acc);
    add_part<kN, 3>(source, super, d, tile, acc);
    add_part<kN, 4>(source, super, d, tile, acc);
    add_part<kN, 5>(source, super, d, tile, acc);
    add_part<kN, 6>(source, super, d, tile, acc);
    add_part<kN, 7>(source, super, d, tile, acc);
    HEADROOM_UNROLL_COLUMNS
    for (int c = 0; c < kN; ++c)
      total[c] = fma(acc[c], set_f(tile.scales[super * 8UL * kN + c]), total[c]);  // one scale per 256 here
  }
  HEADROOM_UNROLL_COLUMNS
  for (int c = 0; c < kN; ++c) store_f(out + static_cast<std::size_t>(c) * out_stride, total[c]);
}

template <int kN, int kGroup, class Source>
inline void add_min_group(const Source& source, std::uint32_t super, const GroupScales& groups, const ActTile& tile,
                          F (&acc)[kN]) {
  read_part_ahead<kGroup, Source::kBytes>(tile, source.at(super));
  I w[8];
  source.template load<kGroup>(super, w);
  const F scale = groups.scale<kGroup>();
  const std::int8_t* quants = tile.quants + (super * 8UL + kGroup) * kN * 32;
  HEADROOM_UNROLL_COLUMNS
  for (int c = 0; c < kN; ++c) {
    I sum = zero_i();
    HEADROOM_UNROLL
    for (int j = 0; j < 8; ++j) sum = dot_small(sum, w[j], broadcast4(quants + 32 * c + 4 * j));
    acc[c] = fma(to_f(sum), scale, acc[c]);
  }
}

template <int kN, class Source>
void dot_mins_tile(const std::byte* panel, std::uint32_t n_cols, const ActTile& tile, float* out,
                   std::uint32_t out_stride) {
  const Source source(panel);
  F total[kN];
  HEADROOM_UNROLL_COLUMNS
  for (int c = 0; c < kN; ++c) total[c] = zero_f();
  for (std::uint32_t super = 0; super < n_cols / 256; ++super) {
    F acc[kN];
    HEADROOM_UNROLL_COLUMNS
    for (int c = 0; c < kN; ++c) acc[c] = zero_f();
    const GroupScales groups = source.groups(super);
    add_min_group<kN, 0>(source, super, groups, tile, acc);
    add_min_group<kN, 1>(source, super, groups, tile, acc);
    add_min_group<kN, 2>(source, super, groups, tile, acc);
    add_min_group<kN, 3>(source, super, groups, tile, acc);
    add_min_group<kN, 4>(source, super, groups, tile, acc);
    add_min_group<kN, 5>(source, super, groups, tile, acc);
    add_min_group<kN, 6>(source, super, groups, tile, acc);
    add_min_group<kN, 7>(source, super, groups, tile, acc);
    HEADROOM_UNROLL_COLUMNS
    for (int c = 0; c < kN; ++c) {
      const std::int8_t* sums = tile.sums + (super * static_cast<std::size_t>(kN) + c) * 16;
      const I upper =
          dot_small(dot_small(zero_i(), groups.mins[0], broadcast4(sums)), groups.mins[1], broadcast4(sums + 4));
      const I all = dot_small(dot_small(shift_left<6>(upper), groups.mins[0], broadcast4(sums + 8)), groups.mins[1],
                              broadcast4(sums + 12));
      const F less_mins = sub(acc[c], mul(groups.d_min, to_f(all)));
      total[c] = fma(less_mins, set_f(tile.scales[super * 8UL * kN + c]), total[c]);  // one scale per 256 here
    }
  }
  HEADROOM_UNROLL_COLUMNS
  for (int c = 0; c < kN; ++c) store_f(out + static_cast<std::size_t>(c) * out_stride, total[c]);
}

// Q2_K: a scale and a min per 16.
template <int kN, int kPart, class Source>
inline void add_halves_with_mins(const Source& source, std::uint32_t super, F d, I four, const ActTile& tile,
                                 F (&acc)[kN], I (&min_sums)[kN]) {
  read_part_ahead<kPart, Source::kBytes>(tile, source.at(super));
  I w[8];
  source.template load<kPart>(super, w);
  F first, second;
  Source::template scales<kPart>(four, d, first, second);
  const I mins = Source::template two_mins<kPart>(four);
  const std::size_t at = (super * 8UL + kPart) * kN;
  HEADROOM_UNROLL_COLUMNS
  for (int c = 0; c < kN; ++c) {
    const std::int8_t* quants = tile.quants + (at + c) * 32;
    I low = zero_i(), high = zero_i();
    HEADROOM_UNROLL
    for (int j = 0; j < 4; ++j) {
      low = dot_small(low, w[j], broadcast4(quants + 4 * j));
      high = dot_small(high, w[j + 4], broadcast4(quants + 16 + 4 * j));
    }
    acc[c] = fma(to_f(low), first, acc[c]);
    acc[c] = fma(to_f(high), second, acc[c]);
    // Less the sums of 16 activations each, which fit 16 bits.
    std::int16_t sums[2];
    for (std::size_t i = 0; i < 2; ++i)
      sums[i] = static_cast<std::int16_t>(tile.offset_corrections16[2 * (at + c) + i] / 128);
    std::int8_t pair[4];
    __builtin_memcpy(pair, sums, 4);
    min_sums[c] = dot_words(min_sums[c], mins, broadcast4(pair));
  }
}

template <int kN, class Source>
void dot_halves_with_mins_tile(const std::byte* panel, std::uint32_t n_cols, const ActTile& tile, float* out,
                               std::uint32_t out_stride) {
  const Source source(panel);
  F total[kN];
  HEADROOM_UNROLL_COLUMNS
  for (int c = 0; c < kN; ++c) total[c] = zero_f();
  for (std::uint32_t super = 0; super < n_cols / 256; ++super) {
    F acc[kN];
    I min_sums[kN];
    HEADROOM_UNROLL_COLUMNS
    for (int c = 0; c < kN; ++c) acc[c] = zero_f(), min_sums[c] = zero_i();
    const F d = source.super_scale(super), d_min = source.super_min(super);
    I four = source.four_scales(super, 0);
    add_halves_with_mins<kN, 0>(source, super, d, four, tile, acc, min_sums);
    add_halves_with_mins<kN, 1>(source, super, d, four, tile, acc, min_sums);
    four = source.four_scales(super, 1);
    add_halves_with_mins<kN, 2>(source, super, d, four, tile, acc, min_sums);
    add_halves_with_mins<kN, 3>(source, super, d, four, tile, acc, min_sums);
    four = source.four_scales(super, 2);
    add_halves_with_mins<kN, 4>(source, super, d, four, tile, acc, min_sums);
    add_halves_with_mins<kN, 5>(source, super, d, four, tile, acc, min_sums);
    four = source.four_scales(super, 3);
    add_halves_with_mins<kN, 6>(source, super, d, four, tile, acc, min_sums);
    add_halves_with_mins<kN, 7>(source, super, d, four, tile, acc, min_sums);
    HEADROOM_UNROLL_COLUMNS
    for (int c = 0; c < kN; ++c) {
      const F less_mins = fma(d_min, to_f(min_sums[c]), acc[c]);
      total[c] = fma(less_mins, set_f(tile.scales[super * 8UL * kN + c]), total[c]);  // one scale per 256 here
    }
  }
  HEADROOM_UNROLL_COLUMNS
  for (int c = 0; c < kN; ++c) store_f(out + static_cast<std::size_t>(c) * out_stride, total[c]);
}
