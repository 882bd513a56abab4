// Queries, keys and values as 16-bit words, for attention of many queries that read the same keys. Included by one unit
// per instruction set, inside its namespace.
//
// A query and a key each have one scale, so that their norms are at most kNormSteps: then no sum of products of the two
// leaves 31 bits, whatever the head size (Cauchy-Schwarz), and an element is off by at most 1/65534 of its row's norm,
// less than F16 rounds the row's largest. A channel of a chunk of values has one scale, so that its magnitudes add up
// to at most kValueSteps: no sum of products with weights of up to kWeightOne leaves 31 bits.

inline constexpr float kNormSteps = 32767.0F, kValueSteps = 131072.0F - 2 * kKeyChunk, kWeightOne = 16384.0F;
inline constexpr float kNoNorm = 1e-30F;  // a row of zeros keeps zeros

inline I pair_words(I first, I second) {
  return or_and(and_i(first, set_i(0xFFFF)), shift_left<16>(second), set_i(-1));
}

// --- queries: a lane of (head_dim / 2, 16) dwords of two elements; the scale turns scores into powers of two ---

void query_words(const float* query, std::uint32_t head_dim, float factor, std::uint32_t lane, std::byte* words,
                 float* scales) {
  F squares = zero_f();
  for (std::uint32_t i = 0; i < head_dim; i += 16) {
    const F x = head_dim - i >= 16 ? load_f(query + i) : load_f_n(query + i, static_cast<int>(head_dim - i));
    squares = fma(x, x, squares);
  }
  const float norm = __builtin_sqrtf(sum_lanes(squares));
  const F inverse = set_f(norm > kNoNorm ? kNormSteps / norm : 0.0F);
  const float scale = norm / kNormSteps * factor * 1.44269504F;
  scales[lane] = scale > 1e-20F ? scale : 1e-20F;  // never so small that a hidden key is not far below all others
  std::byte* to = words + 4UL * lane;
  for (std::uint32_t i = 0; i < head_dim; i += 16) {
    const std::uint32_t n = head_dim - i < 16 ? head_dim - i : 16;
    const F x = n == 16 ? load_f(query + i) : load_f_n(query + i, static_cast<int>(n));
    std::int16_t lanes[16];
    store_words(lanes, to_i(mul(x, inverse)));
    for (std::uint32_t pair = 0; pair < n / 2; ++pair, to += 64) __builtin_memcpy(to, lanes + 2UL * pair, 4);
  }
}

// --- keys: a panel of 16 -> (head_dim / 2, 16) dwords of two elements, and 16 scales ---

// A source gives elements in units of a scale per key and 32 of them, and of one for all; and a bound of the norm in
// units of the latter. That of quantized keys is what their scales allow: 3 times the norm or less, which costs less
// than 2 of 15 bits, and a pass over the elements is saved.
struct KeysF16 {
  const std::byte* panel;
  KeysF16(const std::byte* from, std::uint32_t) : panel(from) {}
  void load(std::uint32_t i, F& a, F& b) const {
    a = load_f16(panel + i * 32UL);
    b = load_f16(panel + i * 32UL + 32);
  }
  F norm(std::uint32_t head_dim) const {
    F even = zero_f(), odd = zero_f(), a, b;
    for (std::uint32_t i = 0; i < head_dim; i += 2) {
      load(i, a, b);
      even = fma(a, a, even);
      odd = fma(b, b, odd);
    }
    return sqrt(add(even, odd));
  }
  F block_scale(std::uint32_t) const { return set_f(1.0F); }
  F scale() const { return set_f(1.0F); }
};
struct KeysF8 {
  const std::byte* panel;
  std::uint32_t n;
  KeysF8(const std::byte* from, std::uint32_t head_dim) : panel(from), n(head_dim) {}
  void load(std::uint32_t i, F& a, F& b) const { load_e4m3_pair(panel + i * 16UL, a, b); }
  F norm(std::uint32_t head_dim) const {
    return set_f(448.0F / kE4M3Factor * __builtin_sqrtf(static_cast<float>(head_dim)));
  }
  F block_scale(std::uint32_t) const { return set_f(1.0F); }
  F scale() const { return mul(load_f16(panel + n * 16UL), set_f(kE4M3Factor)); }
};
template <class Packed>
struct KeysOfBlocks {
  Packed packed;
  KeysOfBlocks(const std::byte* panel, std::uint32_t) : packed(panel) {}
  F norm(std::uint32_t head_dim) const {
    F squares = zero_f();
    for (std::uint32_t block = 0; block < (head_dim + 31) / 32; ++block)
      squares = fma(packed.scale(block), packed.scale(block), squares);
    return mul(sqrt(squares), set_f(128.0F * 5.656854F));  // bytes, 32 to a block
  }
  F block_scale(std::uint32_t block) const { return packed.scale(block); }
  F scale() const { return set_f(Packed::kFactor); }

 protected:
  static void pair_of(I biased, std::uint32_t i, F& a, F& b) {
    const I four = xor_i(biased, set_i(static_cast<std::int32_t>(0x80808080U)));
    a = to_f(i % 4 == 0 ? signed_byte<0>(four) : signed_byte<2>(four));
    b = to_f(i % 4 == 0 ? signed_byte<1>(four) : signed_byte<3>(four));
  }
};
struct KeysQ8_0 : KeysOfBlocks<PackedQ8_0> {
  using KeysOfBlocks::KeysOfBlocks;
  void load(std::uint32_t i, F& a, F& b) const { pair_of(load_i(packed.at(i / 32) + 32 + i % 32 / 4 * 64UL), i, a, b); }
};
struct KeysQ4_0 : KeysOfBlocks<PackedQ4_0> {
  using KeysOfBlocks::KeysOfBlocks;
  void load(std::uint32_t i, F& a, F& b) const {
    const I both = load_i(packed.at(i / 32) + 32 + i % 16 / 4 * 64UL);
    pair_of(and_i(i % 32 < 16 ? shift_left<4>(both) : both, set_i(static_cast<std::int32_t>(0xF0F0F0F0U))), i, a, b);
  }
};

template <class Source>
void key_words(const std::byte* panel, std::uint32_t head_dim, std::byte* words, float* scales) {
  const Source source(panel, head_dim);
  const F norm = max(source.norm(head_dim), set_f(kNoNorm)), inverse = div(set_f(kNormSteps), norm);
  store_f(scales, mul(mul(norm, set_f(1.0F / kNormSteps)), source.scale()));
  for (std::uint32_t first = 0; first < head_dim; first += 32) {
    const F factor = mul(source.block_scale(first / 32), inverse);
    const std::uint32_t last = head_dim - first < 32 ? head_dim : first + 32;
    for (std::uint32_t i = first; i < last; i += 2, words += 64) {  // heads are even
      F a, b;
      source.load(i, a, b);
      store_i(words, pair_words(to_i(mul(a, factor)), to_i(mul(b, factor))));
    }
  }
}

// --- values: n_keys of them -> (keys / 2 rounded up to 8, head_dim rounded up to 32) dwords of two keys, and a scale
// per channel ---

template <class Source>
struct ValueRows {  // 32 channels of a chunk
  const std::byte* groups;
  std::size_t key_bytes, group_bytes;
  std::uint32_t at;
  int n_lanes;
  float scales[kKeyChunk], offsets[kKeyChunk];

  ValueRows(const std::byte* from, std::uint32_t n_keys, std::uint32_t head_dim, const float* shifts,
            std::uint32_t first_channel)
      : groups(from), key_bytes(Source::key_bytes(head_dim)), at(first_channel) {
    const std::size_t n_scales = Source::kScaled ? Source::scale_block((head_dim - 1) / 32) + 1 : 0;
    group_bytes = 16 * key_bytes + n_scales * 32;
    n_lanes = head_dim - at < 32 ? static_cast<int>(head_dim - at) : 32;
    if constexpr (Source::kScaled) {
      for (std::uint32_t key = 0; key < n_keys; key += 16) {
        const F scale = load_f16(groups + key / 16 * group_bytes + 16 * key_bytes + Source::scale_block(at / 32) * 32);
        store_f(scales + key, scale);
        if constexpr (Source::kShifted) store_f(offsets + key, mul(scale, load_f(shifts)));
      }
    }
  }
  void load(std::uint32_t key, F& a, F& b) const {
    const std::byte* from = groups + key / 16 * group_bytes + key % 16 * key_bytes;
    if (n_lanes == 32) {
      Source::load(from, at, a, b);
    } else {
      Source::load_n(from, at, n_lanes, a, b);
    }
    if constexpr (Source::kShifted) {
      a = fma(a, set_f(scales[key]), set_f(offsets[key]));
      b = fma(b, set_f(scales[key]), set_f(offsets[key]));
    } else if constexpr (Source::kScaled) {
      a = mul(a, set_f(scales[key]));
      b = mul(b, set_f(scales[key]));
    }
  }
};

inline F value_scale(F sum, F most) {
  return max(max(mul(sum, set_f(1.0F / kValueSteps)), mul(most, set_f(1.0F / kNormSteps))), set_f(kNoNorm));
}

template <class Source>
void value_words(const std::byte* groups, std::uint32_t n_keys, std::uint32_t head_dim, const float* shifts,
                 std::byte* words, float* scales) {
  const std::size_t row_bytes = (head_dim + 31) / 32 * 128UL;
  for (std::uint32_t at = 0; at < head_dim; at += 32) {
    const ValueRows<Source> rows(groups, n_keys, head_dim, shifts, at);
    F sums[2] = {zero_f(), zero_f()}, most[2] = {zero_f(), zero_f()}, a, b;
    for (std::uint32_t key = 0; key < n_keys; ++key) {
      rows.load(key, a, b);
      sums[0] = add(sums[0], abs(a));
      sums[1] = add(sums[1], abs(b));
      most[0] = max(most[0], abs(a));
      most[1] = max(most[1], abs(b));
    }
    const F scale_a = value_scale(sums[0], most[0]), scale_b = value_scale(sums[1], most[1]);
    store_f(scales + at, mul(scale_a, set_f(Source::kFactor)));
    store_f(scales + at + 16, mul(scale_b, set_f(Source::kFactor)));
    const F inverse_a = div(set_f(1.0F), scale_a), inverse_b = div(set_f(1.0F), scale_b);
    std::byte* to = words + at * 4UL;
    const auto load_words = [&](std::uint32_t key, I& x, I& y) {
      if (key >= n_keys) {
        x = y = zero_i();
        return;
      }
      rows.load(key, a, b);
      x = to_i(mul(a, inverse_a));
      y = to_i(mul(b, inverse_b));
    };
    for (std::uint32_t key = 0; key < (n_keys + 15) / 16 * 16; key += 2, to += row_bytes) {
      I first_a, first_b, second_a, second_b;
      load_words(key, first_a, first_b);
      load_words(key + 1, second_a, second_b);
      store_i(to, pair_words(first_a, second_a));
      store_i(to + 64, pair_words(first_b, second_b));
    }
  }
}
