// Panels of IQ3, IQ2 and IQ1 (kernels/packed_grids.inl) for processors that look bytes up in registers (VBMI). A
// register holds 64 indices of points, four of each of 16 rows. Two tables of bytes turn an index into the point's
// codes: `first` has those of the first half of its elements, `last` those of the second half. Example: the codes 0 1 2
// 0 2 2 1 0 of a point of IQ2 are the bytes 0b00100100 and 0b00011010. One more instruction moves each code into a byte
// of its own; the bits above it are left over from its neighbours, and the last table, of 64 bytes, answers alike
// whatever they are. Of the grids that panels number anew (backend/cpu/point_labels.h) `first` takes three tables of
// 128 entries, however many points there are.
//
// Everything is inlined by force: registers that go to a function and back go through memory, which took two thirds of
// the time of IQ1_S again.

// Of kElems elements, of which half are in a byte.
template <int kElems, std::size_t kWords>
struct PointBytes {
  static constexpr std::size_t kPoints = 2 * kWords;
  alignas(64) std::uint8_t first[kPoints] = {}, last[kPoints] = {};
  constexpr explicit PointBytes(const std::uint32_t (&grid)[kWords]) {
    for (std::uint32_t i = 0; i < kPoints; ++i) {
      for (int element = 0; element < kElems / 2; ++element) {
        const int at = 8 / (kElems / 2) * element;
        first[i] = static_cast<std::uint8_t>(first[i] | grid_code<kElems>(grid, i, element) << at);
        last[i] = static_cast<std::uint8_t>(last[i] | grid_code<kElems>(grid, i, element + kElems / 2) << at);
      }
    }
  }
};
inline constexpr PointBytes<4, 128> kIq3XxsPoints(kIq3XxsGrid);
inline constexpr PointBytes<4, 256> kIq3SPoints(kIq3SGrid);
inline constexpr PointBytes<8, 128> kIq2XxsPoints(kIq2XxsGrid);
inline constexpr PointBytes<8, 256> kIq2XsPoints(kIq2XsGrid);
inline constexpr PointBytes<8, 512> kIq2SPoints(kIq2SPanelGrid.words);
inline constexpr PointBytes<8, 1024> kIq1Points(kIq1PanelGrid.words);

// The tables of PointLabels, to be looked up by the lowest seven bits.
struct BlockBytes {
  alignas(64) std::uint8_t lower[kLabelBlocks] = {}, upper[kLabelBlocks] = {}, threshold[kLabelBlocks] = {};
  template <std::size_t kWords>
  constexpr explicit BlockBytes(const PointLabels<kWords>& labels) {
    for (std::size_t block = 0; block < kLabelBlocks; ++block) {
      lower[block] = labels.lower[block];
      upper[block] = labels.upper[block];
      // As a slot stands in the top bits of a byte.
      threshold[block] = static_cast<std::uint8_t>(labels.threshold[block] * (256 / PointLabels<kWords>::kSlots));
    }
  }
};
inline constexpr BlockBytes kIq2SBlocks(kIq2SLabels), kIq1Blocks(kIq1Labels);

// Bits 7 and 8 of the 64 indices, a mask for each: an instruction looks up by bits 0 to 6, of 128 entries.
using HighBits = __mmask64[2];

// The entries of a table that 64 indices choose. `low`: their lowest eight bits; `high`: of the bits from bit 7 on a
// mask each, as many as kPoints needs.
template <std::size_t kPoints>
[[gnu::always_inline]] inline I permuted_bytes(const std::uint8_t* table, I low, const __mmask64* high) {
  if constexpr (kPoints == 128) {
    return _mm512_permutex2var_epi8(_mm512_load_si512(table), low, _mm512_load_si512(table + 64));
  } else {
    constexpr int kBit = std::bit_width(kPoints / 128) - 2;
    return _mm512_mask_blend_epi8(high[kBit], permuted_bytes<kPoints / 2>(table, low, high),
                                  permuted_bytes<kPoints / 2>(table + kPoints / 2, low, high));
  }
}

// Where the four bytes of a lane are taken from: eight bits each, beginning at bit from, from + step, from + 2 step and
// from + 3 step of the lane. Example: from 8 in steps of 2 spreads the four codes in byte 1, so that each has the
// lowest two bits of a byte. A negative `from` takes its first bits from elsewhere, for users of higher bits.
constexpr std::int64_t fields(int from, int step) {
  std::uint64_t control = 0;
  for (int byte = 0; byte < 8; ++byte) {
    const int at = byte / 4 * 32 + from + byte % 4 * step;
    control |= static_cast<std::uint64_t>(at & 63) << (8 * byte);
  }
  return static_cast<std::int64_t>(control);
}
template <int kFrom, int kStep>
[[gnu::always_inline]] inline I take_fields(I lanes) {
  return _mm512_multishift_epi64_epi8(_mm512_set1_epi64(fields(kFrom, kStep)), lanes);
}
// Bit kBit of every byte.
template <int kBit>
[[gnu::always_inline]] inline __mmask64 test_bytes(I bytes) {
  return _mm512_test_epi8_mask(bytes, _mm512_set1_epi8(1 << kBit));
}

// What a code stands for, negative where its sign is set, for all values of six bits: the code in the low kCodeBits,
// the sign in bit kSign; the others change nothing.
template <int kCodeBits, int kSign>
struct SignedTable {
  alignas(64) std::uint8_t bytes[64] = {};
  constexpr explicit SignedTable(const OffsetValues& values) {
    for (unsigned i = 0; i < 64; ++i) bytes[i] = values.bytes[(i & ((1U << kCodeBits) - 1)) | ((i >> kSign) & 1) << 3];
  }
};
template <int kCodeBits, int kSign, const OffsetValues& kValues>
[[gnu::always_inline]] inline I signed_bytes(I codes, I signs) {
  static constexpr SignedTable<kCodeBits, kSign> kTable(kValues);
  const I both = _mm512_ternarylogic_epi32(_mm512_set1_epi8((1 << kCodeBits) - 1), codes, signs, 0xCA);
  return _mm512_permutexvar_epi8(both, _mm512_load_si512(kTable.bytes));
}
// Signs at bit kBit of bytes: where that is not between the codes and bit 6, they are moved there.
template <int kCodeBits, int kBit, const OffsetValues& kValues>
[[gnu::always_inline]] inline I spread_signed_bytes(I codes, I signs) {
  if constexpr (kBit < kCodeBits) {
    return signed_bytes<kCodeBits, kBit + kCodeBits, kValues>(codes, shift_left<kCodeBits>(signs));
  } else if constexpr (kBit > 5) {
    return signed_bytes<kCodeBits, kBit - 2, kValues>(codes, shift_right<2>(signs));
  } else {
    return signed_bytes<kCodeBits, kBit, kValues>(codes, signs);
  }
}

// The codes of a part's points of eight elements, of which byte k of a lane is point k; the first six bits count.
[[gnu::always_inline]] inline void spread_codes_of_eights(I first, I last, I (&w)[8]) {
  w[0] = take_fields<0, 2>(first);
  w[1] = take_fields<0, 2>(last);
  w[2] = take_fields<8, 2>(first);
  w[3] = take_fields<8, 2>(last);
  w[4] = take_fields<16, 2>(first);
  w[5] = take_fields<16, 2>(last);
  w[6] = take_fields<24, 2>(first);
  w[7] = take_fields<24, 2>(last);
}
template <std::size_t kWords>
[[gnu::always_inline]] inline void put_codes_of_eights(const PointBytes<8, kWords>& points, I low, const HighBits& high,
                                                       I (&w)[8]) {
  constexpr std::size_t kPoints = 2 * kWords;
  spread_codes_of_eights(permuted_bytes<kPoints>(points.first, low, high),
                         permuted_bytes<kPoints>(points.last, low, high), w);
}
// Bits 6 and up of an index, of which those above bit 7, kBits of them, are in the top bits of the bytes of `high`:
// each as a mask, and those from bit 7 on in the top bits of `slot`. What is below there is left over.
template <int kBits>
struct LabelBits {
  I slot;
  __mmask64 masks[2 + kBits];
  [[gnu::always_inline]] LabelBits(I low, I high)
      : slot(_mm512_ternarylogic_epi32(_mm512_set1_epi8(static_cast<char>(0xFF << (8 - kBits))), high,
                                       shift_right<kBits>(low), 0xCA)) {
    masks[0] = _mm512_movepi8_mask(_mm512_add_epi8(low, low));
    masks[1] = _mm512_movepi8_mask(low);
    HEADROOM_UNROLL
    for (int bit = 1 + kBits; bit > 1; --bit, high = _mm512_add_epi8(high, high))
      masks[bit] = _mm512_movepi8_mask(high);
  }
};
// As permuted_bytes(), in look-ups of 64 entries, the second of two where bit 6 is set: masks begin with that bit.
template <std::size_t kPoints>
[[gnu::always_inline]] inline I merged_bytes(const std::uint8_t* table, I low, const __mmask64* masks) {
  if constexpr (kPoints == 128) {
    const I lower = _mm512_permutexvar_epi8(low, _mm512_load_si512(table));
    return _mm512_mask_permutexvar_epi8(lower, masks[0], low, _mm512_load_si512(table + 64));
  } else {
    constexpr int kBit = std::bit_width(kPoints / 128) - 1;
    return _mm512_mask_blend_epi8(masks[kBit], merged_bytes<kPoints / 2>(table, low, masks),
                                  merged_bytes<kPoints / 2>(table + kPoints / 2, low, masks));
  }
}
// Tables of which no register holds a part until the next look-up. kReach: how many entries one instruction looks up,
// 64 or 128. Intel's processors split one of 128 into three.
template <int kReach, std::size_t kPoints>
[[gnu::always_inline]] inline I look_up_bytes(const std::uint8_t* table, I low, const __mmask64* masks) {
  if constexpr (kReach == 128) {
    return permuted_bytes<kPoints>(table, low, masks + 1);
  } else {
    return merged_bytes<kPoints>(table, low, masks);
  }
}
// The codes of points that have numbers of panels.
template <int kReach, std::size_t kWords, int kBits>
[[gnu::always_inline]] inline void put_codes_of_labels(const PointBytes<8, kWords>& points, const BlockBytes& blocks,
                                                       I low, const LabelBits<kBits>& bits, I& first, I& last) {
  const I threshold = look_up_bytes<kReach, 128>(blocks.threshold, low, bits.masks),
          lower = look_up_bytes<kReach, 128>(blocks.lower, low, bits.masks),
          upper = look_up_bytes<kReach, 128>(blocks.upper, low, bits.masks);
  first = _mm512_mask_blend_epi8(_mm512_cmpge_epu8_mask(bits.slot, threshold), lower, upper);
  last = look_up_bytes<kReach, 2 * kWords>(points.last, low, bits.masks);
}
// Of points of four elements the first two in the low bytes, and the others in the high bytes of `w`.
template <int kFrom>
[[gnu::always_inline]] inline I take_four(I first, I last) {
  constexpr __mmask64 kHighBytes = 0xCCCCCCCCCCCCCCCCU;
  return _mm512_mask_multishift_epi64_epi8(take_fields<kFrom, 4>(first), kHighBytes,
                                           _mm512_set1_epi64(fields(kFrom - 8, 4)), last);
}
template <std::size_t kWords>
[[gnu::always_inline]] inline void put_codes_of_fours(const PointBytes<4, kWords>& points, I low, const HighBits& high,
                                                      I* w) {
  constexpr std::size_t kPoints = 2 * kWords;
  const I first = permuted_bytes<kPoints>(points.first, low, high),
          last = permuted_bytes<kPoints>(points.last, low, high);
  w[0] = take_four<0>(first, last);
  w[1] = take_four<8>(first, last);
  w[2] = take_four<16>(first, last);
  w[3] = take_four<24>(first, last);
}

// Codes become what they stand for; signs are in the order of spread_bit().
template <int kCodeBits, const OffsetValues& kValues>
[[gnu::always_inline]] inline void put_spread_signs(I signs, I (&w)[8]) {
  w[0] = spread_signed_bytes<kCodeBits, spread_bit(0), kValues>(w[0], signs);
  w[1] = spread_signed_bytes<kCodeBits, spread_bit(1), kValues>(w[1], signs);
  w[2] = spread_signed_bytes<kCodeBits, spread_bit(2), kValues>(w[2], signs);
  w[3] = spread_signed_bytes<kCodeBits, spread_bit(3), kValues>(w[3], signs);
  w[4] = spread_signed_bytes<kCodeBits, spread_bit(4), kValues>(w[4], signs);
  w[5] = spread_signed_bytes<kCodeBits, spread_bit(5), kValues>(w[5], signs);
  w[6] = spread_signed_bytes<kCodeBits, spread_bit(6), kValues>(w[6], signs);
  w[7] = spread_signed_bytes<kCodeBits, spread_bit(7), kValues>(w[7], signs);
}

struct PermutedIQ3_XXS : PackedIQ3_XXS {
  using PackedIQ3_XXS::PackedIQ3_XXS;
  template <int kPart>
  [[gnu::always_inline]] void load(std::uint32_t super, I (&w)[8]) const {
    const I first = piece(super, 3 * kPart), second = piece(super, 3 * kPart + 1);
    put_codes_of_fours(kIq3XxsPoints, first, {_mm512_movepi8_mask(first)}, w);
    put_codes_of_fours(kIq3XxsPoints, second, {_mm512_movepi8_mask(second)}, w + 4);
    put_spread_signs<3, kIq3XxsBytes>(with_eighth_signs(piece(super, 3 * kPart + 2)), w);
  }
};

struct PermutedIQ3_S : PackedIQ3_S {
  using PackedIQ3_S::PackedIQ3_S;
  template <int kPart>
  [[gnu::always_inline]] void load(std::uint32_t super, I (&w)[8]) const {
    const I high = piece(super, kHigh<kPart>);
    constexpr int kFrom = kPart % 4 * 8;
    const I first = piece(super, kFirst<kPart>), second = piece(super, kFirst<kPart> + 1);
    put_codes_of_fours(kIq3SPoints, first, {_mm512_movepi8_mask(first), test_bytes<0>(take_fields<kFrom, 1>(high))}, w);
    put_codes_of_fours(kIq3SPoints, second,
                       {_mm512_movepi8_mask(second), test_bytes<0>(take_fields<kFrom + 4, 1>(high))}, w + 4);
    put_spread_signs<3, kIq3SBytes>(piece(super, kFirst<kPart> + 2), w);
  }
};

struct PermutedIQ2_XXS : PackedIQ2_XXS {
  using PackedIQ2_XXS::PackedIQ2_XXS;
  template <int kPart>
  [[gnu::always_inline]] void load(std::uint32_t super, I (&w)[8]) const {
    const I four = piece(super, 2 * kPart);
    put_codes_of_eights(kIq2XxsPoints, four, {_mm512_movepi8_mask(four)}, w);
    put_spread_signs<2, kIq2Bytes>(with_eighth_signs(piece(super, 2 * kPart + 1)), w);
  }
};

// Of the 16-bit numbers of two pieces, those of the first before those of the second in each lane.
struct BytesOfNumbers {
  alignas(64) std::uint8_t low[64] = {}, upper[64] = {};
  constexpr BytesOfNumbers() {
    for (int i = 0; i < 64; ++i) {
      low[i] = static_cast<std::uint8_t>(i % 4 / 2 * 64 + i / 4 * 4 + i % 2 * 2);
      upper[i] = static_cast<std::uint8_t>(low[i] + 1);
    }
  }
};
inline constexpr BytesOfNumbers kBytesOfNumbers;

struct PermutedIQ2_XS : PackedIQ2_XS {
  using PackedIQ2_XS::PackedIQ2_XS;
  template <int kPart>
  [[gnu::always_inline]] void load(std::uint32_t super, I (&w)[8]) const {
    const I first = piece(super, kFirst<kPart>), second = piece(super, kFirst<kPart> + 1);
    const I low = _mm512_permutex2var_epi8(first, _mm512_load_si512(kBytesOfNumbers.low), second),
            upper = _mm512_permutex2var_epi8(first, _mm512_load_si512(kBytesOfNumbers.upper), second);
    put_codes_of_eights(kIq2XsPoints, low, {_mm512_movepi8_mask(low), test_bytes<0>(upper)}, w);
    // Signs of point k in byte k, the eighth of which makes their number even.
    const I mask = set_i(0x7F7F7F7F), signs = and_i(shift_right<1>(upper), mask);
    I odd = xor_i(signs, shift_right<4>(signs));
    odd = xor_i(odd, shift_right<2>(odd));
    odd = xor_i(odd, shift_right<1>(odd));
    const I all = or_and(signs, shift_left<7>(odd), set_i(static_cast<std::int32_t>(0x80808080U)));
    put_signs_of_point<0>(all, w);
    put_signs_of_point<1>(all, w);
    put_signs_of_point<2>(all, w);
    put_signs_of_point<3>(all, w);
  }

 private:
  template <int kPoint>
  [[gnu::always_inline]] static void put_signs_of_point(I signs, I (&w)[8]) {
    w[2 * kPoint] = signed_bytes<2, 2, kIq2Bytes>(w[2 * kPoint], take_fields<8 * kPoint - 2, 1>(signs));
    w[2 * kPoint + 1] = signed_bytes<2, 2, kIq2Bytes>(w[2 * kPoint + 1], take_fields<8 * kPoint + 2, 1>(signs));
  }
};

template <int kReach>
struct PermutedIQ2_S : PackedIQ2_S {
  using PackedIQ2_S::PackedIQ2_S;
  template <int kPart>
  [[gnu::always_inline]] void load(std::uint32_t super, I (&w)[8]) const {
    const I four = piece(super, kIndices<kPart>);
    const LabelBits<2> bits(four, take_fields<kPart % 4 * 8 - 6, 2>(piece(super, kHigh<kPart>)));
    I first, last;
    put_codes_of_labels<kReach>(kIq2SPoints, kIq2SBlocks, four, bits, first, last);
    spread_codes_of_eights(first, last, w);
    put_spread_signs<2, kIq2Bytes>(piece(super, kIndices<kPart> + 1), w);
  }
};

// Values of IQ1 need no table: 8 (code - 1) + 1, or - 1 where the sign is set. From -kIq1Offset on they are 8 code + 2
// or 8 code.
// Of the bits of `mask` those that lanes do not have.
[[gnu::always_inline]] inline I bits_not_in(I lanes, std::uint32_t mask) {
  return _mm512_andnot_si512(lanes, set_i(static_cast<std::int32_t>(mask)));
}
// In each byte of a lane 2 where bit kBit of the lane is set, of lanes that have no other bit within eight.
template <int kBit>
[[gnu::always_inline]] inline I two_where(I lanes) {
  return take_fields<kBit - 1, 0>(lanes);
}
// Of two registers, w[j] and w[j + 1] of a point. kFrom: where its byte begins.
template <int kFrom>
[[gnu::always_inline]] inline void put_iq1_values(I first, I last, I twos, I& of_first, I& of_last) {
  const I mask = _mm512_set1_epi8(0x18);
  const I in_first = take_fields<kFrom - 3, 2>(first), in_last = take_fields<kFrom - 3, 2>(last);
  of_first = _mm512_ternarylogic_epi32(mask, in_first, twos, 0xCA);
  of_last = _mm512_ternarylogic_epi32(mask, in_last, twos, 0xCA);
}
// The points of a part, whose indices have three more bits each, kStep bits apart, in a half of a piece.
template <int kReach, int kPart, int kStep>
[[gnu::always_inline]] inline void look_up_iq1(I four, I high_bits, I& first, I& last) {
  const LabelBits<3> bits(four, take_fields<kPart % 2 * 16 - 5, kStep>(high_bits));
  put_codes_of_labels<kReach>(kIq1Points, kIq1Blocks, four, bits, first, last);
}

template <int kReach>
struct PermutedIQ1_S : PackedIQ1_S {
  using PackedIQ1_S::PackedIQ1_S;
  template <int kPart>
  [[gnu::always_inline]] void load_from_offset(std::uint32_t super, I (&w)[8]) const {
    const I high = piece(super, kHigh<kPart>), twos = two_where<kPart % 2 * 16 + 15>(bits_not_in(high, 0x80008000U));
    I first, last;
    look_up_iq1<kReach, kPart, 3>(piece(super, kIndices<kPart>), high, first, last);
    put_iq1_values<0>(first, last, twos, w[0], w[1]);
    put_iq1_values<8>(first, last, twos, w[2], w[3]);
    put_iq1_values<16>(first, last, twos, w[4], w[5]);
    put_iq1_values<24>(first, last, twos, w[6], w[7]);
  }
  template <int kPart>
  [[gnu::always_inline]] void load(std::uint32_t super, I (&w)[8]) const {
    load_iq1<kPart>(*this, super, w);
  }
};

template <int kReach>
struct PermutedIQ1_M : PackedIQ1_M {
  using PackedIQ1_M::PackedIQ1_M;
  template <int kPart>
  [[gnu::always_inline]] void load_from_offset(std::uint32_t super, I (&w)[8]) const {
    const I high = piece(super, kHigh<kPart>);
    I first, last;
    look_up_iq1<kReach, kPart, 4>(piece(super, kIndices<kPart>), high, first, last);
    const I even = bits_not_in(high, 0x08080808U), odd = bits_not_in(high, 0x80808080U);
    constexpr int kSign = kPart % 2 * 16 + 3;
    put_iq1_values<0>(first, last, two_where<kSign>(even), w[0], w[1]);
    put_iq1_values<8>(first, last, two_where<kSign + 4>(odd), w[2], w[3]);
    put_iq1_values<16>(first, last, two_where<kSign + 8>(even), w[4], w[5]);
    put_iq1_values<24>(first, last, two_where<kSign + 12>(odd), w[6], w[7]);
  }
  template <int kPart>
  [[gnu::always_inline]] void load(std::uint32_t super, I (&w)[8]) const {
    load_iq1<kPart>(*this, super, w);
  }
};
