// Attention of panels of 16 queries over a chunk of keys and values, all as words: a lane is a query, so that neither
// the softmax nor its weights ever cross lanes. Included by one unit per instruction set, inside its namespace.

// 2^x = series(rest) * 2^whole for x from -100 to 100. Adding 1.5 * 2^23 rounds to a whole number that stands in the
// low bits of `shifted`, with the exponent's bias when that is added too. The series is fitted to the least relative
// error within half a power of two, 3e-6, and exact at 0.
template <int kExponent>
inline F power_of_two(F x, F& shifted) {
  const F magic = set_f(12582912.0F + 127.0F + kExponent);
  shifted = add(x, magic);
  const F rest = sub(x, sub(shifted, magic));
  F series = fma(set_f(0.009582853F), rest, set_f(0.055906426F));
  series = fma(series, rest, set_f(0.24024099F));
  series = fma(series, rest, set_f(0.69312418F));
  return fma(series, rest, set_f(1.0F));
}
inline F exp2_lanes(F x) {
  F shifted;
  const F series = power_of_two<0>(max(x, set_f(-100.0F)), shifted);
  return mul(series, bits_to_f(shift_left<23>(f_bits(shifted))));
}
// Words of kWeightOne * 2^x, x at most 0: in the low half of each lane, with something else in the high half.
inline I weight_words(F x) {
  F shifted;
  const F series = power_of_two<14>(max(x, set_f(-40.0F)), shifted);
  return f_bits(fma(series, bits_to_f(shift_left<23>(f_bits(shifted))), set_f(12582912.0F)));
}

// n_pairs dwords of kP panels (n_pairs, 16) times kN columns of (n_pairs, b_bytes). Eight pairs at a time, because GCC
// copies all sums in each turn of a loop.
template <int kP, int kN>
inline void multiply_words(const std::byte* a, std::size_t panel_bytes, const std::byte* b, std::size_t b_bytes,
                           std::uint32_t n_pairs, I (&acc)[kP][kN]) {
  constexpr std::uint32_t kUnrolled = 8;
  HEADROOM_UNROLL_SLAB
  for (int p = 0; p < kP; ++p) {
    HEADROOM_UNROLL_SLAB
    for (int c = 0; c < kN; ++c) acc[p][c] = zero_i();
  }
  const auto add_pair = [&](const std::byte* from, const std::byte* to) __attribute__((always_inline)) {
    I w[kP];
    HEADROOM_UNROLL_SLAB
    for (int p = 0; p < kP; ++p) w[p] = load_i(from + p * panel_bytes);
    HEADROOM_UNROLL_SLAB
    for (int c = 0; c < kN; ++c) {
      const auto both = broadcast4(reinterpret_cast<const std::int8_t*>(to) + 4 * c);
      HEADROOM_UNROLL_SLAB
      for (int p = 0; p < kP; ++p) acc[p][c] = dot_words(acc[p][c], w[p], both);
    }
  };
  std::uint32_t pair = 0;
  for (; pair + kUnrolled <= n_pairs; pair += kUnrolled, a += 64 * kUnrolled, b += b_bytes * kUnrolled) {
    HEADROOM_UNROLL_SLAB
    for (std::uint32_t i = 0; i < kUnrolled; ++i) add_pair(a + 64 * i, b + b_bytes * i);
  }
  for (; pair < n_pairs; ++pair, a += 64, b += b_bytes) add_pair(a, b);
}

// Scores in units of the query's scale: (kP, kKeyChunk, 16). The largest of each query in `most`.
template <int kP>
inline void score_words(const TileJob& job, std::uint32_t panel, F (&most)[kP]) {
  constexpr int kN = kSlabBlockCols;
  const std::size_t panel_bytes = job.head_dim * 32UL;
  for (std::uint32_t key = 0; key < job.n_keys; key += kN) {
    I acc[kP][kN];
    multiply_words<kP, kN>(job.queries + panel * panel_bytes, panel_bytes,
                           job.keys + key / 16 * panel_bytes + key % 16 * 4, 64, job.head_dim / 2, acc);
    HEADROOM_UNROLL_SLAB
    for (int c = 0; c < kN; ++c) {
      const F scale = set_f(job.key_scales[key + c]);
      HEADROOM_UNROLL_SLAB
      for (int p = 0; p < kP; ++p) {
        const F score = mul(to_f(acc[p][c]), scale);
        store_f(job.scores + (p * kKeyChunk + key + c) * 16UL, score);
        most[p] = max(most[p], score);
      }
    }
  }
}

// Scores, which become powers of two, are bounded by the cap. Returns the largest of each query.
inline F cap_scores(const TileJob& job, F scale, float* scores) {
  const F cap = set_f(job.softcap), inverse = mul(scale, set_f(1.0F / job.softcap));
  F most = set_f(kNoScore);
  for (std::uint32_t key = 0; key < job.n_keys; ++key, scores += 16) {
    const F score = mul(cap, tanh_lanes(mul(load_f(scores), inverse)));
    store_f(scores, score);
    most = max(most, score);
  }
  return most;
}

// Hidden keys score as little as nothing else does. Returns the largest score of each query.
inline F hide_keys(const TileJob& job, std::uint32_t panel, float* scores) {
  const F first = load_f(job.first + panel * 16UL), last = load_f(job.last + panel * 16UL), hidden = set_f(kNoScore);
  F most = hidden;
  for (std::uint32_t key = 0; key < job.n_keys; ++key, scores += 16) {
    const F position = set_f(static_cast<float>(key));
    const F score = select_less(position, last, select_less(position, first, hidden, load_f(scores)), hidden);
    store_f(scores, score);
    most = max(most, score);
  }
  return most;
}

// Scores, in units of `scale`, become words of kWeightOne steps of the chunk's largest weight, two keys to a dword,
// where the scores stood: (n_keys / 2, 16).
inline void weigh_panel(const TileJob& job, std::uint32_t panel, F scale, F most, float* scores, F& factor, F& weight) {
  const std::size_t at = panel * 16UL;
  const F before = load_f(job.maxima + at), chunk = mul(most, scale), after = max(before, chunk);
  factor = exp2_lanes(sub(before, after));
  // A query that sees no key of this chunk gets ones, which must not count. It sees a key of another chunk: of an
  // earlier one, then `weight` is 0 here, or of a later one, whose `factor` is 0.
  weight = mul(exp2_lanes(sub(chunk, after)), set_f(1.0F / kWeightOne));
  const F offset = sub(zero_f(), chunk);
  const std::int8_t ones[4] = {1, 0, 1, 0};
  I sum = zero_i();
  auto* words = reinterpret_cast<std::byte*>(scores);
  const std::uint32_t n_keys = job.n_keys;
  for (std::uint32_t key = 0; key < n_keys; key += 2, words += 64) {
    const I even = weight_words(fma(load_f(scores + key * 16UL), scale, offset));
    const I odd = weight_words(fma(load_f(scores + key * 16UL + 16), scale, offset));
    const I pair = or_and(shift_left<16>(odd), even, set_i(0xFFFF));
    store_i(words, pair);
    sum = dot_words(sum, pair, broadcast4(ones));
  }
  store_f(job.maxima + at, after);
  store_f(job.sums + at, fma(to_f(sum), weight, mul(load_f(job.sums + at), factor)));
}

template <int kP>
inline void add_words(const TileJob& job, std::uint32_t panel, const F (&factors)[kP], const F (&weights)[kP]) {
  constexpr int kN = kSlabBlockCols;
  const std::uint32_t width = (job.head_dim + 31) / 32 * 32;
  for (std::uint32_t channel = 0; channel < job.head_dim; channel += kN) {
    I acc[kP][kN];
    multiply_words<kP, kN>(reinterpret_cast<const std::byte*>(job.scores), kKeyChunk * 64UL, job.values + channel * 4UL,
                           width * 4UL, job.n_keys / 2, acc);
    HEADROOM_UNROLL_SLAB
    for (int c = 0; c < kN; ++c) {
      const F scale = set_f(job.value_scales[channel + c]);
      HEADROOM_UNROLL_SLAB
      for (int p = 0; p < kP; ++p) {
        float* to = job.acc + ((panel + p) * static_cast<std::size_t>(width) + channel + c) * 16;
        store_f(to, fma(mul(to_f(acc[p][c]), weights[p]), scale, mul(load_f(to), factors[p])));
      }
    }
  }
}

template <int kP>
inline void attend_panels(const TileJob& job, std::uint32_t panel) {
  F most[kP], factors[kP], weights[kP];
  for (int p = 0; p < kP; ++p) most[p] = set_f(kNoScore);
  score_words<kP>(job, panel, most);
  for (int p = 0; p < kP; ++p) {
    float* scores = job.scores + p * kKeyChunk * 16UL;
    F scale = load_f(job.query_scales + (panel + p) * 16UL);
    if (job.softcap > 0.0F) {
      most[p] = cap_scores(job, scale, scores);
      scale = set_f(1.0F);
    }
    if (!job.all_seen) most[p] = hide_keys(job, panel + p, scores);
    weigh_panel(job, panel + p, scale, most[p], scores, factors[p], weights[p]);
  }
  add_words<kP>(job, panel, factors, weights);
}

void attend_tile(const TileJob& job) {
  std::uint32_t panel = 0;
  for (; panel + kSlabBlockPanels <= job.n_panels; panel += kSlabBlockPanels)
    attend_panels<kSlabBlockPanels>(job, panel);
  for (; panel < job.n_panels; ++panel) attend_panels<1>(job, panel);
}
