// Packed panels -> slabs of unsigned bytes with an offset of 128. Included by one unit per instruction set, inside its
// namespace.
//
// Formats of at most six bits get one scale for the 256 columns of a slab, the largest magnitude that they can hold
// there by 127: an element is off by at most max / 254, no more than the activations that it meets, so that sums stay
// integers for the whole slab. Q8_0 keeps its scale per 32.

void unpack_q8_0(const std::byte* panel, std::uint32_t n_cols, std::uint32_t slab, std::byte* to) {
  const PackedQ8_0 source(panel, n_cols);
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
  // Of a group whose codes, at most six bits, are taken from kZero: value / scale = (q - kZero) * step / 256.
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

inline F steps_per_unit(F largest) {
  return div(set_f(127.0F * 256), max(largest, set_f(1e-30F)));
}  // a row of zeros keeps zeros
inline void store_slab_scale(std::byte* slab, F largest) {
  store_f(reinterpret_cast<float*>(slab + kSlabCols * 16), mul(max(largest, set_f(1e-30F)), set_f(1.0F / 127)));
}

void unpack_q4_0(const std::byte* panel, std::uint32_t n_cols, std::uint32_t slab, std::byte* to) {
  const PackedQ4_0 source(panel, n_cols);
  const std::uint32_t first = slab * (kSlabCols / 32),
                      last = n_cols / 32 < first + kSlabCols / 32 ? n_cols / 32 : first + kSlabCols / 32;
  F largest = zero_f();
  for (std::uint32_t block = first; block < last; ++block) largest = max(largest, abs(source.scale(block)));
  largest = mul(largest, set_f(8.0F));
  store_slab_scale(to, largest);
  const F steps = steps_per_unit(largest);
  for (std::uint32_t block = first; block < last; ++block, to += 512) {
    const Recode recode = Recode::around<8>(mul(source.scale(block), steps));
    I w[8];
    source.load_codes(block, w);
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
  HEADROOM_UNROLL
  for (int j = 0; j < 4; ++j) {
    store_i(to + kPart * 512 + 64 * j, low.apply(w[j]));
    store_i(to + kPart * 512 + 256 + 64 * j, high.apply(w[j + 4]));
  }
}

void unpack_q6_k(const std::byte* panel, std::uint32_t n_cols, std::uint32_t slab, std::byte* to) {
  const PackedQ6_K source(panel, n_cols);
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
void unpack_mins(const std::byte* panel, std::uint32_t n_cols, std::uint32_t slab, std::byte* to) {
  const Source source(panel, n_cols);
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
