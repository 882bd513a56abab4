// Panels of float weights, and of F32, F16 and FP8 keys, times f32 activations. Included by one unit per instruction
// set, inside its namespace.

struct FromF32 {
  static constexpr std::size_t kBytes = 64;
  static F load(const std::byte* from) { return load_f(reinterpret_cast<const float*>(from)); }
};
struct FromF16 {
  static constexpr std::size_t kBytes = 32;
  static F load(const std::byte* from) { return load_f16(from); }
};
struct FromBF16 {
  static constexpr std::size_t kBytes = 32;
  static F load(const std::byte* from) { return load_bf16(from); }
};

// With few columns several sums per column are kept, because one would wait for the latency of each multiply-add.
template <int kN, class Source>
void dot_float_tile(const std::byte* panel, std::uint32_t n_cols, const ActTile& tile, float* out,
                    std::uint32_t out_stride) {
  constexpr int kSums = kN >= 8 ? 1 : kN >= 3 ? 2 : 8 / kN;
  F acc[kSums][kN];
  HEADROOM_UNROLL_COLUMNS
  for (int s = 0; s < kSums; ++s) {
    HEADROOM_UNROLL_COLUMNS
    for (int c = 0; c < kN; ++c) acc[s][c] = zero_f();
  }
  const float* in = tile.f32;
  std::uint32_t k = 0;
  for (; k + kSums <= n_cols; k += kSums, panel += kSums * Source::kBytes, in += kSums * kN) {
    if constexpr (kN <= static_cast<int>(kDirectCols)) read_ahead<kSums * Source::kBytes>(tile, panel);
    HEADROOM_UNROLL_COLUMNS
    for (int s = 0; s < kSums; ++s) {
      const F w = Source::load(panel + s * Source::kBytes);
      HEADROOM_UNROLL_COLUMNS
      for (int c = 0; c < kN; ++c) acc[s][c] = fma(w, set_f(in[s * kN + c]), acc[s][c]);
    }
  }
  for (; k < n_cols; ++k, panel += Source::kBytes, in += kN) {
    const F w = Source::load(panel);
    for (int c = 0; c < kN; ++c) acc[0][c] = fma(w, set_f(in[c]), acc[0][c]);
  }
  HEADROOM_UNROLL_COLUMNS
  for (int c = 0; c < kN; ++c) {
    F sum = acc[0][c];
    for (int s = 1; s < kSums; ++s) sum = add(sum, acc[s][c]);
    store_f(out + static_cast<std::size_t>(c) * out_stride, sum);
  }
}

// FP8 keys as they are kept, for few queries: two elements at a time, because their widening is shared. The scale of
// each key stands behind the elements.
template <int kN>
void dot_e4m3_tile(const std::byte* panel, std::uint32_t n_cols, const ActTile& tile, float* out,
                   std::uint32_t out_stride) {
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
