// Packed panels whose blocks have 256 columns, in eight parts of 32. Included by one unit per instruction set, inside
// its namespace.
//
// In a block lines stand in the order in which the parts read them for the first time.
// load() gives the eight registers of a part: bytes with an offset of 128, and codes where a block has mins. Of Q6_K
// and Q3_K, which keep their codes in the upper bits of a byte: an element is kFactor * scale * (byte - 128), or scale
// * (code - kZero) with the codes of load_codes(); super_scale() has kFactor in it already.

// --- 256 columns in 16 groups with a scale each, bytes with an offset of 128: Q6_K ---

struct PackedQ6_K : PackedPanel<3360> {
  static constexpr float kFactor = 1.0F / 4;
  static constexpr int kZero = 32;
  using PackedPanel::PackedPanel;
  F super_scale(std::uint32_t super) const { return mul(load_f16(at(super)), set_f(kFactor)); }
  I four_scales(std::uint32_t super, std::uint32_t quarter) const {
    constexpr std::size_t kAt[] = {32, 1632, 1696, 3296};
    return load_next(at(super) + kAt[quarter]);
  }
  // Where a half has its low and high bits, by turns, and then low bits alone.
  template <int kPart>
  static constexpr std::size_t kHalfAt = kPart < 4 ? 96 : 1760;
  template <int kPart>  // which 32 of the 256 columns
  void load(std::uint32_t super, I (&w)[8]) const {
    constexpr int kQuarter = kPart % 4;
    const std::byte* low = at(super) + kHalfAt<kPart> + (kPart % 2 == 0 ? 0 : 1024);
    const std::byte* high = at(super) + kHalfAt<kPart> + 64;
    constexpr int kStep = kPart % 2 == 0 ? 128 : 64;
    const I low_mask = set_i(0x3C3C3C3C), high_mask = set_i(static_cast<std::int32_t>(0xC0C0C0C0U));
    HEADROOM_UNROLL
    for (int j = 0; j < 8; ++j) {
      const I nibbles = load_next(low + kStep * j), pairs = load_next(high + 128 * j);
      const I shifted = kQuarter < 2 ? shift_left<2>(nibbles) : shift_right<2>(nibbles);
      w[j] = or_and(and_i(shifted, low_mask), shift_left<6 - 2 * kQuarter>(pairs), high_mask);
    }
  }
  template <int kPart>
  void load_codes(std::uint32_t super, I (&w)[8]) const {  // as they are
    constexpr int kQuarter = kPart % 4;
    const std::byte* low = at(super) + kHalfAt<kPart> + (kPart % 2 == 0 ? 0 : 1024);
    const std::byte* high = at(super) + kHalfAt<kPart> + 64;
    constexpr int kStep = kPart % 2 == 0 ? 128 : 64;
    HEADROOM_UNROLL
    for (int j = 0; j < 8; ++j) {
      const I nibbles = shift_right<kQuarter / 2 * 4>(load_next(low + kStep * j));
      const I pairs = load_next(high + 128 * j);
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

// As Q6_K with three bits.
struct PackedQ3_K : PackedPanel<1760> {
  static constexpr float kFactor = 1.0F / 32;
  static constexpr int kZero = 4;
  using PackedPanel::PackedPanel;
  F super_scale(std::uint32_t super) const { return mul(load_f16(at(super)), set_f(kFactor)); }
  // The scales of 64 columns, a byte each, with an offset of 32.
  template <int kQuarter>
  I four_scales(std::uint32_t super) const {
    const std::byte* block = at(super);
    const I nibbles = load_next(block + (kQuarter % 2 == 0 ? 32 : 1184)), high = load_next(block + 96);
    const I low = shift_right<kQuarter / 2 * 4>(nibbles);
    const I upper = kQuarter < 2 ? shift_left<(kQuarter < 2 ? 4 - 2 * kQuarter : 0)>(high)
                                 : shift_right<(kQuarter < 2 ? 0 : 2 * kQuarter - 4)>(high);
    return or_and(and_i(low, set_i(0x0F0F0F0F)), upper, set_i(0x30303030));
  }
  template <int kPart>
  void load(std::uint32_t super, I (&w)[8]) const {
    constexpr int kShift = kPart % 4 * 2;
    const std::byte* from = at(super) + 160;  // high bits and, by turns with them, low bits of a half
    constexpr int kLow = kPart < 4 ? 64 : 1088, kStep = kPart < 4 ? 128 : 64;
    HEADROOM_UNROLL
    for (int j = 0; j < 8; ++j) {
      const I high = load_next(from + 128 * j), low = load_next(from + kLow + kStep * j);
      const I two = kShift < 6 ? shift_left<(kShift < 6 ? 5 - kShift : 0)>(low) : shift_right<1>(low);
      w[j] = or_and(and_i(two, set_i(0x60606060)), shift_left<7 - kPart>(high),
                    set_i(static_cast<std::int32_t>(0x80808080U)));
    }
  }
  template <int kPart>
  void load_codes(std::uint32_t super, I (&w)[8]) const {  // as they are
    load<kPart>(super, w);
    HEADROOM_UNROLL
    for (int j = 0; j < 8; ++j) w[j] = and_i(shift_right<5>(w[j]), set_i(0x07070707));
  }
  template <int kPart>
  void scales(std::uint32_t super, F d, F& first, F& second) const {
    const I four = four_scales<kPart / 2>(super);
    constexpr int kByte = kPart % 2 * 2;
    first = mul(d, sub(to_f(and_i(shift_right<8 * kByte>(four), set_i(255))), set_f(32.0F)));
    second = mul(d, sub(to_f(and_i(shift_right<8 * kByte + 8>(four), set_i(255))), set_f(32.0F)));
  }
};

// A scale per 32, and values of a table.
struct PackedIQ4_XS : PackedPanel<2176> {
  static constexpr float kMost = 127.0F;
  using PackedPanel::PackedPanel;
  F super_scale(std::uint32_t super) const { return load_f16(at(super)); }
  template <int kPart>
  F scale(std::uint32_t super, F d) const {
    const std::byte* block = at(super);
    // 16 bits of each row: read as BF16 they stand in the upper half of a lane.
    const I high = shift_right<2 * kPart + 16>(f_bits(load_bf16(block + 32))), low = load_i(block + 64);
    const I six = or_and(and_i(shift_right<4 * kPart>(low), set_i(15)), shift_left<4>(high), set_i(48));
    return mul(d, sub(to_f(six), set_f(32.0F)));
  }
  template <int kPart>
  void load(std::uint32_t super, I (&w)[8]) const {
    split_nibbles(at(super) + 128 + kPart * 256, w);
    look_up_all(kIq4Bytes, w);
  }
};

// --- 256 columns in 16 groups with a scale and a min each: Q2_K ---

struct PackedQ2_K : PackedPanel<1344> {
  using PackedPanel::PackedPanel;
  F super_scale(std::uint32_t super) const { return load_f16(at(super)); }
  F super_min(std::uint32_t super) const { return load_f16(at(super) + 32); }
  I four_scales(std::uint32_t super, std::uint32_t quarter) const {  // a nibble each, mins above them
    constexpr std::size_t kAt[] = {64, 640, 704, 1280};
    return load_i(at(super) + kAt[quarter]);
  }
  template <int kPart>
  void load(std::uint32_t super, I (&w)[8]) const {
    const std::byte* from = at(super) + (kPart < 4 ? 128 : 768);
    HEADROOM_UNROLL
    for (int j = 0; j < 8; ++j) w[j] = and_i(shift_right<kPart % 4 * 2>(load_next(from + 64 * j)), set_i(0x03030303));
  }
  template <int kPart>
  static void scales(I four, F d, F& first, F& second) {
    constexpr int kShift = kPart % 2 * 16;
    first = mul(d, to_f(and_i(shift_right<kShift>(four), set_i(15))));
    second = mul(d, to_f(and_i(shift_right<kShift + 8>(four), set_i(15))));
  }
  template <int kPart>
  static void mins(I four, F d_min, F& first, F& second) {
    constexpr int kShift = kPart % 2 * 16 + 4;
    first = mul(d_min, to_f(and_i(shift_right<kShift>(four), set_i(15))));
    second = mul(d_min, to_f(and_i(shift_right<kShift + 8>(four), set_i(15))));
  }
  // Both mins of a part as 16-bit numbers.
  template <int kPart>
  static I two_mins(I four) {
    const I mins = shift_right<kPart % 2 * 16 + 4>(four);
    return or_and(and_i(mins, set_i(15)), shift_left<8>(mins), set_i(0x000F0000));
  }
};

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

struct PackedQ4_K : PackedPanel<2304> {
  static constexpr int kMost = 15;  // of a code
  using PackedPanel::PackedPanel;
  GroupScales groups(std::uint32_t super) const { return GroupScales(at(super)); }
  template <int kGroup>
  void load(std::uint32_t super, I (&w)[8]) const {
    const std::byte* from = at(super) + 256 + kGroup / 2 * 512;
    HEADROOM_UNROLL
    for (int j = 0; j < 8; ++j) w[j] = and_i(shift_right<kGroup % 2 * 4>(load_next(from + 64 * j)), set_i(0x0F0F0F0F));
  }
};

struct PackedQ5_K : PackedPanel<2816> {
  static constexpr int kMost = 31;
  using PackedPanel::PackedPanel;
  GroupScales groups(std::uint32_t super) const { return GroupScales(at(super)); }
  template <int kGroup>
  void load(std::uint32_t super, I (&w)[8]) const {
    const std::byte* from = at(super) + 256;  // fifth bits and, by turns with them, the first low bits
    constexpr int kLow = kGroup < 2 ? 64 : 1024 + (kGroup / 2 - 1) * 512, kStep = kGroup < 2 ? 128 : 64;
    HEADROOM_UNROLL
    for (int j = 0; j < 8; ++j) {
      const I fifth = load_next(from + 128 * j), low = load_next(from + kLow + kStep * j);
      const I moved = kGroup <= 4 ? shift_left<(kGroup <= 4 ? 4 - kGroup : 0)>(fifth)
                                  : shift_right<(kGroup > 4 ? kGroup - 4 : 0)>(fifth);
      w[j] = or_and(and_i(shift_right<kGroup % 2 * 4>(low), set_i(0x0F0F0F0F)), moved, set_i(0x10101010));
    }
  }
};
