// Elementwise kernels. Included by one unit per instruction set, inside its namespace.

// x in [-87, 87]. Adding 1.5 * 2^23 rounds to a whole number that stands in the low bits; the series is off by 1e-7
// within half a power of two.
inline F exp_within(F x) {
  const F magic = set_f(12582912.0F);
  const F shifted = fma(x, set_f(1.44269504F), magic), whole = sub(shifted, magic);
  const F r = fma(whole, set_f(2.12194440e-4F), fma(whole, set_f(-0.693359375F), x));  // ln 2 in two parts
  F p = set_f(1.0F / 720);
  p = fma(p, r, set_f(1.0F / 120));
  p = fma(p, r, set_f(1.0F / 24));
  p = fma(p, r, set_f(1.0F / 6));
  p = fma(p, r, set_f(0.5F));
  p = fma(p, r, set_f(1.0F));
  p = fma(p, r, set_f(1.0F));
  return bits_to_f(add_i(f_bits(p), shift_left<23>(f_bits(shifted))));  // times 2^whole
}
// Neither the result nor one over it is subnormal, which would be slow.
inline F exp_lanes(F x) { return exp_within(min(max(x, set_f(-87.0F)), set_f(87.0F))); }

inline F sigmoid_lanes(F x) { return reciprocal(add(set_f(1.0F), exp_lanes(sub(zero_f(), x)))); }
inline F silu_lanes(F x) { return mul(x, sigmoid_lanes(x)); }

// 0.5 x (1 + tanh(u)) = x / (1 + exp(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3). Source: arXiv 1606.08415.
inline F gelu_lanes(F x) {
  const F u = mul(mul(set_f(0.79788456F), x), fma(mul(set_f(0.044715F), x), x, set_f(1.0F)));
  return mul(x, reciprocal(add(set_f(1.0F), exp_lanes(mul(set_f(-2.0F), u)))));
}

// Off by 3e-7 of one.
inline F tanh_lanes(F x) {
  return fma(set_f(-2.0F), reciprocal(add(set_f(1.0F), exp_lanes(mul(set_f(2.0F), x)))), set_f(1.0F));
}

void softcap(float* numbers, std::uint32_t n, float cap) {
  const F inverse = set_f(1.0F / cap);
  for (std::uint32_t i = 0; i < n; i += 16)
    store_f(numbers + i, mul(set_f(cap), tanh_lanes(mul(load_f(numbers + i), inverse))));
}

inline F silu_mul_lanes(F gate, F up) { return mul(silu_lanes(gate), up); }
inline F gelu_mul_lanes(F gate, F up) { return mul(gelu_lanes(gate), up); }
inline F clamped_mul_lanes(F gate, F up) {
  const F limit = set_f(kClampedLimit), below = min(gate, limit);
  const F within = max(min(up, limit), sub(zero_f(), limit));
  return mul(mul(below, sigmoid_lanes(mul(set_f(kClampedSlope), below))), add(within, set_f(1.0F)));
}

template <F (*kActivation)(F, F)>
void act_mul(const float* gates, const float* ups, const ProductPlace& to) {
  for (std::uint32_t col = 0; col < to.n_cols; ++col) {
    const F value = kActivation(load_f(gates + col * 16UL), load_f(ups + col * 16UL));
    if (to.n_rows == 16) {
      store_f(to.out + col * to.stride, value);
    } else {
      store_f_n(to.out + col * to.stride, value, static_cast<int>(to.n_rows));
    }
  }
}

template <F (*kActivation)(F)>
void gate(const float* values, const float* gates, std::uint32_t n, float* out) {
  std::uint32_t i = 0;
  for (; i + 16 <= n; i += 16) store_f(out + i, mul(load_f(values + i), kActivation(load_f(gates + i))));
  const int rest = static_cast<int>(n - i);
  if (rest > 0) store_f_n(out + i, mul(load_f_n(values + i, rest), kActivation(load_f_n(gates + i, rest))), rest);
}

void put_products(const float* products, const ProductPlace& to) {
  for (std::uint32_t col = 0; col < to.n_cols; ++col) {
    if (to.n_rows == 16) {
      store_f(to.out + col * to.stride, load_f(products + col * 16UL));
    } else {
      store_f_n(to.out + col * to.stride, load_f(products + col * 16UL), static_cast<int>(to.n_rows));
    }
  }
}

void add_products_to(const float* products, const float* bias, const ProductPlace& to) {
  const int n = static_cast<int>(to.n_rows);
  const F same = bias == nullptr ? zero_f() : load_f_n(bias, n);
  for (std::uint32_t col = 0; col < to.n_cols; ++col) {
    float* out = to.out + col * to.stride;
    const F more = add(load_f(products + col * 16UL), same);
    if (n == 16) {
      store_f(out, add(load_f(out), more));
    } else {
      store_f_n(out, add(load_f_n(out, n), more), n);
    }
  }
}

void norm(const float* in, const float* weight, std::uint32_t n, float epsilon, float* out) {
  F squares = zero_f();
  std::uint32_t i = 0;
  for (; i + 16 <= n; i += 16) squares = fma(load_f(in + i), load_f(in + i), squares);
  const int rest = static_cast<int>(n - i);
  if (rest != 0) squares = fma(load_f_n(in + i, rest), load_f_n(in + i, rest), squares);
  const F factor = set_f(1.0F / __builtin_sqrtf(sum_lanes(squares) / static_cast<float>(n) + epsilon));
  for (i = 0; i + 16 <= n; i += 16) store_f(out + i, mul(mul(load_f(in + i), factor), load_f(weight + i)));
  if (rest != 0) store_f_n(out + i, mul(mul(load_f_n(in + i, rest), factor), load_f_n(weight + i, rest)), rest);
}

void turn_neighbours(float* head, const float* cosines, const float* sines, std::uint32_t n) {
  const auto turn = [](F x, F cosine, F sine) { return fma(swap_lanes<1>(x), sine, mul(x, cosine)); };
  std::uint32_t i = 0;
  for (; i + 16 <= n; i += 16) store_f(head + i, turn(load_f(head + i), load_f(cosines + i), load_f(sines + i)));
  const int rest = static_cast<int>(n - i);
  if (rest != 0)
    store_f_n(head + i, turn(load_f_n(head + i, rest), load_f_n(cosines + i, rest), load_f_n(sines + i, rest)), rest);
}

void turn_halves(float* head, const float* cosines, const float* sines, std::uint32_t n) {
  const std::uint32_t half = n / 2;
  for (std::uint32_t i = 0; i < half; i += 16) {
    const int lanes = half - i < 16 ? static_cast<int>(half - i) : 16;
    const auto load = [lanes](const float* from) { return lanes == 16 ? load_f(from) : load_f_n(from, lanes); };
    const auto store = [lanes](float* to, F value) { lanes == 16 ? store_f(to, value) : store_f_n(to, value, lanes); };
    const F x = load(head + i), y = load(head + half + i);
    store(head + i, fma(y, load(sines + i), mul(x, load(cosines + i))));
    store(head + half + i, fma(x, load(sines + half + i), mul(y, load(cosines + half + i))));
  }
}

// What is not in [first, last) takes no part; when all is (kAll), nothing needs to be selected.
template <bool kAll>
inline void softmax_query(const SoftmaxJob& job, std::uint32_t query) {
  float* scores = job.scores + query * job.stride;
  const std::int32_t first = job.first[query], last = job.last[query];
  const auto select = [&](F x, F other, std::uint32_t at) {  // of the 16 keys from `at`
    if constexpr (kAll) return x;
    const auto lane = [at](std::int32_t key) {
      const std::int32_t relative = key - static_cast<std::int32_t>(at);
      return relative < 0 ? 0 : relative > 16 ? 16 : relative;
    };
    return select_range(x, other, lane(first), lane(last));
  };
  F most = set_f(job.maxima[query]);
  for (std::uint32_t at = 0; at < job.n_keys; at += 16) most = max(most, select(load_f(scores + at), most, at));
  const float maximum = max_lanes(most);
  const float factor = first < last ? sum_lanes(exp_lanes(set_f(job.maxima[query] - maximum))) / 16.0F : 1.0F;
  F sum = zero_f();
  for (std::uint32_t at = 0; at < job.n_keys; at += 16) {
    const F below = sub(load_f(scores + at), set_f(maximum));
    const F weight = select(kAll ? exp_within(max(below, set_f(-87.0F))) : exp_lanes(below), zero_f(), at);
    store_f(scores + at, weight);
    sum = add(sum, weight);
  }
  job.sums[query] = job.sums[query] * factor + sum_lanes(sum);
  job.maxima[query] = maximum;
  job.factors[query] = factor;
}

void softmax(const SoftmaxJob& job) {
  for (std::uint32_t query = 0; query < job.n_queries; ++query) {
    if (job.first[query] <= 0 && job.last[query] >= static_cast<std::int32_t>(job.n_keys)) {
      softmax_query<true>(job, query);
    } else {
      softmax_query<false>(job, query);
    }
  }
}
