// Packed panels of IQ3, IQ2 and IQ1, whose elements are points of a grid (format/grids.h), in eight parts of 32
// columns. Included by one unit per instruction set, inside its namespace.
//
// load() looks up two points of each row at once, as the 16-bit halves of a lane, spreads their codes over the bytes of
// registers, puts signs above the codes, and looks up what both together stand for: a byte with an offset of 128.
// `scale` of a part is d * (2 n + 1) with a packed number n. A slab's one scale is kMost for the largest scale of its
// groups: 127 by a whole number, so that groups with that scale are exact there.

template <int kBits>
inline I shift_to(I a) {  // left, or right where kBits is negative
  if constexpr (kBits >= 0) {
    return shift_left<kBits>(a);
  } else {
    return shift_right<-kBits>(a);
  }
}

// The low halves of the lanes of both, and the high halves.
inline void join_halves(I a, I b, I& of_low, I& of_high) {
  of_low = or_and(shift_left<16>(b), a, set_i(0xFFFF));
  of_high = or_and(shift_right<16>(a), b, set_i(static_cast<std::int32_t>(0xFFFF0000U)));
}
// The codes of the points in the low halves of lanes, and of those in the high halves. Of four elements:
inline void spread_fours(I points, I& of_low, I& of_high) {
  const I mask = set_i(0x07070707);
  join_halves(and_i(points, mask), and_i(shift_right<4>(points), mask), of_low, of_high);
}
inline void spread_eights(I points, I& low_first, I& low_last, I& high_first, I& high_last) {
  const I mask = set_i(0x03030303);
  join_halves(and_i(points, mask), and_i(shift_right<2>(points), mask), low_first, high_first);
  join_halves(and_i(shift_right<4>(points), mask), and_i(shift_right<6>(points), mask), low_last, high_last);
}
// Of each of the 32 halves of lanes the point of a grid that has this number: in registers, or in memory.
template <std::size_t kWords>
inline I look_up_points(const std::uint32_t (&grid)[kWords], I indices) {
  if constexpr (requires { permute_points(grid, indices); }) {
    return permute_points(grid, indices);
  } else {
    alignas(64) std::byte bytes[64];
    store_i(bytes, indices);
    for (std::size_t at = 0; at < sizeof bytes; at += 2) {
      std::uint16_t index = 0;
      __builtin_memcpy(&index, bytes + at, 2);
      __builtin_memcpy(bytes + at, reinterpret_cast<const std::byte*>(grid) + 2UL * index, 2);
    }
    return load_i(bytes);
  }
}

// The codes of a part, of points of four elements: their numbers 0 and 2, 1 and 3, 4 and 6, 5 and 7 in halves of lanes.
template <std::size_t kWords>
inline void put_fours(const std::uint32_t (&grid)[kWords], const I (&indices)[4], I (&w)[8]) {
  spread_fours(look_up_points(grid, indices[0]), w[0], w[2]);
  spread_fours(look_up_points(grid, indices[1]), w[1], w[3]);
  spread_fours(look_up_points(grid, indices[2]), w[4], w[6]);
  spread_fours(look_up_points(grid, indices[3]), w[5], w[7]);
}
// Of eight elements: numbers 0 and kSecond, 3 - kSecond and 3.
template <int kSecond, std::size_t kWords>
inline void put_eights(const std::uint32_t (&grid)[kWords], const I (&indices)[2], I (&w)[8]) {
  constexpr int kThird = 3 - kSecond;
  spread_eights(look_up_points(grid, indices[0]), w[0], w[1], w[2 * kSecond], w[2 * kSecond + 1]);
  spread_eights(look_up_points(grid, indices[1]), w[2 * kThird], w[2 * kThird + 1], w[6], w[7]);
}

// Indices whose low bytes are bytes 0 and 2 of lanes, and which have kBits more at bits kA and kB of `high`.
template <int kBits, int kA, int kB>
inline I with_high_bits(I low, I high) {
  constexpr int kMask = (1 << kBits) - 1;
  const I first = or_and(low, shift_to<8 - kA>(high), set_i(kMask << 8));
  return or_and(first, shift_to<24 - kB>(high), set_i(kMask << 24));
}
inline I even_bytes(I lanes) { return and_i(lanes, set_i(0x00FF00FF)); }
inline I odd_bytes(I lanes) { return even_bytes(shift_right<8>(lanes)); }

// What codes stand for. kBit: where a byte of `signs` has the sign.
template <int kBit>
inline I signed_values(I table, I codes, I signs) {
  return look_up(table, or_and(codes, shift_to<3 - kBit>(signs), set_i(0x08080808)));
}
// All of a part, whose signs are in the order of spread_bit().
inline void put_signed_values(const OffsetValues& values, I signs, I (&w)[8]) {
  const I table = table_of(values.bytes);
  w[0] = signed_values<spread_bit(0)>(table, w[0], signs);
  w[1] = signed_values<spread_bit(1)>(table, w[1], signs);
  w[2] = signed_values<spread_bit(2)>(table, w[2], signs);
  w[3] = signed_values<spread_bit(3)>(table, w[3], signs);
  w[4] = signed_values<spread_bit(4)>(table, w[4], signs);
  w[5] = signed_values<spread_bit(5)>(table, w[5], signs);
  w[6] = signed_values<spread_bit(6)>(table, w[6], signs);
  w[7] = signed_values<spread_bit(7)>(table, w[7], signs);
}
// A word of PieceOrder::kSigns: of each eight signs the last one, which makes their number even, stands where the scale
// is. Bits of a byte belong to the same two registers in all four bytes.
inline I with_eighth_signs(I word) {
  const I sevens = and_i(word, set_i(0x0FFFFFFF));
  I odd = xor_i(sevens, shift_right<16>(sevens));
  odd = xor_i(odd, shift_right<8>(odd));
  odd = xor_i(odd, shift_right<4>(odd));
  return xor_i(sevens, shift_left<28>(odd));
}

// 2 n + 1 of the number n that begins at bit kFrom.
template <int kBits, int kFrom>
inline F odd_number(I lanes) {
  return to_f(or_and(set_i(1), shift_to<1 - kFrom>(lanes), set_i(((1 << kBits) - 1) << 1)));
}

inline constexpr OffsetValues kIq3XxsBytes(kIq3XxsValues), kIq3SBytes(kIq3SValues), kIq2Bytes(kIq2Values),
    kIq1Bytes(kIq1Values);

// Where the parts of 256 columns stand: the scale of them all, and pieces of 64 bytes.
template <std::size_t kPieceBytes>
struct GridPanel : PackedPanel<kPieceBytes + 32> {
  using PackedPanel<kPieceBytes + 32>::PackedPanel;
  I piece(std::uint32_t super, std::size_t number) const { return load_i(this->at(super) + 32 + number * 64); }
  F scale_of_all(std::uint32_t super, float factor) const { return mul(load_f16(this->at(super)), set_f(factor)); }
};

struct PackedIQ3_XXS : GridPanel<1536> {
  static constexpr float kMost = 127.0F / 2;
  using GridPanel::GridPanel;
  F super_scale(std::uint32_t super) const { return scale_of_all(super, 0.25F); }
  template <int kPart>
  F scale(std::uint32_t super, F d) const {
    return mul(d, odd_number<4, 28>(piece(super, 3 * kPart + 2)));
  }
  template <int kPart>
  void load(std::uint32_t super, I (&w)[8]) const {
    const I first = piece(super, 3 * kPart), second = piece(super, 3 * kPart + 1);
    put_fours(kIq3XxsGrid, {even_bytes(first), odd_bytes(first), even_bytes(second), odd_bytes(second)}, w);
    put_signed_values(kIq3XxsBytes, with_eighth_signs(piece(super, 3 * kPart + 2)), w);
  }
};

struct PackedIQ3_S : GridPanel<1728> {
  static constexpr float kMost = 127.0F / 8;
  // Pieces: of scales, then for each half the high bits and, for each part, two of indices and one of signs.
  template <int kPart>
  static constexpr std::size_t kHigh = kPart / 4 * 13 + 1;
  template <int kPart>
  static constexpr std::size_t kFirst = kHigh<kPart> + 1 + kPart % 4 * 3;
  using GridPanel::GridPanel;
  F super_scale(std::uint32_t super) const { return scale_of_all(super, 1.0F); }
  template <int kPart>
  F scale(std::uint32_t super, F d) const {
    return mul(d, odd_number<4, 4 * kPart>(piece(super, 0)));
  }
  template <int kPart>
  void load(std::uint32_t super, I (&w)[8]) const {
    const I high = piece(super, kHigh<kPart>);
    constexpr int kFrom = kPart % 4 * 8;
    const I first = piece(super, kFirst<kPart>), second = piece(super, kFirst<kPart> + 1);
    put_fours(kIq3SGrid,
              {with_high_bits<1, kFrom, kFrom + 2>(even_bytes(first), high),
               with_high_bits<1, kFrom + 1, kFrom + 3>(odd_bytes(first), high),
               with_high_bits<1, kFrom + 4, kFrom + 6>(even_bytes(second), high),
               with_high_bits<1, kFrom + 5, kFrom + 7>(odd_bytes(second), high)},
              w);
    put_signed_values(kIq3SBytes, piece(super, kFirst<kPart> + 2), w);
  }
};

struct PackedIQ2_XXS : GridPanel<1024> {
  static constexpr float kMost = 127.0F / 2;
  using GridPanel::GridPanel;
  F super_scale(std::uint32_t super) const { return scale_of_all(super, 0.125F); }
  template <int kPart>
  F scale(std::uint32_t super, F d) const {
    return mul(d, odd_number<4, 28>(piece(super, 2 * kPart + 1)));
  }
  template <int kPart>
  void load(std::uint32_t super, I (&w)[8]) const {
    const I four = piece(super, 2 * kPart);
    put_eights<2>(kIq2XxsGrid, {even_bytes(four), odd_bytes(four)}, w);
    put_signed_values(kIq2Bytes, with_eighth_signs(piece(super, 2 * kPart + 1)), w);
  }
};

// Scales of halves: bytes of pieces of four, a nibble for each half.
template <int kPart>
inline void scales_of_halves(I four, F d, F& first, F& second) {
  first = mul(d, odd_number<4, kPart % 4 * 8>(four));
  second = mul(d, odd_number<4, kPart % 4 * 8 + 4>(four));
}

struct PackedIQ2_XS : GridPanel<1152> {
  static constexpr float kMost = 127.0F / 2;
  // Pieces: for each half one of scales and, for each part, two of points and signs.
  template <int kPart>
  static constexpr std::size_t kScales = kPart / 4 * 9;
  template <int kPart>
  static constexpr std::size_t kFirst = kScales<kPart> + 1 + kPart % 4 * 2;
  using GridPanel::GridPanel;
  F super_scale(std::uint32_t super) const { return scale_of_all(super, 0.125F); }
  template <int kPart>
  void scales(std::uint32_t super, F d, F& first, F& second) const {
    scales_of_halves<kPart>(piece(super, kScales<kPart>), d, first, second);
  }
  template <int kPart>
  void load(std::uint32_t super, I (&w)[8]) const {
    const I first = piece(super, kFirst<kPart>), second = piece(super, kFirst<kPart> + 1);
    put_eights<1>(kIq2XsGrid, {and_i(first, set_i(0x01FF01FF)), and_i(second, set_i(0x01FF01FF))}, w);
    // Signs of the eights 0, 2, 1, 3 as bytes, each with its eighth sign; then in the order of spread_bit(). Of these
    // bytes the middle ones are not where their registers stand.
    const I mask = set_i(0x007F007F);
    I signs = or_and(and_i(shift_right<9>(first), mask), shift_right<1>(second), shift_left<8>(mask));
    I odd = xor_i(signs, shift_right<4>(signs));
    odd = xor_i(odd, shift_right<2>(odd));
    odd = xor_i(odd, shift_right<1>(odd));
    signs = or_and(signs, shift_left<7>(odd), set_i(static_cast<std::int32_t>(0x80808080U)));
    signs = swap_bits<7>(swap_bits<14>(signs, 0x0000CCCC), 0x00AA00AA);
    const I table = table_of(kIq2Bytes.bytes);
    w[0] = signed_values<spread_bit(0)>(table, w[0], signs);
    w[1] = signed_values<spread_bit(1)>(table, w[1], signs);
    w[2] = signed_values<spread_bit(4)>(table, w[2], signs);
    w[3] = signed_values<spread_bit(5)>(table, w[3], signs);
    w[4] = signed_values<spread_bit(2)>(table, w[4], signs);
    w[5] = signed_values<spread_bit(3)>(table, w[5], signs);
    w[6] = signed_values<spread_bit(6)>(table, w[6], signs);
    w[7] = signed_values<spread_bit(7)>(table, w[7], signs);
  }

 private:
  // Bits of `mask` change places with those kBits higher.
  template <int kBits>
  static I swap_bits(I lanes, std::int32_t mask) {
    const I differ = and_i(xor_i(shift_right<kBits>(lanes), lanes), set_i(mask));
    return xor_i(lanes, xor_i(differ, shift_left<kBits>(differ)));
  }
};

struct PackedIQ2_S : GridPanel<1280> {
  static constexpr float kMost = 127.0F / 2;
  // Pieces: for each half the high bits and scales and, for each part, one of indices and one of signs.
  template <int kPart>
  static constexpr std::size_t kHigh = kPart / 4 * 10;
  template <int kPart>
  static constexpr std::size_t kIndices = kHigh<kPart> + 2 + kPart % 4 * 2;
  using GridPanel::GridPanel;
  F super_scale(std::uint32_t super) const { return scale_of_all(super, 0.125F); }
  template <int kPart>
  void scales(std::uint32_t super, F d, F& first, F& second) const {
    scales_of_halves<kPart>(piece(super, kHigh<kPart> + 1), d, first, second);
  }
  template <int kPart>
  void load(std::uint32_t super, I (&w)[8]) const {
    const I four = piece(super, kIndices<kPart>), high = piece(super, kHigh<kPart>);
    constexpr int kFrom = kPart % 4 * 8;
    put_eights<2>(kIq2SPanelGrid.words,
                  {with_high_bits<2, kFrom, kFrom + 4>(even_bytes(four), high),
                   with_high_bits<2, kFrom + 2, kFrom + 6>(odd_bytes(four), high)},
                  w);
    put_signed_values(kIq2Bytes, piece(super, kIndices<kPart> + 1), w);
  }
};

// The points of a part of IQ1, whose indices have three more bits each, kStep bits apart, in a half of a piece.
template <int kPart, int kStep>
inline void put_iq1(I four, I high, I (&w)[8]) {
  constexpr int kFrom = kPart % 2 * 16;
  put_eights<2>(kIq1PanelGrid.words,
                {with_high_bits<3, kFrom, kFrom + 2 * kStep>(even_bytes(four), high),
                 with_high_bits<3, kFrom + kStep, kFrom + 3 * kStep>(odd_bytes(four), high)},
                w);
}
// Bit kBit of a lane as the sign of each of its four bytes.
template <int kBit>
inline I sign_of_all(I lanes) {
  const I one = and_i(shift_to<3 - kBit>(lanes), set_i(8)), two = xor_i(one, shift_left<8>(one));
  return xor_i(two, shift_left<16>(two));
}

struct PackedIQ1_S : GridPanel<768> {
  static constexpr float kMost = 127.0F / 14;
  // Pieces: for each two parts one of high bits and scales, and two of indices.
  template <int kPart>
  static constexpr std::size_t kHigh = kPart / 2 * 3;
  template <int kPart>
  static constexpr std::size_t kIndices = kHigh<kPart> + 1 + kPart % 2;
  using GridPanel::GridPanel;
  F super_scale(std::uint32_t super) const { return scale_of_all(super, 0.125F); }
  template <int kPart>
  F scale(std::uint32_t super, F d) const {
    return mul(d, odd_number<3, kPart % 2 * 16 + 12>(piece(super, kHigh<kPart>)));
  }
  template <int kPart>
  void load(std::uint32_t super, I (&w)[8]) const {
    const I high = piece(super, kHigh<kPart>);
    put_iq1<kPart, 3>(piece(super, kIndices<kPart>), high, w);
    const I table = table_of(kIq1Bytes.bytes), signs = sign_of_all<kPart % 2 * 16 + 15>(high);
    HEADROOM_UNROLL
    for (int j = 0; j < 8; ++j) w[j] = signed_values<3>(table, w[j], signs);
  }
};

struct PackedIQ1_M : PackedPanel<896> {
  static constexpr float kMost = 127.0F / 14;
  // Pieces: two of scales, and for each two parts one of high bits and two of indices.
  template <int kPart>
  static constexpr std::size_t kHigh = 2 + kPart / 2 * 3;
  template <int kPart>
  static constexpr std::size_t kIndices = kHigh<kPart> + 1 + kPart % 2;
  using PackedPanel::PackedPanel;
  I piece(std::uint32_t super, std::size_t number) const { return load_i(at(super) + number * 64); }
  F super_scale(std::uint32_t super) const {
    const I first = piece(super, 0), second = piece(super, 1);
    I bits = or_and(and_i(shift_right<12>(first), set_i(15)), shift_right<24>(first), set_i(0xF0));
    bits = or_and(or_and(bits, shift_right<4>(second), set_i(0xF00)), shift_right<16>(second), set_i(0xF000));
    return mul(f16_lanes(bits), set_f(0.125F));
  }
  template <int kPart>
  void scales(std::uint32_t super, F d, F& first, F& second) const {
    constexpr int kFrom = kPart / 2 % 2 * 16 + kPart % 2 * 6;
    const I numbers = piece(super, kPart / 4);
    first = mul(d, odd_number<3, kFrom>(numbers));
    second = mul(d, odd_number<3, kFrom + 3>(numbers));
  }
  template <int kPart>
  void load(std::uint32_t super, I (&w)[8]) const {
    const I high = piece(super, kHigh<kPart>), table = table_of(kIq1Bytes.bytes);
    put_iq1<kPart, 4>(piece(super, kIndices<kPart>), high, w);
    constexpr int kFrom = kPart % 2 * 16 + 3;
    const I signs[4] = {sign_of_all<kFrom>(high), sign_of_all<kFrom + 4>(high), sign_of_all<kFrom + 8>(high),
                        sign_of_all<kFrom + 12>(high)};
    HEADROOM_UNROLL
    for (int j = 0; j < 8; ++j) w[j] = signed_values<3>(table, w[j], signs[j / 2]);
  }

 private:
  // The F16 number in the low half of each lane.
  static F f16_lanes(I lanes) {
    alignas(64) std::byte words[64], halves[32];
    store_i(words, lanes);
    for (std::size_t i = 0; i < 16; ++i) __builtin_memcpy(halves + 2 * i, words + 4 * i, 2);
    return load_f16(halves);
  }
};

// The scales of the halves of a part, which are the same where the part has one.
template <int kPart, class Source>
inline void part_scales(const Source& source, std::uint32_t super, F d, F& first, F& second) {
  if constexpr (requires { source.template scale<kPart>(super, d); }) {
    first = second = source.template scale<kPart>(super, d);
  } else {
    source.template scales<kPart>(super, d, first, second);
  }
}
