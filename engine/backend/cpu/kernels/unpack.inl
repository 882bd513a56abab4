// Packed panels -> wide panels, once for all columns of a prefill step. Included by one unit per instruction set, inside its namespace.

inline void store_wide(std::byte* to, const I (&w)[8]) {
  HEADROOM_UNROLL
  for (int j = 0; j < 8; ++j) store_i(to + 64 * j, w[j]);
}

void unpack_q4_0(const std::byte* panel, std::uint32_t n_cols, std::byte* wide) {
  const PackedQ4_0 source(panel, n_cols);
  auto* scales = reinterpret_cast<float*>(wide + n_cols * 16UL);
  for (std::uint32_t block = 0; block < n_cols / 32; ++block) {
    I w[8];
    source.load(block, w);
    store_wide(wide + block * 512UL, w);
    store_f(scales + block * 16UL, mul(source.scale(block), set_f(PackedQ4_0::kFactor)));
  }
}

template <int kPart>
inline void unpack_q6_part(const PackedQ6_K& source, std::uint32_t super, F d, std::byte* quants, float* scales) {
  I w[8];
  source.load<kPart>(super, w);
  store_wide(quants + (super * 8UL + kPart) * 512, w);
  F first, second;
  source.scales<kPart>(super, d, first, second);
  store_f(scales + (super * 8UL + kPart) * 32, first);
  store_f(scales + (super * 8UL + kPart) * 32 + 16, second);
}

void unpack_q6_k(const std::byte* panel, std::uint32_t n_cols, std::byte* wide) {
  const PackedQ6_K source(panel, n_cols);
  auto* scales = reinterpret_cast<float*>(wide + n_cols * 16UL);
  for (std::uint32_t super = 0; super < n_cols / 256; ++super) {
    const F d = source.super_scale(super);
    unpack_q6_part<0>(source, super, d, wide, scales);
    unpack_q6_part<1>(source, super, d, wide, scales);
    unpack_q6_part<2>(source, super, d, wide, scales);
    unpack_q6_part<3>(source, super, d, wide, scales);
    unpack_q6_part<4>(source, super, d, wide, scales);
    unpack_q6_part<5>(source, super, d, wide, scales);
    unpack_q6_part<6>(source, super, d, wide, scales);
    unpack_q6_part<7>(source, super, d, wide, scales);
  }
}

template <int kGroup, class Source>
inline void unpack_group(const Source& source, std::uint32_t super, const GroupScales& groups, std::byte* quants, float* scales) {
  I w[8];
  source.template load<kGroup>(super, w);
  store_wide(quants + (super * 8UL + kGroup) * 512, w);
  store_f(scales + (super * 8UL + kGroup) * 16, groups.scale<kGroup>());
}

template <class Source>
void unpack_mins(const std::byte* panel, std::uint32_t n_cols, std::byte* wide) {
  const Source source(panel, n_cols);
  auto* scales = reinterpret_cast<float*>(wide + n_cols * 16UL);
  std::byte* mins = wide + n_cols * 18UL;
  for (std::uint32_t super = 0; super < n_cols / 256; ++super, mins += 192) {
    const GroupScales groups = source.groups(super);
    unpack_group<0>(source, super, groups, wide, scales);
    unpack_group<1>(source, super, groups, wide, scales);
    unpack_group<2>(source, super, groups, wide, scales);
    unpack_group<3>(source, super, groups, wide, scales);
    unpack_group<4>(source, super, groups, wide, scales);
    unpack_group<5>(source, super, groups, wide, scales);
    unpack_group<6>(source, super, groups, wide, scales);
    unpack_group<7>(source, super, groups, wide, scales);
    store_i(mins, groups.mins[0]);
    store_i(mins + 64, groups.mins[1]);
    store_f(reinterpret_cast<float*>(mins + 128), groups.d_min);
  }
}
