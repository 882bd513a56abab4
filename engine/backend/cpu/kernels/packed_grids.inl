// Packed panels of IQ3, IQ2 and IQ1, whose elements are points of a grid (format/grids.h), in eight parts of 32
// columns. Included by one unit per instruction set, inside its namespace.
//
// load() looks up the points of 16 rows at once, a word of codes a lane (backend/cpu/point_words.h), spreads the codes
// over the bytes of registers, puts signs above them, and looks up what both together stand for: a byte with an offset
// of 128. Words of IQ1 have values already. Sets with large registers look points up there, see isa/avx512 and
// isa/avx512vbmi. `scale` of a part is d * (2 n + 1) with a packed number n. A slab's one scale is kMost for the
// largest scale of its groups: 127 by a whole number, so that groups with that scale are exact there.

template <int kBits>
inline I shift_to(I a) {  // left, or right where kBits is negative
  if constexpr (kBits >= 0) {
    return shift_left<kBits>(a);
  } else {
    return shift_right<-kBits>(a);
  }
}

// Of each lane the word of a table that has this number.
template <std::size_t kPoints>
inline I look_up_words(const PointWords<kPoints>& points, I indices) {
  if constexpr (requires { gather_i(points.words, indices); }) {
    return gather_i(points.words, indices);
  } else {
    alignas(64) std::uint32_t lanes[16];
    store_i(reinterpret_cast<std::byte*>(lanes), indices);
    HEADROOM_UNROLL
    for (std::uint32_t& lane : lanes) lane = points.words[lane];
    return load_i(reinterpret_cast<const std::byte*>(lanes));
  }
}
// Byte kByte of each lane, and the same with kBits more above it, which begin at bit kFrom of `high`.
template <int kByte>
inline I byte_of(I lanes) {
  const I moved = shift_to<-8 * kByte>(lanes);
  if constexpr (kByte == 3) {
    return moved;
  } else {
    return and_i(moved, set_i(255));
  }
}
template <int kByte, int kBits, int kFrom>
inline I byte_with_high_bits(I lanes, I high) {
  return or_and(byte_of<kByte>(lanes), shift_to<8 - kFrom>(high), set_i(((1 << kBits) - 1) << 8));
}
// The codes of points of eight elements.
template <std::size_t kPoints>
inline void put_codes(const PointWords<kPoints>& points, I indices, I& first, I& last) {
  const I words = look_up_words(points, indices), mask = set_i(0x0F0F0F0F);
  first = and_i(words, mask);
  last = and_i(shift_right<4>(words), mask);
}

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

inline constexpr OffsetValues kIq3XxsBytes(kIq3XxsValues), kIq3SBytes(kIq3SValues), kIq2Bytes(kIq2Values);

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
    w[0] = look_up_words(kIq3XxsWords, byte_of<0>(first));
    w[1] = look_up_words(kIq3XxsWords, byte_of<1>(first));
    w[2] = look_up_words(kIq3XxsWords, byte_of<2>(first));
    w[3] = look_up_words(kIq3XxsWords, byte_of<3>(first));
    w[4] = look_up_words(kIq3XxsWords, byte_of<0>(second));
    w[5] = look_up_words(kIq3XxsWords, byte_of<1>(second));
    w[6] = look_up_words(kIq3XxsWords, byte_of<2>(second));
    w[7] = look_up_words(kIq3XxsWords, byte_of<3>(second));
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
    w[0] = look_up_words(kIq3SWords, byte_with_high_bits<0, 1, kFrom>(first, high));
    w[1] = look_up_words(kIq3SWords, byte_with_high_bits<1, 1, kFrom + 1>(first, high));
    w[2] = look_up_words(kIq3SWords, byte_with_high_bits<2, 1, kFrom + 2>(first, high));
    w[3] = look_up_words(kIq3SWords, byte_with_high_bits<3, 1, kFrom + 3>(first, high));
    w[4] = look_up_words(kIq3SWords, byte_with_high_bits<0, 1, kFrom + 4>(second, high));
    w[5] = look_up_words(kIq3SWords, byte_with_high_bits<1, 1, kFrom + 5>(second, high));
    w[6] = look_up_words(kIq3SWords, byte_with_high_bits<2, 1, kFrom + 6>(second, high));
    w[7] = look_up_words(kIq3SWords, byte_with_high_bits<3, 1, kFrom + 7>(second, high));
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
    put_codes(kIq2XxsWords, byte_of<0>(four), w[0], w[1]);
    put_codes(kIq2XxsWords, byte_of<1>(four), w[2], w[3]);
    put_codes(kIq2XxsWords, byte_of<2>(four), w[4], w[5]);
    put_codes(kIq2XxsWords, byte_of<3>(four), w[6], w[7]);
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
    const I first = piece(super, kFirst<kPart>), second = piece(super, kFirst<kPart> + 1), nine = set_i(0x1FF);
    put_codes(kIq2XsWords, and_i(first, nine), w[0], w[1]);
    put_codes(kIq2XsWords, and_i(shift_right<16>(first), nine), w[2], w[3]);
    put_codes(kIq2XsWords, and_i(second, nine), w[4], w[5]);
    put_codes(kIq2XsWords, and_i(shift_right<16>(second), nine), w[6], w[7]);
    put_signs(first, second, w);
  }

 protected:
  // Codes become values, by the signs above the numbers of the points.
  static void put_signs(I first, I second, I (&w)[8]) {
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
    put_codes(kIq2SWords, byte_with_high_bits<0, 2, kFrom>(four, high), w[0], w[1]);
    put_codes(kIq2SWords, byte_with_high_bits<1, 2, kFrom + 2>(four, high), w[2], w[3]);
    put_codes(kIq2SWords, byte_with_high_bits<2, 2, kFrom + 4>(four, high), w[4], w[5]);
    put_codes(kIq2SWords, byte_with_high_bits<3, 2, kFrom + 6>(four, high), w[6], w[7]);
    put_signed_values(kIq2Bytes, piece(super, kIndices<kPart> + 1), w);
  }
};

// The values of points of IQ1, 9 higher than they are. Example: the code 2 without a sign stands for 9 eighths; its
// nibble in kIq1Words is 9, its byte here 18.
inline void put_iq1(I indices, I& first, I& last) {
  const I words = look_up_words(kIq1Words, indices), mask = set_i(0x1E1E1E1E);
  first = and_i(shift_left<1>(words), mask);
  last = and_i(shift_right<3>(words), mask);
}
// As load(), from -128 on, what load_from_offset() gives.
template <int kPart, class Source>
[[gnu::always_inline]] inline void load_iq1(const Source& source, std::uint32_t super, I (&w)[8]) {
  source.template load_from_offset<kPart>(super, w);
  HEADROOM_UNROLL
  for (int j = 0; j < 8; ++j) w[j] = add_i(w[j], set_i((128 - kIq1Offset) * 0x01010101));  // no byte passes 255
}

struct PackedIQ1_S : GridPanel<768> {
  static constexpr float kMost = 127.0F / 14;
  static constexpr int kOffset = kIq1Offset;
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
  void load_from_offset(std::uint32_t super, I (&w)[8]) const {
    const I four = piece(super, kIndices<kPart>), high = piece(super, kHigh<kPart>);
    constexpr int kFrom = kPart % 2 * 16;
    const I sign = and_i(shift_to<11 - (kFrom + 15)>(high), set_i(1 << 11)), all = set_i(-1);
    put_iq1(or_and(byte_with_high_bits<0, 3, kFrom>(four, high), sign, all), w[0], w[1]);
    put_iq1(or_and(byte_with_high_bits<1, 3, kFrom + 3>(four, high), sign, all), w[2], w[3]);
    put_iq1(or_and(byte_with_high_bits<2, 3, kFrom + 6>(four, high), sign, all), w[4], w[5]);
    put_iq1(or_and(byte_with_high_bits<3, 3, kFrom + 9>(four, high), sign, all), w[6], w[7]);
  }
  template <int kPart>
  void load(std::uint32_t super, I (&w)[8]) const {
    load_iq1<kPart>(*this, super, w);
  }
};

struct PackedIQ1_M : PackedPanel<896> {
  static constexpr float kMost = 127.0F / 14;
  static constexpr int kOffset = kIq1Offset;
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
  void load_from_offset(std::uint32_t super, I (&w)[8]) const {
    const I four = piece(super, kIndices<kPart>), high = piece(super, kHigh<kPart>);
    constexpr int kFrom = kPart % 2 * 16;  // three bits of a number, and its sign above them
    put_iq1(byte_with_high_bits<0, 4, kFrom>(four, high), w[0], w[1]);
    put_iq1(byte_with_high_bits<1, 4, kFrom + 4>(four, high), w[2], w[3]);
    put_iq1(byte_with_high_bits<2, 4, kFrom + 8>(four, high), w[4], w[5]);
    put_iq1(byte_with_high_bits<3, 4, kFrom + 12>(four, high), w[6], w[7]);
  }
  template <int kPart>
  void load(std::uint32_t super, I (&w)[8]) const {
    load_iq1<kPart>(*this, super, w);
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
