// Panels of IQ3 and IQ2 (kernels/packed_grids.inl) for processors that look 16-bit numbers up in registers: a register
// holds 32 points, and a look-up answers for two of each row, the halves of a lane. The 2,048
// points of IQ1 are found sooner in memory.

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
// Of each of the 32 halves of lanes the point of a grid that has this number, from kFirst on: 64 points stand in two
// registers, and the bits of the index above the sixth choose among them.
template <std::size_t kFirst, std::size_t kPoints>
inline I permuted_points(const std::uint32_t* grid, I indices) {
  if constexpr (kPoints == 64) {
    return _mm512_permutex2var_epi16(_mm512_load_si512(grid + kFirst / 2), indices,
                                     _mm512_load_si512(grid + kFirst / 2 + 16));
  } else {
    const I low = permuted_points<kFirst, kPoints / 2>(grid, indices),
            high = permuted_points<kFirst + kPoints / 2, kPoints / 2>(grid, indices);
    const __mmask32 is_high = _mm512_test_epi16_mask(indices, _mm512_set1_epi16(kPoints / 2));
    return _mm512_mask_blend_epi16(is_high, low, high);
  }
}
// The codes of a part, of points of four elements: their numbers 0 and 2, 1 and 3, 4 and 6, 5 and 7 in halves of lanes.
template <std::size_t kWords>
inline void put_fours(const std::uint32_t (&grid)[kWords], const I (&indices)[4], I (&w)[8]) {
  spread_fours(permuted_points<0, 2 * kWords>(grid, indices[0]), w[0], w[2]);
  spread_fours(permuted_points<0, 2 * kWords>(grid, indices[1]), w[1], w[3]);
  spread_fours(permuted_points<0, 2 * kWords>(grid, indices[2]), w[4], w[6]);
  spread_fours(permuted_points<0, 2 * kWords>(grid, indices[3]), w[5], w[7]);
}
// Of eight elements: numbers 0 and kSecond, 3 - kSecond and 3.
template <int kSecond, std::size_t kWords>
inline void put_eights(const std::uint32_t (&grid)[kWords], const I (&indices)[2], I (&w)[8]) {
  constexpr int kThird = 3 - kSecond;
  spread_eights(permuted_points<0, 2 * kWords>(grid, indices[0]), w[0], w[1], w[2 * kSecond], w[2 * kSecond + 1]);
  spread_eights(permuted_points<0, 2 * kWords>(grid, indices[1]), w[2 * kThird], w[2 * kThird + 1], w[6], w[7]);
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

struct PermutedIQ3_XXS : PackedIQ3_XXS {
  using PackedIQ3_XXS::PackedIQ3_XXS;
  template <int kPart>
  void load(std::uint32_t super, I (&w)[8]) const {
    const I first = piece(super, 3 * kPart), second = piece(super, 3 * kPart + 1);
    put_fours(kIq3XxsGrid, {even_bytes(first), odd_bytes(first), even_bytes(second), odd_bytes(second)}, w);
    put_signed_values(kIq3XxsBytes, with_eighth_signs(piece(super, 3 * kPart + 2)), w);
  }
};

struct PermutedIQ3_S : PackedIQ3_S {
  using PackedIQ3_S::PackedIQ3_S;
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

struct PermutedIQ2_XXS : PackedIQ2_XXS {
  using PackedIQ2_XXS::PackedIQ2_XXS;
  template <int kPart>
  void load(std::uint32_t super, I (&w)[8]) const {
    const I four = piece(super, 2 * kPart);
    put_eights<2>(kIq2XxsGrid, {even_bytes(four), odd_bytes(four)}, w);
    put_signed_values(kIq2Bytes, with_eighth_signs(piece(super, 2 * kPart + 1)), w);
  }
};

struct PermutedIQ2_XS : PackedIQ2_XS {
  using PackedIQ2_XS::PackedIQ2_XS;
  template <int kPart>
  void load(std::uint32_t super, I (&w)[8]) const {
    const I first = piece(super, kFirst<kPart>), second = piece(super, kFirst<kPart> + 1);
    put_eights<1>(kIq2XsGrid, {and_i(first, set_i(0x01FF01FF)), and_i(second, set_i(0x01FF01FF))}, w);
    put_signs(first, second, w);
  }
};

struct PermutedIQ2_S : PackedIQ2_S {
  using PackedIQ2_S::PackedIQ2_S;
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
