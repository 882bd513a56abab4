// Panels of quantized weights times int8 activations: a lane is a row, so nothing is ever summed across lanes.
// Included by one unit per instruction set, inside its namespace.
//
// A source gives the eight registers of unsigned bytes of a block of 32 columns, and the scales that belong to it.

// With few columns memory is the limit, and one core alone does not ask for enough of it at a time: bytes are asked for
// 16 KiB ahead into the second level of cache, which holds more requests than the first, and brought to the first level
// 2 KiB ahead. Measured on a Xeon with 18 GB/s a core, share of a plain read loop: Q4_0 65 -> 94 %, Q4_K 72 -> 92 %,
// Q6_K 66 -> 91 %, Q8_0 86 -> 97 %.
inline constexpr std::size_t kFarBytes = 16384, kNearBytes = 2048;
// Always inline: GCC takes a function that only prefetches for one without effect, and drops the call.
template <std::size_t kBytes>
[[gnu::always_inline]] inline void read_ahead(const std::byte* at) {
  HEADROOM_UNROLL
  for (std::size_t i = 0; i < kBytes; i += 64) {
    __builtin_prefetch(at + kFarBytes + i, 0, 2);
    __builtin_prefetch(at + kNearBytes + i, 0, 3);
  }
}
// Part kPart of eight of kBytes, a multiple of 64.
template <std::size_t kPart, std::size_t kBytes>
[[gnu::always_inline]] inline void read_part_ahead(const std::byte* at) {
  constexpr std::size_t kFirst = kPart * kBytes / 8 / 64 * 64, kLast = (kPart + 1) * kBytes / 8 / 64 * 64;
  read_ahead<kLast - kFirst>(at + kFirst);
}

inline void load_wide(const std::byte* from, I (&w)[8]) {
  HEADROOM_UNROLL
  for (int j = 0; j < 8; ++j) w[j] = load_i(from + 64 * j);
}

// --- one scale per 32, bytes with an offset of 128 ---

struct PackedQ8_0 {
  static constexpr float kFactor = 1.0F;
  static constexpr std::size_t kBlockBytes = 512;
  const std::byte *quants, *scales;
  PackedQ8_0(const std::byte* panel, std::uint32_t n_cols) : quants(panel), scales(panel + n_cols * 16UL) {}
  void load(std::uint32_t block, I (&w)[8]) const { load_wide(quants + block * 512UL, w); }
  F scale(std::uint32_t block) const { return load_f16(scales + block * 32UL); }
};

// Nibbles stay in the upper half of their byte: 16 * nibble - 128 is 16 times the value, and the sum is divided once at
// the end.
struct PackedQ4_0 {
  static constexpr float kFactor = 1.0F / 16;
  static constexpr std::size_t kBlockBytes = 256;
  const std::byte *quants, *scales;
  PackedQ4_0(const std::byte* panel, std::uint32_t n_cols) : quants(panel), scales(panel + n_cols * 8UL) {}
  void load(std::uint32_t block, I (&w)[8]) const {
    const I mask = set_i(static_cast<std::int32_t>(0xF0F0F0F0U));
    HEADROOM_UNROLL
    for (int j = 0; j < 4; ++j) {
      const I both = load_i(quants + block * 256UL + 64 * j);
      w[j] = and_i(shift_left<4>(both), mask);
      w[j + 4] = and_i(both, mask);
    }
  }
  void load_codes(std::uint32_t block, I (&w)[8]) const {  // as they are
    HEADROOM_UNROLL
    for (int j = 0; j < 4; ++j) {
      const I both = load_i(quants + block * 256UL + 64 * j);
      w[j] = and_i(both, set_i(0x0F0F0F0F));
      w[j + 4] = and_i(shift_right<4>(both), set_i(0x0F0F0F0F));
    }
  }
  F scale(std::uint32_t block) const { return load_f16(scales + block * 32UL); }
};

template <int kN, class Source>
void dot_biased_tile(const std::byte* panel, std::uint32_t n_cols, const ActTile& tile, float* out,
                     std::uint32_t out_stride) {
  const Source source(panel, n_cols);
  F acc[kN];
  HEADROOM_UNROLL_COLUMNS
  for (int c = 0; c < kN; ++c) acc[c] = zero_f();
  const std::int8_t* quants = tile.quants;
  const float* scales = tile.scales;
  const std::int32_t* offset_corrections = tile.offset_corrections;
  const std::uint32_t n_blocks = n_cols / 32;
  for (std::uint32_t block = 0; block < n_blocks; ++block, quants += 32 * kN, scales += kN, offset_corrections += kN) {
    if constexpr (kN <= static_cast<int>(kDirectCols) &&
                  requires { Source::kBlockBytes; }) {  // what is unpacked is in the cache already
      read_ahead<Source::kBlockBytes>(source.quants + block * Source::kBlockBytes);
      read_ahead<32>(source.scales + block * 32UL);
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

// --- 256 columns in 16 groups with a scale each, bytes with an offset of 128: Q6_K ---

struct PackedQ6_K {  // six bits stay in the upper part of their byte: four times the value
  const std::byte *blocks, *scale_plane;
  PackedQ6_K(const std::byte* panel, std::uint32_t n_cols)
      : blocks(panel), scale_plane(panel + n_cols / 256 * 3328UL) {}
  F super_scale(std::uint32_t super) const { return mul(load_f16(scale_plane + super * 32UL), set_f(0.25F)); }
  I four_scales(std::uint32_t super, std::uint32_t quarter) const {
    return load_i(blocks + super * 3328UL + 3072 + quarter * 64UL);
  }
  template <int kPart>  // which 32 of the 256 columns
  void load(std::uint32_t super, I (&w)[8]) const {
    constexpr int kHalf = kPart / 4, kQuarter = kPart % 4;
    const std::byte* low = blocks + super * 3328UL + kHalf * 1024 + kQuarter % 2 * 512;
    const std::byte* high = blocks + super * 3328UL + 2048 + kHalf * 512;
    const I low_mask = set_i(0x3C3C3C3C), high_mask = set_i(static_cast<std::int32_t>(0xC0C0C0C0U));
    HEADROOM_UNROLL
    for (int j = 0; j < 8; ++j) {
      const I nibbles = load_i(low + 64 * j), pairs = load_i(high + 64 * j);
      const I shifted = kQuarter < 2 ? shift_left<2>(nibbles) : shift_right<2>(nibbles);
      w[j] = or_and(and_i(shifted, low_mask), shift_left<6 - 2 * kQuarter>(pairs), high_mask);
    }
  }
  template <int kPart>
  void load_codes(std::uint32_t super, I (&w)[8]) const {  // as they are
    constexpr int kHalf = kPart / 4, kQuarter = kPart % 4;
    const std::byte* low = blocks + super * 3328UL + kHalf * 1024 + kQuarter % 2 * 512;
    const std::byte* high = blocks + super * 3328UL + 2048 + kHalf * 512;
    HEADROOM_UNROLL
    for (int j = 0; j < 8; ++j) {
      const I nibbles = shift_right<kQuarter / 2 * 4>(load_i(low + 64 * j)), pairs = load_i(high + 64 * j);
      const I upper = kQuarter < 2 ? shift_left<(kQuarter < 2 ? 4 - 2 * kQuarter : 0)>(pairs)
                                   : shift_right<(kQuarter < 2 ? 0 : 2 * kQuarter - 4)>(pairs);
      w[j] = or_and(and_i(nibbles, set_i(0x0F0F0F0F)), upper, set_i(0x30303030));
    }
  }
  template <int kPart>
  void scales(std::uint32_t super, F d, F& first, F& second) const {
    const I four = four_scales(super, kPart / 2);
    first = mul(d, to_f(signed_byte<kPart % 2 * 2>(four)));
    second = mul(d, to_f(signed_byte<kPart % 2 * 2 + 1>(four)));
  }
};

template <int kN, int kPart, class Source>
inline void add_q6_part(const Source& source, std::uint32_t super, F d, const ActTile& tile, F (&acc)[kN]) {
  read_part_ahead<kPart, 3328>(source.blocks + super * 3328UL);
  I w[8];
  source.template load<kPart>(super, w);
  F first, second;
  source.template scales<kPart>(super, d, first, second);
  const std::size_t at = (super * 8UL + kPart) * kN;
  HEADROOM_UNROLL_COLUMNS
  for (int c = 0; c < kN; ++c) {
    const std::int8_t* quants = tile.quants + (at + c) * 32;
    I low = start_biased(tile.offset_corrections16[2 * (at + c)]),
      high = start_biased(tile.offset_corrections16[2 * (at + c) + 1]);
    HEADROOM_UNROLL
    for (int j = 0; j < 4; ++j) {
      low = dot_biased(low, w[j], broadcast4(quants + 4 * j));
      high = dot_biased(high, w[j + 4], broadcast4(quants + 16 + 4 * j));
    }
    acc[c] = fma(to_f(low), first, acc[c]);
    acc[c] = fma(to_f(high), second, acc[c]);
  }
}

template <int kN, class Source>
void dot_q6_tile(const std::byte* panel, std::uint32_t n_cols, const ActTile& tile, float* out,
                 std::uint32_t out_stride) {
  const Source source(panel, n_cols);
  F total[kN];
  HEADROOM_UNROLL_COLUMNS
  for (int c = 0; c < kN; ++c) total[c] = zero_f();
  for (std::uint32_t super = 0; super < n_cols / 256; ++super) {
    F acc[kN];
    HEADROOM_UNROLL_COLUMNS
    for (int c = 0; c < kN; ++c) acc[c] = zero_f();
    const F d = source.super_scale(super);
    read_ahead<32>(source.scale_plane + super * 32UL);
    add_q6_part<kN, 0>(source, super, d, tile, acc);
    add_q6_part<kN, 1>(source, super, d, tile, acc);
    add_q6_part<kN, 2>(source, super, d, tile, acc);
    add_q6_part<kN, 3>(source, super, d, tile, acc);
    add_q6_part<kN, 4>(source, super, d, tile, acc);
    add_q6_part<kN, 5>(source, super, d, tile, acc);
    add_q6_part<kN, 6>(source, super, d, tile, acc);
    add_q6_part<kN, 7>(source, super, d, tile, acc);
    HEADROOM_UNROLL_COLUMNS
    for (int c = 0; c < kN; ++c)
      total[c] = fma(acc[c], set_f(tile.scales[super * 8UL * kN + c]), total[c]);  // one scale per 256 here
  }
  HEADROOM_UNROLL_COLUMNS
  for (int c = 0; c < kN; ++c) store_f(out + static_cast<std::size_t>(c) * out_stride, total[c]);
}

// --- 256 columns in 8 groups with a scale and a min each: Q4_K, Q5_K ---

// Groups 0-3 have whole bytes, groups 4-7 four bits in the last dword and two on top of the first two: all four of a
// dword at once.
struct GroupScales {
  I scales[2], mins[2];  // a byte per group
  F d, d_min;
  explicit GroupScales(const std::byte* block) : d(load_f16(block)), d_min(load_f16(block + 32)) {
    const I first = load_i(block + 64), second = load_i(block + 128), third = load_i(block + 192);
    const I six = set_i(0x3F3F3F3F), four = set_i(0x0F0F0F0F), top = set_i(0x30303030);
    scales[0] = and_i(first, six);
    mins[0] = and_i(second, six);
    scales[1] = or_and(and_i(third, four), shift_right<2>(first), top);
    mins[1] = or_and(and_i(shift_right<4>(third), four), shift_right<2>(second), top);
  }
  template <int kGroup>
  F scale() const {
    return mul(d, to_f(and_i(shift_right<kGroup % 4 * 8>(scales[kGroup / 4]), set_i(255))));
  }
  template <int kGroup>
  F min() const {
    return mul(d_min, to_f(and_i(shift_right<kGroup % 4 * 8>(mins[kGroup / 4]), set_i(255))));
  }
};

struct PackedQ4_K {
  static constexpr int kMost = 15;  // of a code
  static constexpr std::size_t kBytes = 2304;
  const std::byte* blocks;
  PackedQ4_K(const std::byte* panel, std::uint32_t) : blocks(panel) {}
  GroupScales groups(std::uint32_t super) const { return GroupScales(blocks + super * kBytes); }
  template <int kGroup>
  void load(std::uint32_t super, I (&w)[8]) const {
    const std::byte* from = blocks + super * kBytes + 256 + kGroup / 2 * 512;
    HEADROOM_UNROLL
    for (int j = 0; j < 8; ++j) w[j] = and_i(shift_right<kGroup % 2 * 4>(load_i(from + 64 * j)), set_i(0x0F0F0F0F));
  }
};

struct PackedQ5_K {
  static constexpr int kMost = 31;
  static constexpr std::size_t kBytes = 2816;
  const std::byte* blocks;
  PackedQ5_K(const std::byte* panel, std::uint32_t) : blocks(panel) {}
  GroupScales groups(std::uint32_t super) const { return GroupScales(blocks + super * kBytes); }
  template <int kGroup>
  void load(std::uint32_t super, I (&w)[8]) const {
    const std::byte* high = blocks + super * kBytes + 256;
    const std::byte* low = high + 512 + kGroup / 2 * 512;
    HEADROOM_UNROLL
    for (int j = 0; j < 8; ++j) {
      const I fifth = load_i(high + 64 * j);
      const I moved = kGroup <= 4 ? shift_left<(kGroup <= 4 ? 4 - kGroup : 0)>(fifth)
                                  : shift_right<(kGroup > 4 ? kGroup - 4 : 0)>(fifth);
      w[j] =
          or_and(and_i(shift_right<kGroup % 2 * 4>(load_i(low + 64 * j)), set_i(0x0F0F0F0F)), moved, set_i(0x10101010));
    }
  }
};

template <int kN, int kGroup, class Source>
inline void add_min_group(const Source& source, std::uint32_t super, const GroupScales& groups,
                          const std::int8_t* quants, F (&acc)[kN]) {
  read_part_ahead<kGroup, Source::kBytes>(source.blocks + super * Source::kBytes);
  I w[8];
  source.template load<kGroup>(super, w);
  const F scale = groups.scale<kGroup>();
  HEADROOM_UNROLL_COLUMNS
  for (int c = 0; c < kN; ++c) {
    I sum = zero_i();
    HEADROOM_UNROLL
    for (int j = 0; j < 8; ++j) sum = dot_small(sum, w[j], broadcast4(quants + (kGroup * kN + c) * 32 + 4 * j));
    acc[c] = fma(to_f(sum), scale, acc[c]);
  }
}

template <int kN, class Source>
void dot_mins_tile(const std::byte* panel, std::uint32_t n_cols, const ActTile& tile, float* out,
                   std::uint32_t out_stride) {
  const Source source(panel, n_cols);
  F total[kN];
  HEADROOM_UNROLL_COLUMNS
  for (int c = 0; c < kN; ++c) total[c] = zero_f();
  for (std::uint32_t super = 0; super < n_cols / 256; ++super) {
    F acc[kN];
    HEADROOM_UNROLL_COLUMNS
    for (int c = 0; c < kN; ++c) acc[c] = zero_f();
    const GroupScales groups = source.groups(super);
    const std::int8_t* quants = tile.quants + super * 256UL * kN;
    add_min_group<kN, 0>(source, super, groups, quants, acc);
    add_min_group<kN, 1>(source, super, groups, quants, acc);
    add_min_group<kN, 2>(source, super, groups, quants, acc);
    add_min_group<kN, 3>(source, super, groups, quants, acc);
    add_min_group<kN, 4>(source, super, groups, quants, acc);
    add_min_group<kN, 5>(source, super, groups, quants, acc);
    add_min_group<kN, 6>(source, super, groups, quants, acc);
    add_min_group<kN, 7>(source, super, groups, quants, acc);
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
