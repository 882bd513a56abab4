// Packed panels -> slabs of unsigned bytes with an offset of 128. Included by one unit per instruction set, inside its
// namespace.
//
// Formats of at most six bits get one scale for the 256 columns of a slab, the largest magnitude that they can hold
// there by 127: an element is off by at most max / 254, no more than the activations that it meets, so that sums stay
// integers for the whole slab. Q8_0 keeps its scale per 32.

void unpack_q8_0(const std::byte* panel, std::uint32_t n_cols, std::uint32_t slab, std::byte* to) {
  const PackedQ8_0 source(panel);
  const std::uint32_t first = slab * (kSlabCols / 32),
                      last = n_cols / 32 < first + kSlabCols / 32 ? n_cols / 32 : first + kSlabCols / 32;
  auto* scales = reinterpret_cast<float*>(to + kSlabCols * 16);
  for (std::uint32_t block = first; block < last; ++block, to += 512, scales += 16) {
    I w[8];
    source.load(block, w);
    HEADROOM_UNROLL
    for (int j = 0; j < 8; ++j) store_i(to + 64 * j, w[j]);
    store_f(scales, source.scale(block));
  }
}

// A group's codes q become (q * step + offset) / 256 in 16 bits, lanes being pairs: value / scale + 128, rounded.
struct Recode {
  I step, offset;
  // Of a group whose codes are taken from kZero: value / scale = (q - kZero) * step / 256, all modulo 2^16.
  template <int kZero>
  static Recode around(F step) {
    const I whole = both_halves(to_i(step)), minus_zero = both_halves(set_i(-kZero));
    return {whole, add16(set_i(static_cast<std::int32_t>(0x80808080U)), mul16(whole, minus_zero))};
  }
  // value / scale = (q * step - shift) / 256
  static Recode less(F step, F shift) {
    return {both_halves(to_i(step)), both_halves(to_i(sub(set_f(128.0F * 256 + 128), shift)))};
  }
  static I both_halves(I lanes) { return or_and(shift_left<16>(lanes), lanes, set_i(0xFFFF)); }
  I apply(I codes) const {
    const I even = and_i(codes, set_i(0x00FF00FF)), odd = shift_right16<8>(codes);
    const I upper = set_i(static_cast<std::int32_t>(0xFF00FF00U));
    return or_and(shift_right16<8>(add16(mul16(even, step), offset)), add16(mul16(odd, step), offset), upper);
  }
};

// The 32 columns of a part, whose halves have scales of their own.
inline void recode_halves(const I (&w)[8], const Recode& low, const Recode& high, std::byte* to) {
  HEADROOM_UNROLL
  for (int j = 0; j < 4; ++j) {
    store_i(to + 64 * j, low.apply(w[j]));
    store_i(to + 256 + 64 * j, high.apply(w[j + 4]));
  }
}

inline F steps_per_unit(F largest) {
  return div(set_f(127.0F * 256), max(largest, set_f(1e-30F)));
}  // a row of zeros keeps zeros
inline void store_slab_scale(std::byte* slab, F largest) {
  store_f(reinterpret_cast<float*>(slab + kSlabCols * 16), mul(max(largest, set_f(1e-30F)), set_f(1.0F / 127)));
}

template <class Source>
void unpack_blocks(const std::byte* panel, std::uint32_t n_cols, std::uint32_t slab, std::byte* to) {
  const Source source(panel);
  const std::uint32_t first = slab * (kSlabCols / 32),
                      last = n_cols / 32 < first + kSlabCols / 32 ? n_cols / 32 : first + kSlabCols / 32;
  F largest = zero_f();
  for (std::uint32_t block = first; block < last; ++block) largest = max(largest, abs(source.scale(block)));
  largest = mul(largest, set_f(Source::kMost));
  store_slab_scale(to, largest);
  const F steps = steps_per_unit(largest);
  for (std::uint32_t block = first; block < last; ++block, to += 512) {
    const Recode recode = Recode::around<Source::kZero>(mul(source.scale(block), steps));
    I w[8];
    source.load_codes(block, w);
    HEADROOM_UNROLL
    for (int j = 0; j < 8; ++j) store_i(to + 64 * j, recode.apply(w[j]));
  }
}

template <class Source>
void unpack_min_blocks(const std::byte* panel, std::uint32_t n_cols, std::uint32_t slab, std::byte* to) {
  const Source source(panel);
  const std::uint32_t first = slab * (kSlabCols / 32),
                      last = n_cols / 32 < first + kSlabCols / 32 ? n_cols / 32 : first + kSlabCols / 32;
  F largest = zero_f();
  for (std::uint32_t block = first; block < last; ++block) {
    const F min = source.min(block), end = fma(source.scale(block), set_f(Source::kMostCode), min);
    largest = max(largest, max(abs(min), abs(end)));
  }
  store_slab_scale(to, largest);
  const F steps = steps_per_unit(largest), minus_steps = sub(zero_f(), steps);
  for (std::uint32_t block = first; block < last; ++block, to += 512) {
    const Recode recode = Recode::less(mul(source.scale(block), steps), mul(source.min(block), minus_steps));
    I w[8];
    source.load(block, w);
    HEADROOM_UNROLL
    for (int j = 0; j < 8; ++j) store_i(to + 64 * j, recode.apply(w[j]));
  }
}

struct SixBitScales {  // of the 16 groups of a slab, and the largest magnitude of them
  F scales[16], largest = zero_f();
  template <int kPart>
  void take(const PackedQ6_K& source, std::uint32_t slab) {
    source.scales<kPart>(slab, set_f(1.0F), scales[2 * kPart], scales[2 * kPart + 1]);
    largest = max(largest, max(abs(scales[2 * kPart]), abs(scales[2 * kPart + 1])));
  }
};

template <int kPart>
inline void recode_q6_part(const PackedQ6_K& source, std::uint32_t slab, const SixBitScales& groups, F steps,
                           std::byte* to) {
  I w[8];
  source.load_codes<kPart>(slab, w);
  const Recode low = Recode::around<32>(mul(groups.scales[2 * kPart], steps)),
               high = Recode::around<32>(mul(groups.scales[2 * kPart + 1], steps));
  recode_halves(w, low, high, to + kPart * 512);
}

void unpack_q6_k(const std::byte* panel, std::uint32_t /*n_cols*/, std::uint32_t slab, std::byte* to) {
  const PackedQ6_K source(panel);
  SixBitScales groups;
  groups.take<0>(source, slab);
  groups.take<1>(source, slab);
  groups.take<2>(source, slab);
  groups.take<3>(source, slab);
  groups.take<4>(source, slab);
  groups.take<5>(source, slab);
  groups.take<6>(source, slab);
  groups.take<7>(source, slab);
  const F d = mul(source.super_scale(slab), set_f(4.0F)), largest = mul(groups.largest, mul(abs(d), set_f(32.0F)));
  store_slab_scale(to, largest);
  const F steps = mul(d, steps_per_unit(largest));
  recode_q6_part<0>(source, slab, groups, steps, to);
  recode_q6_part<1>(source, slab, groups, steps, to);
  recode_q6_part<2>(source, slab, groups, steps, to);
  recode_q6_part<3>(source, slab, groups, steps, to);
  recode_q6_part<4>(source, slab, groups, steps, to);
  recode_q6_part<5>(source, slab, groups, steps, to);
  recode_q6_part<6>(source, slab, groups, steps, to);
  recode_q6_part<7>(source, slab, groups, steps, to);
}

// The larger of the two ends of a group's range: -min and kMost * scale - min.
template <int kGroup, int kMost>
inline F largest_of_group(const GroupScales& groups, F so_far) {
  const F min = groups.min<kGroup>(), end = sub(mul(groups.scale<kGroup>(), set_f(kMost)), min);
  return max(so_far, max(abs(min), abs(end)));
}

template <int kGroup, class Source>
inline void recode_group(const Source& source, std::uint32_t slab, const GroupScales& groups, F steps, std::byte* to) {
  I w[8];
  source.template load<kGroup>(slab, w);
  const Recode recode = Recode::less(mul(groups.scale<kGroup>(), steps), mul(groups.min<kGroup>(), steps));
  HEADROOM_UNROLL
  for (int j = 0; j < 8; ++j) store_i(to + kGroup * 512 + 64 * j, recode.apply(w[j]));
}

template <class Source>
void unpack_mins(const std::byte* panel, std::uint32_t /*n_cols*/, std::uint32_t slab, std::byte* to) {
  const Source source(panel);
  const GroupScales groups = source.groups(slab);
  F largest = largest_of_group<0, Source::kMost>(groups, zero_f());
  largest = largest_of_group<1, Source::kMost>(groups, largest);
  largest = largest_of_group<2, Source::kMost>(groups, largest);
  largest = largest_of_group<3, Source::kMost>(groups, largest);
  largest = largest_of_group<4, Source::kMost>(groups, largest);
  largest = largest_of_group<5, Source::kMost>(groups, largest);
  largest = largest_of_group<6, Source::kMost>(groups, largest);
  largest = largest_of_group<7, Source::kMost>(groups, largest);
  store_slab_scale(to, largest);
  const F steps = steps_per_unit(largest);
  recode_group<0>(source, slab, groups, steps, to);
  recode_group<1>(source, slab, groups, steps, to);
  recode_group<2>(source, slab, groups, steps, to);
  recode_group<3>(source, slab, groups, steps, to);
  recode_group<4>(source, slab, groups, steps, to);
  recode_group<5>(source, slab, groups, steps, to);
  recode_group<6>(source, slab, groups, steps, to);
  recode_group<7>(source, slab, groups, steps, to);
}

// A scale times a code of Q3_K is a whole number from -124 to 128. Its negative fits a byte with an offset of 128, so
// that nothing is rounded: the slab's scale is -d.
template <int kPart>
inline void recode_q3_part(const PackedQ3_K& source, std::uint32_t slab, std::byte* to) {
  I w[8];
  source.load_codes<kPart>(slab, w);
  F first, second;
  source.scales<kPart>(slab, set_f(-256.0F), first, second);
  const Recode low = Recode::around<PackedQ3_K::kZero>(first), high = Recode::around<PackedQ3_K::kZero>(second);
  recode_halves(w, low, high, to + kPart * 512);
}

void unpack_q3_k(const std::byte* panel, std::uint32_t /*n_cols*/, std::uint32_t slab, std::byte* to) {
  const PackedQ3_K source(panel);
  store_f(reinterpret_cast<float*>(to + kSlabCols * 16), mul(source.super_scale(slab), set_f(-32.0F)));
  recode_q3_part<0>(source, slab, to);
  recode_q3_part<1>(source, slab, to);
  recode_q3_part<2>(source, slab, to);
  recode_q3_part<3>(source, slab, to);
  recode_q3_part<4>(source, slab, to);
  recode_q3_part<5>(source, slab, to);
  recode_q3_part<6>(source, slab, to);
  recode_q3_part<7>(source, slab, to);
}

struct TwoBitScales {  // of the 16 groups of a slab, and the largest magnitude that any of them can hold
  F scales[16], mins[16], largest = zero_f();
  template <int kPart>
  void take(const PackedQ2_K& source, std::uint32_t slab, F d, F d_min) {
    const I four = source.four_scales(slab, kPart / 2);
    PackedQ2_K::scales<kPart>(four, d, scales[2 * kPart], scales[2 * kPart + 1]);
    PackedQ2_K::mins<kPart>(four, d_min, mins[2 * kPart], mins[2 * kPart + 1]);
    for (int i = 2 * kPart; i < 2 * kPart + 2; ++i)
      largest = max(largest, max(abs(mins[i]), abs(sub(mul(scales[i], set_f(3.0F)), mins[i]))));
  }
};

template <int kPart>
inline void recode_q2_part(const PackedQ2_K& source, std::uint32_t slab, const TwoBitScales& groups, F steps,
                           std::byte* to) {
  I w[8];
  source.load<kPart>(slab, w);
  const Recode low = Recode::less(mul(groups.scales[2 * kPart], steps), mul(groups.mins[2 * kPart], steps)),
               high = Recode::less(mul(groups.scales[2 * kPart + 1], steps), mul(groups.mins[2 * kPart + 1], steps));
  recode_halves(w, low, high, to + kPart * 512);
}

void unpack_q2_k(const std::byte* panel, std::uint32_t /*n_cols*/, std::uint32_t slab, std::byte* to) {
  const PackedQ2_K source(panel);
  const F d = source.super_scale(slab), d_min = source.super_min(slab);
  TwoBitScales groups;
  groups.take<0>(source, slab, d, d_min);
  groups.take<1>(source, slab, d, d_min);
  groups.take<2>(source, slab, d, d_min);
  groups.take<3>(source, slab, d, d_min);
  groups.take<4>(source, slab, d, d_min);
  groups.take<5>(source, slab, d, d_min);
  groups.take<6>(source, slab, d, d_min);
  groups.take<7>(source, slab, d, d_min);
  store_slab_scale(to, groups.largest);
  const F steps = steps_per_unit(groups.largest);
  recode_q2_part<0>(source, slab, groups, steps, to);
  recode_q2_part<1>(source, slab, groups, steps, to);
  recode_q2_part<2>(source, slab, groups, steps, to);
  recode_q2_part<3>(source, slab, groups, steps, to);
  recode_q2_part<4>(source, slab, groups, steps, to);
  recode_q2_part<5>(source, slab, groups, steps, to);
  recode_q2_part<6>(source, slab, groups, steps, to);
  recode_q2_part<7>(source, slab, groups, steps, to);
}

// Of formats whose load() gives what their codes stand for, at most Source::kMost.
template <int kPart, class Source>
inline F largest_of_part(const Source& source, std::uint32_t slab, F d, F so_far) {
  F first, second;
  part_scales<kPart>(source, slab, d, first, second);
  return max(so_far, max(abs(first), abs(second)));
}
template <int kPart, class Source>
inline void recode_values_of_part(const Source& source, std::uint32_t slab, F d_steps, std::byte* to) {
  I w[8];
  source.template load<kPart>(slab, w);
  F first, second;
  part_scales<kPart>(source, slab, d_steps, first, second);
  recode_halves(w, Recode::around<128>(first), Recode::around<128>(second), to + kPart * 512);
}

template <class Source>
void unpack_values(const std::byte* panel, std::uint32_t /*n_cols*/, std::uint32_t slab, std::byte* to) {
  const Source source(panel);
  const F d = source.super_scale(slab);
  F largest = largest_of_part<0>(source, slab, d, zero_f());
  largest = largest_of_part<1>(source, slab, d, largest);
  largest = largest_of_part<2>(source, slab, d, largest);
  largest = largest_of_part<3>(source, slab, d, largest);
  largest = largest_of_part<4>(source, slab, d, largest);
  largest = largest_of_part<5>(source, slab, d, largest);
  largest = largest_of_part<6>(source, slab, d, largest);
  largest = largest_of_part<7>(source, slab, d, largest);
  largest = mul(largest, set_f(Source::kMost));
  store_slab_scale(to, largest);
  const F d_steps = mul(d, steps_per_unit(largest));
  recode_values_of_part<0>(source, slab, d_steps, to);
  recode_values_of_part<1>(source, slab, d_steps, to);
  recode_values_of_part<2>(source, slab, d_steps, to);
  recode_values_of_part<3>(source, slab, d_steps, to);
  recode_values_of_part<4>(source, slab, d_steps, to);
  recode_values_of_part<5>(source, slab, d_steps, to);
  recode_values_of_part<6>(source, slab, d_steps, to);
  recode_values_of_part<7>(source, slab, d_steps, to);
}
