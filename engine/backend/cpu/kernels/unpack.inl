// Packed panels -> slabs of unsigned bytes with an offset of 128. Included by one unit per instruction set, inside its namespace.
//
// Formats of at most six bits get one scale for the 256 columns of a slab, the largest magnitude that they can hold there by 127: an element is off
// by at most max / 254, no more than the activations that it meets, so that sums stay integers for the whole slab. Q8_0 keeps its scale per 32.

void unpack_q8_0(const std::byte* panel, std::uint32_t n_cols, std::uint32_t slab, std::byte* to) {
  const PackedQ8_0 source(panel, n_cols);
  const std::uint32_t first = slab * (kSlabCols / 32), last = n_cols / 32 < first + kSlabCols / 32 ? n_cols / 32 : first + kSlabCols / 32;
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
  // value = q * width - shift, scale = 1 / inverse
  Recode(F width, F shift, F inverse) {
    const F fixed = mul(inverse, set_f(256.0F));
    step = both_halves(to_i(mul(width, fixed)));
    offset = both_halves(to_i(sub(set_f(128.0F * 256 + 128), mul(shift, fixed))));
  }
  static I both_halves(I lanes) {
    const I low = and_i(lanes, set_i(0xFFFF));
    return or_and(low, shift_left<16>(low), set_i(-1));
  }
  // Bytes hold q << kShift.
  template <int kShift>
  I apply(I bytes) const {
    const I even = shift_right<kShift>(and_i(bytes, set_i(0x00FF00FF))), odd = shift_right16<8 + kShift>(bytes);
    const I upper = set_i(static_cast<std::int32_t>(0xFF00FF00U));
    return or_and(shift_right16<8>(add16(mul16(even, step), offset)), add16(mul16(odd, step), offset), upper);
  }
};

inline F inverse_or_zero(F largest) {  // 127 / largest; a row of zeros keeps zeros
  const F tiny = set_f(1e-30F);
  return div(set_f(127.0F), max(largest, tiny));
}
inline void store_slab_scale(std::byte* slab, F largest) {
  store_f(reinterpret_cast<float*>(slab + kSlabCols * 16), mul(max(largest, set_f(1e-30F)), set_f(1.0F / 127)));
}

void unpack_q4_0(const std::byte* panel, std::uint32_t n_cols, std::uint32_t slab, std::byte* to) {
  const PackedQ4_0 source(panel, n_cols);
  const std::uint32_t first = slab * (kSlabCols / 32), last = n_cols / 32 < first + kSlabCols / 32 ? n_cols / 32 : first + kSlabCols / 32;
  F largest = zero_f();
  for (std::uint32_t block = first; block < last; ++block) largest = max(largest, abs(source.scale(block)));
  largest = mul(largest, set_f(8.0F));
  store_slab_scale(to, largest);
  const F inverse = inverse_or_zero(largest);
  for (std::uint32_t block = first; block < last; ++block, to += 512) {
    const F scale = source.scale(block);
    const Recode recode(scale, mul(scale, set_f(8.0F)), inverse);
    I w[8];
    source.load(block, w);
    HEADROOM_UNROLL
    for (int j = 0; j < 8; ++j) store_i(to + 64 * j, recode.apply<4>(w[j]));
  }
}

template <int kPart>
inline void recode_q6_part(const PackedQ6_K& source, std::uint32_t slab, F d, F inverse, std::byte* to) {
  I w[8];
  source.load<kPart>(slab, w);
  F first, second;
  source.scales<kPart>(slab, d, first, second);
  const Recode low(first, mul(first, set_f(32.0F)), inverse), high(second, mul(second, set_f(32.0F)), inverse);
  HEADROOM_UNROLL
  for (int j = 0; j < 4; ++j) {
    store_i(to + kPart * 512 + 64 * j, low.apply<2>(w[j]));
    store_i(to + kPart * 512 + 256 + 64 * j, high.apply<2>(w[j + 4]));
  }
}

template <int kPart>
inline F largest_q6_scale(const PackedQ6_K& source, std::uint32_t slab, F so_far) {
  F first, second;
  source.scales<kPart>(slab, set_f(1.0F), first, second);
  return max(so_far, max(abs(first), abs(second)));
}

void unpack_q6_k(const std::byte* panel, std::uint32_t n_cols, std::uint32_t slab, std::byte* to) {
  const PackedQ6_K source(panel, n_cols);
  F most = largest_q6_scale<0>(source, slab, zero_f());
  most = largest_q6_scale<1>(source, slab, most);
  most = largest_q6_scale<2>(source, slab, most);
  most = largest_q6_scale<3>(source, slab, most);
  most = largest_q6_scale<4>(source, slab, most);
  most = largest_q6_scale<5>(source, slab, most);
  most = largest_q6_scale<6>(source, slab, most);
  most = largest_q6_scale<7>(source, slab, most);
  const F d = mul(source.super_scale(slab), set_f(4.0F)), largest = mul(most, mul(abs(d), set_f(32.0F)));
  store_slab_scale(to, largest);
  const F inverse = inverse_or_zero(largest);
  recode_q6_part<0>(source, slab, d, inverse, to);
  recode_q6_part<1>(source, slab, d, inverse, to);
  recode_q6_part<2>(source, slab, d, inverse, to);
  recode_q6_part<3>(source, slab, d, inverse, to);
  recode_q6_part<4>(source, slab, d, inverse, to);
  recode_q6_part<5>(source, slab, d, inverse, to);
  recode_q6_part<6>(source, slab, d, inverse, to);
  recode_q6_part<7>(source, slab, d, inverse, to);
}

// The larger of the two ends of a group's range: -min and kMost * scale - min.
template <int kGroup, int kMost>
inline F largest_of_group(const GroupScales& groups, F so_far) {
  const F min = groups.min<kGroup>(), end = sub(mul(groups.scale<kGroup>(), set_f(kMost)), min);
  return max(so_far, max(abs(min), abs(end)));
}

template <int kGroup, class Source>
inline void recode_group(const Source& source, std::uint32_t slab, const GroupScales& groups, F inverse, std::byte* to) {
  I w[8];
  source.template load<kGroup>(slab, w);
  const Recode recode(groups.scale<kGroup>(), groups.min<kGroup>(), inverse);
  HEADROOM_UNROLL
  for (int j = 0; j < 8; ++j) store_i(to + kGroup * 512 + 64 * j, recode.template apply<0>(w[j]));
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
  const F inverse = inverse_or_zero(largest);
  recode_group<0>(source, slab, groups, inverse, to);
  recode_group<1>(source, slab, groups, inverse, to);
  recode_group<2>(source, slab, groups, inverse, to);
  recode_group<3>(source, slab, groups, inverse, to);
  recode_group<4>(source, slab, groups, inverse, to);
  recode_group<5>(source, slab, groups, inverse, to);
  recode_group<6>(source, slab, groups, inverse, to);
  recode_group<7>(source, slab, groups, inverse, to);
}
