// The rule of gated delta nets, which reads and corrects the state. A lane is a column of the state. Included by one
// unit per instruction set, inside its namespace.

// Over n elements.
inline float dot_rows(const float* a, const float* b, std::uint32_t n) {
  F sum = zero_f();
  std::uint32_t i = 0;
  for (; i + 16 <= n; i += 16) sum = fma(load_f(a + i), load_f(b + i), sum);
  const int rest = static_cast<int>(n - i);
  if (rest > 0) sum = fma(load_f_n(a + i, rest), load_f_n(b + i, rest), sum);
  return sum_lanes(sum);
}

void l2_norm(float* head, std::uint32_t n, float epsilon, float length) {
  const F factor = div(set_f(length), sqrt(set_f(dot_rows(head, head, n) + epsilon)));
  std::uint32_t i = 0;
  for (; i + 16 <= n; i += 16) store_f(head + i, mul(load_f(head + i), factor));
  const int rest = static_cast<int>(n - i);
  if (rest > 0) store_f_n(head + i, mul(load_f_n(head + i, rest), factor), rest);
}

// kN rows of a chunk. With G_t the sum of the logarithms of the decays up to row t, the rows see the state S from
// before the chunk as exp(G_t) S, and what row j corrected as exp(G_t - G_j) k_j r_j^T. So the corrections are
//   r_t = beta_t (v_t - exp(G_t) S^T k_t - sum over j < t of exp(G_t - G_j) (k_j . k_t) r_j),
// each after the ones before it, and all of the rest are products with S or sums of r. No exponent is above 0.
template <int kN>
struct DeltaChunk {
  const float *queries[kN], *keys[kN], *values[kN];
  float* read[kN];
  float betas[kN], from_start[16], to_end[16];  // exp(G_t), exp(G_last - G_t)
  float of_keys[kN][kN], of_queries[kN][kN];    // exp(G_t - G_j) times k_j . k_t, j < t, and times k_j . q_t, j <= t

  DeltaChunk(const DeltaJob& job, std::uint32_t first) {
    float sums[16] = {}, factors[16];
    float sum = 0.0F;
    for (int t = 0; t < kN; ++t) {
      const std::size_t row = first + static_cast<std::uint32_t>(t);
      sums[t] = sum += job.decays[row * job.rate_stride];
      betas[t] = job.betas[row * job.rate_stride];
      queries[t] = job.queries + row * job.stride;
      keys[t] = job.keys + row * job.stride;
      values[t] = job.values + row * job.stride;
      read[t] = job.read + row * job.read_stride;
    }
    store_f(from_start, exp_lanes(load_f(sums)));
    store_f(to_end, exp_lanes(sub(set_f(sum), load_f(sums))));
    for (int t = 0; t < kN; ++t) {
      store_f(factors, exp_lanes(sub(set_f(sums[t]), load_f(sums))));
      for (int j = 0; j <= t; ++j) {
        of_keys[t][j] = j < t ? factors[j] * dot_rows(keys[j], keys[t], job.key_dim) : 0.0F;
        of_queries[t][j] = factors[j] * dot_rows(keys[j], queries[t], job.key_dim);
      }
    }
  }

  // n columns of the state from `column` on: their panel, which stands at `state`.
  template <bool kIsWhole>
  void run(float* state, std::uint32_t key_dim, std::uint32_t column, int n, bool is_new) const {
    const auto load = [n](const float* from) { return kIsWhole ? load_f(from) : load_f_n(from, n); };
    const auto store = [n](float* to, F value) { kIsWhole ? store_f(to, value) : store_f_n(to, value, n); };
    const std::size_t width = kIsWhole ? 16 : static_cast<std::size_t>(n);
    F held[kN], seen[kN];  // S^T k_t and S^T q_t
    HEADROOM_UNROLL
    for (int t = 0; t < kN; ++t) held[t] = seen[t] = zero_f();
    for (std::uint32_t i = 0; i < key_dim && !is_new; ++i) {
      const F s = load(state + i * width);
      HEADROOM_UNROLL
      for (int t = 0; t < kN; ++t) {
        held[t] = fma(set_f(keys[t][i]), s, held[t]);
        seen[t] = fma(set_f(queries[t][i]), s, seen[t]);
      }
    }
    F more[kN];  // r_t
    HEADROOM_UNROLL
    for (int t = 0; t < kN; ++t) {
      F of_before = mul(set_f(from_start[t]), held[t]), out = mul(set_f(from_start[t]), seen[t]);
      for (int j = 0; j < t; ++j) {
        of_before = fma(set_f(of_keys[t][j]), more[j], of_before);
        out = fma(set_f(of_queries[t][j]), more[j], out);
      }
      more[t] = mul(set_f(betas[t]), sub(load(values[t] + column), of_before));
      store(read[t] + column, fma(set_f(of_queries[t][t]), more[t], out));
    }
    HEADROOM_UNROLL
    for (int t = 0; t < kN; ++t) more[t] = mul(set_f(to_end[t]), more[t]);
    const F decay = set_f(from_start[kN - 1]);
    for (std::uint32_t i = 0; i < key_dim; ++i) {
      F s = is_new ? zero_f() : mul(decay, load(state + i * width));
      HEADROOM_UNROLL
      for (int t = 0; t < kN; ++t) s = fma(set_f(keys[t][i]), more[t], s);
      store(state + i * width, s);
    }
  }
};

template <int kN>
inline void correct(const DeltaJob& job, std::uint32_t first) {
  const DeltaChunk<kN> chunk(job, first);
  const bool is_new = job.is_new && first == 0;
  std::uint32_t column = 0;
  for (; column + 16 <= job.value_dim; column += 16)
    chunk.template run<true>(job.state + static_cast<std::size_t>(column) * job.key_dim, job.key_dim, column, 16,
                             is_new);
  const int rest = static_cast<int>(job.value_dim - column);
  if (rest > 0)
    chunk.template run<false>(job.state + static_cast<std::size_t>(column) * job.key_dim, job.key_dim, column, rest,
                              is_new);
}

// Chunks of as many rows as their sums stand in registers: the state is read and written once for each.
void delta_rule(const DeltaJob& job) {
  std::uint32_t row = 0;
  const auto chunks_of = [&]<int kN>() {
    if constexpr (kN <= kDeltaRows) {
      for (; job.n_rows - row >= kN; row += kN) correct<kN>(job, row);
    }
  };
  chunks_of.template operator()<8>();
  chunks_of.template operator()<4>();
  chunks_of.template operator()<2>();
  chunks_of.template operator()<1>();
}
