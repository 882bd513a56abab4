// Convolutions over the rows of a slot. A lane is a channel. Included by one unit per instruction set, inside its
// namespace.

// n channels from `at` on.
template <int kWidth, bool kIsGated, bool kIsWhole>
inline void convolve_lanes(const ConvJob& job, std::uint32_t at, int n) {
  const auto load = [n](const float* from) { return kIsWhole ? load_f(from) : load_f_n(from, n); };
  const auto store = [n](float* to, F value) { kIsWhole ? store_f(to, value) : store_f_n(to, value, n); };
  F taps[kWidth], seen[kWidth];
  HEADROOM_UNROLL
  for (int i = 0; i < kWidth; ++i) taps[i] = load(job.taps + static_cast<std::size_t>(i) * job.stride + at);
  HEADROOM_UNROLL
  for (int i = 0; i + 1 < kWidth; ++i)
    seen[i] = job.is_new ? zero_f() : load(job.state + static_cast<std::size_t>(i) * job.stride + at);
  for (std::uint32_t row = 0; row < job.n_rows; ++row) {
    const std::size_t elem = row * job.stride + at;
    seen[kWidth - 1] = load(job.rows + elem);
    if constexpr (kIsGated) seen[kWidth - 1] = mul(seen[kWidth - 1], load(job.factors + elem));
    F sum = mul(taps[0], seen[0]);
    HEADROOM_UNROLL
    for (int i = 1; i < kWidth; ++i) sum = fma(taps[i], seen[i], sum);
    if constexpr (kIsGated) {
      store(job.rows + elem, mul(load(job.gates + elem), sum));
    } else {
      store(job.rows + elem, silu_lanes(sum));
    }
    HEADROOM_UNROLL
    for (int i = 0; i + 1 < kWidth; ++i) seen[i] = seen[i + 1];
  }
  HEADROOM_UNROLL
  for (int i = 0; i + 1 < kWidth; ++i) store(job.state + static_cast<std::size_t>(i) * job.stride + at, seen[i]);
}

template <int kWidth, bool kIsGated>
inline void convolve_channels(const ConvJob& job) {
  std::uint32_t at = 0;
  for (; at + 16 <= job.n_channels; at += 16) convolve_lanes<kWidth, kIsGated, true>(job, at, 16);
  if (at < job.n_channels) convolve_lanes<kWidth, kIsGated, false>(job, at, static_cast<int>(job.n_channels - at));
}

template <int kWidth>
inline void convolve_all(const ConvJob& job) {
  job.gates == nullptr ? convolve_channels<kWidth, false>(job) : convolve_channels<kWidth, true>(job);
}

void convolve(const ConvJob& job) {
  switch (job.width) {
    case 2: return convolve_all<2>(job);
    case 3: return convolve_all<3>(job);
    case 4: return convolve_all<4>(job);
    case 5: return convolve_all<5>(job);
    case 6: return convolve_all<6>(job);
    case 7: return convolve_all<7>(job);
    case 8: return convolve_all<8>(job);
    default: break;
  }
}
