// Attention for more queries than a packed kernel takes at once: a panel of keys and a chunk of values are unpacked, and read by all of them.
// Included by one unit per instruction set, inside its namespace.

// --- keys: panels for dot_float_tile (head_dim, 16) f32, or for dot_biased_tile with UnpackedKeys ---

// FP8 keys as they are kept, for few queries: two elements at a time, because their widening is shared. The scale of each key stands behind the
// elements.
template <int kN>
void dot_e4m3_tile(const std::byte* panel, std::uint32_t n_cols, const ActTile& tile, float* out, std::uint32_t out_stride) {
  constexpr int kPairs = kN >= 3 ? 1 : 2;  // enough sums that none waits for the latency of the one before
  F acc[2 * kPairs][kN];
  HEADROOM_UNROLL
  for (auto& sums : acc) {
    HEADROOM_UNROLL
    for (F& sum : sums) sum = zero_f();
  }
  const float* in = tile.f32;
  const std::byte* from = panel;
  std::uint32_t k = 0;
  for (; k + 2 * kPairs <= n_cols; k += 2 * kPairs, from += 32 * kPairs, in += 2 * kPairs * kN) {
    HEADROOM_UNROLL
    for (int pair = 0; pair < kPairs; ++pair) {
      F a, b;
      load_e4m3_pair(from + 32 * pair, a, b);
      HEADROOM_UNROLL
      for (int c = 0; c < kN; ++c) {
        acc[2 * pair][c] = fma(a, set_f(in[2 * pair * kN + c]), acc[2 * pair][c]);
        acc[2 * pair + 1][c] = fma(b, set_f(in[(2 * pair + 1) * kN + c]), acc[2 * pair + 1][c]);
      }
    }
  }
  for (; k < n_cols; ++k, from += 16, in += kN) {
    const F w = load_e4m3(from);
    for (int c = 0; c < kN; ++c) acc[0][c] = fma(w, set_f(in[c]), acc[0][c]);
  }
  const F scale = mul(load_f16(panel + n_cols * 16UL), set_f(kE4M3Factor));
  HEADROOM_UNROLL
  for (int c = 0; c < kN; ++c) {
    F sum = acc[0][c];
    for (int s = 1; s < 2 * kPairs; ++s) sum = add(sum, acc[s][c]);
    store_f(out + static_cast<std::size_t>(c) * out_stride, mul(sum, scale));
  }
}

template <class Source>
void unpack_float_keys(const std::byte* panel, std::uint32_t head_dim, std::byte* to) {
  auto* out = reinterpret_cast<float*>(to);
  for (std::uint32_t i = 0; i < head_dim; ++i) store_f(out + i * 16UL, Source::load(panel + i * Source::kBytes));
}

void unpack_e4m3_keys(const std::byte* panel, std::uint32_t head_dim, std::byte* to) {
  auto* out = reinterpret_cast<float*>(to);
  const F scale = mul(load_f16(panel + head_dim * 16UL), set_f(kE4M3Factor));
  for (std::uint32_t i = 0; i < head_dim; i += 2) {  // heads are even
    F a, b;
    load_e4m3_pair(panel + i * 16UL, a, b);
    store_f(out + i * 16UL, mul(a, scale));
    store_f(out + i * 16UL + 16, mul(b, scale));
  }
}

struct UnpackedKeys {
  static constexpr float kFactor = 1.0F;
  const std::byte* quants;
  const float* scales;
  UnpackedKeys(const std::byte* panel, std::uint32_t n_cols) : quants(panel), scales(reinterpret_cast<const float*>(panel + n_cols * 16UL)) {}
  void load(std::uint32_t block, I (&w)[8]) const { load_wide(quants + block * 512UL, w); }
  F scale(std::uint32_t block) const { return load_f(scales + block * 16UL); }
};

template <class Source>
void unpack_biased_keys(const std::byte* panel, std::uint32_t n_cols, std::byte* to) {
  const Source source(panel, n_cols);
  auto* scales = reinterpret_cast<float*>(to + n_cols * 16UL);
  for (std::uint32_t block = 0; block < n_cols / 32; ++block) {
    I w[8];
    source.load(block, w);
    HEADROOM_UNROLL
    for (int j = 0; j < 8; ++j) store_i(to + block * 512UL + 64 * j, w[j]);
    store_f(scales + block * 16UL, mul(source.scale(block), set_f(Source::kFactor)));
  }
}

// --- values: (n_keys, head_dim rounded up to 32) f32 ---

template <class Source>
void unpack_values(const std::byte* groups, std::uint32_t n_keys, std::uint32_t head_dim, float* to) {
  const std::size_t key_bytes = Source::key_bytes(head_dim), row = (head_dim + 31) / 32 * 32UL;
  const std::size_t n_scales = Source::kScaled ? Source::scale_block((head_dim - 1) / 32) + 1 : 0;
  const std::size_t group_bytes = 16 * key_bytes + n_scales * 32;
  for (std::uint32_t first = 0; first < n_keys; first += 16, groups += group_bytes) {
    const std::uint32_t n = n_keys - first < 16 ? n_keys - first : 16;
    for (std::uint32_t at = 0; at < head_dim; at += 32) {
      float scales[16];
      if constexpr (Source::kScaled) {
        store_f(scales, mul(load_f16(groups + 16 * key_bytes + Source::scale_block(at / 32) * 32), set_f(Source::kFactor)));
      }
      const int n_lanes = head_dim - at < 32 ? static_cast<int>(head_dim - at) : 32;
      for (std::uint32_t key = 0; key < n; ++key) {
        F a, b;
        if (n_lanes == 32) {
          Source::load(groups + key * key_bytes, at, a, b);
        } else {
          Source::load_n(groups + key * key_bytes, at, n_lanes, a, b);
        }
        float* out = to + (first + key) * row + at;
        store_f(out, Source::kScaled ? mul(a, set_f(scales[key])) : a);
        store_f(out + 16, Source::kScaled ? mul(b, set_f(scales[key])) : b);
      }
    }
  }
}

// kRegs registers of the head for kQ queries.
template <int kQ, int kRegs>
inline void add_rows_block(const ValueJob& job, std::uint32_t query, std::uint32_t at) {
  F acc[kQ][kRegs];
  const float* weights[kQ];
  HEADROOM_UNROLL
  for (int q = 0; q < kQ; ++q) {
    const F factor = set_f(job.factors[query + q]);
    weights[q] = job.weights + static_cast<std::size_t>(query + q) * job.weight_stride;
    HEADROOM_UNROLL
    for (int r = 0; r < kRegs; ++r) acc[q][r] = mul(load_f(job.acc + static_cast<std::size_t>(query + q) * job.acc_stride + at + 16 * r), factor);
  }
  const float* row = reinterpret_cast<const float*>(job.groups) + at;
  for (std::uint32_t key = 0; key < job.n_keys; ++key, row += job.acc_stride) {
    F values[kRegs];
    HEADROOM_UNROLL
    for (int r = 0; r < kRegs; ++r) values[r] = load_f(row + 16 * r);
    HEADROOM_UNROLL
    for (int q = 0; q < kQ; ++q) {
      const F weight = set_f(weights[q][key]);
      HEADROOM_UNROLL
      for (int r = 0; r < kRegs; ++r) acc[q][r] = fma(weight, values[r], acc[q][r]);
    }
  }
  HEADROOM_UNROLL
  for (int q = 0; q < kQ; ++q) {
    HEADROOM_UNROLL
    for (int r = 0; r < kRegs; ++r) store_f(job.acc + static_cast<std::size_t>(query + q) * job.acc_stride + at + 16 * r, acc[q][r]);
  }
}

template <int kQ>
inline void add_rows_of(const ValueJob& job, std::uint32_t query) {
  std::uint32_t at = 0;
  for (; at + 16 * kRowRegs <= job.acc_stride; at += 16 * kRowRegs) add_rows_block<kQ, kRowRegs>(job, query, at);
  for (; at < job.acc_stride; at += 32) add_rows_block<kQ, 2>(job, query, at);
}

// As ValueFn, over what unpack_values() wrote.
void add_rows(const ValueJob& job) {
  std::uint32_t query = 0;
  for (; query + kRowQueries <= job.n_queries; query += kRowQueries) add_rows_of<kRowQueries>(job, query);
  for (; query < job.n_queries; ++query) add_rows_of<1>(job, query);
}
