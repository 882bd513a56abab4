// The second half of attention: values, read as they are kept, times softmax weights. A lane is an element of the head.
// Groups of 16 keys: the elements of each key, then the f16 scales (n_blocks, 16 keys). Included by one unit per
// instruction set, inside its namespace.

struct ValuesF32 {
  static constexpr bool kScaled = false;
  static constexpr bool kShifted = false;
  static constexpr float kFactor = 1.0F;
  static std::size_t key_bytes(std::uint32_t head_dim) { return head_dim * 4UL; }
  static std::size_t scale_block(std::uint32_t) { return 0; }
  static void load(const std::byte* key, std::uint32_t at, F& a, F& b) {
    const float* from = reinterpret_cast<const float*>(key) + at;
    a = load_f(from);
    b = load_f(from + 16);
  }
  static void load_n(const std::byte* key, std::uint32_t at, int n, F& a, F& b) {
    const float* from = reinterpret_cast<const float*>(key) + at;
    a = load_f_n(from, n < 16 ? n : 16);
    b = n > 16 ? load_f_n(from + 16, n - 16) : zero_f();
  }
};
struct ValuesF16 {
  static constexpr bool kScaled = false;
  static constexpr bool kShifted = false;
  static constexpr float kFactor = 1.0F;
  static std::size_t key_bytes(std::uint32_t head_dim) { return head_dim * 2UL; }
  static std::size_t scale_block(std::uint32_t) { return 0; }
  static void load(const std::byte* key, std::uint32_t at, F& a, F& b) {
    a = load_f16(key + at * 2UL);
    b = load_f16(key + at * 2UL + 32);
  }
  static void load_n(const std::byte* key, std::uint32_t at, int n, F& a, F& b) {
    a = load_f16_n(key + at * 2UL, n < 16 ? n : 16);
    b = n > 16 ? load_f16_n(key + at * 2UL + 32, n - 16) : zero_f();
  }
};
struct ValuesF8 {
  static constexpr bool kScaled = true;
  static constexpr bool kShifted = false;
  static constexpr float kFactor = kE4M3Factor;
  static std::size_t key_bytes(std::uint32_t head_dim) { return head_dim; }
  static std::size_t scale_block(std::uint32_t) { return 0; }  // one scale for all elements
  static void load(const std::byte* key, std::uint32_t at, F& a, F& b) { load_e4m3_pair(key + at, a, b); }
  static void load_n(const std::byte* key, std::uint32_t at, int n, F& a, F& b) {
    a = load_e4m3_n(key + at, n < 16 ? n : 16);
    b = n > 16 ? load_e4m3_n(key + at + 16, n - 16) : zero_f();
  }
};
struct ValuesQ8_0 {
  static constexpr bool kScaled = true;
  static constexpr bool kShifted = false;
  static constexpr float kFactor = 1.0F;
  static std::size_t key_bytes(std::uint32_t head_dim) { return (head_dim + 31) / 32 * 32UL; }
  static std::size_t scale_block(std::uint32_t block) { return block; }
  static void load(const std::byte* key, std::uint32_t at, F& a, F& b) {
    a = load_s8(key + at);
    b = load_s8(key + at + 16);
  }
  static void load_n(const std::byte* key, std::uint32_t at, int, F& a, F& b) {
    load(key, at, a, b);
  }  // rows are padded to 32
};
struct ValuesQ4_0 {
  static constexpr bool kScaled = true;
  static constexpr bool kShifted = true;
  static constexpr float kFactor = 1.0F;
  static std::size_t key_bytes(std::uint32_t head_dim) { return (head_dim + 31) / 32 * 16UL; }
  static std::size_t scale_block(std::uint32_t block) { return block; }
  static void load(const std::byte* key, std::uint32_t at, F& a, F& b) { load_nibbles(key + at / 2, a, b); }
  static void load_n(const std::byte* key, std::uint32_t at, int, F& a, F& b) { load(key, at, a, b); }
};

// One block of 32 elements for kQ queries.
template <int kQ, class Source>
inline void add_values(const ValueJob& job, std::uint32_t query, std::uint32_t at) {
  const std::size_t key_bytes = Source::key_bytes(job.head_dim);
  const std::size_t n_scales = Source::kScaled ? Source::scale_block((job.head_dim - 1) / 32) + 1 : 0;
  const std::size_t group_bytes = 16 * key_bytes + n_scales * 32;
  const int n = job.head_dim - at < 32 ? static_cast<int>(job.head_dim - at) : 32;
  F acc[kQ][2];
  HEADROOM_UNROLL_COLUMNS
  for (int q = 0; q < kQ; ++q) {
    const F factor = set_f(job.factors[query + q]);
    const float* from = job.acc + static_cast<std::size_t>(query + q) * job.acc_stride + at;
    acc[q][0] = mul(load_f(from), factor);
    acc[q][1] = mul(load_f(from + 16), factor);
  }
  F shifted[kQ];  // what the shifts of the keys add to every element of the block
  HEADROOM_UNROLL_COLUMNS
  for (int q = 0; q < kQ; ++q) shifted[q] = zero_f();
  const std::byte* group = job.groups;
  for (std::uint32_t first = 0; first < job.n_keys; first += 16, group += group_bytes) {
    float scaled[kQ][16];
    const float* weights[kQ];
    HEADROOM_UNROLL_COLUMNS
    for (int q = 0; q < kQ; ++q) {
      weights[q] = job.weights + static_cast<std::size_t>(query + q) * job.weight_stride + first;
      if constexpr (Source::kScaled) {
        const F scale =
            mul(load_f16(group + 16 * key_bytes + Source::scale_block(at / 32) * 32), set_f(Source::kFactor));
        const F products = mul(load_f(weights[q]), scale);  // keys behind the last have no weight
        store_f(scaled[q], products);
        if constexpr (Source::kShifted) shifted[q] = fma(products, load_f(job.shifts), shifted[q]);
        weights[q] = scaled[q];
      }
    }
    const std::uint32_t n_keys = job.n_keys - first < 16 ? job.n_keys - first : 16;
    for (std::uint32_t key = 0; key < n_keys; ++key) {
      F a, b;
      if (n == 32) {
        Source::load(group + key * key_bytes, at, a, b);
      } else {
        Source::load_n(group + key * key_bytes, at, n, a, b);
      }
      HEADROOM_UNROLL_COLUMNS
      for (int q = 0; q < kQ; ++q) {
        acc[q][0] = fma(set_f(weights[q][key]), a, acc[q][0]);
        acc[q][1] = fma(set_f(weights[q][key]), b, acc[q][1]);
      }
    }
  }
  HEADROOM_UNROLL_COLUMNS
  for (int q = 0; q < kQ; ++q) {
    float* to = job.acc + static_cast<std::size_t>(query + q) * job.acc_stride + at;
    const F all = set_f(Source::kShifted ? sum_lanes(shifted[q]) : 0.0F);
    store_f(to, add(acc[q][0], all));
    store_f(to + 16, add(acc[q][1], all));
  }
}

template <class Source>
void values(const ValueJob& job) {
  for (std::uint32_t at = 0; at < job.head_dim; at += 32) {
    std::uint32_t query = 0;
    for (; query + 4 <= job.n_queries; query += 4) add_values<4, Source>(job, query, at);
    if (query + 2 <= job.n_queries) {
      add_values<2, Source>(job, query, at);
      query += 2;
    }
    if (query < job.n_queries) add_values<1, Source>(job, query, at);
  }
}
