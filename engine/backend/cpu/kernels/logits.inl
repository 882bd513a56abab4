// Kernels over a row of logits. Included by one unit per instruction set, inside its namespace.

// As finite_logit(): NaN is less than nothing, so a comparison that is false takes the least number.
inline F finite_lanes(F x) {
  const F least = set_f(-kLargestLogit);
  return min(select_less(least, x, x, least), set_f(kLargestLogit));
}

void block_maxima(const float* logits, std::uint32_t n, float* maxima) {
  for (std::uint32_t first = 0; first < n; first += kLogitBlock) {
    const std::uint32_t last = n - first < kLogitBlock ? n : first + kLogitBlock;
    F most = set_f(-kLargestLogit);
    std::uint32_t i = first;
    for (; i + 16 <= last; i += 16) {
      const F x = load_f(logits + i);
      most = select_less(most, x, x, most);
    }
    if (i < last) {
      const int rest = static_cast<int>(last - i);
      const F x = load_f_n(logits + i, rest);
      most = select_range(select_less(most, x, x, most), most, 0, rest);
    }
    const float largest = max_lanes(most);
    maxima[first / kLogitBlock] = largest < kLargestLogit ? largest : kLargestLogit;
  }
}

inline F exp_below(F x, F most) { return exp_within(max(sub(finite_lanes(x), most), set_f(-87.0F))); }

float sum_exps(const float* logits, std::uint32_t n, float most) {
  const F top = set_f(most);
  F a = zero_f(), b = zero_f();  // side by side: each waits for its own additions alone
  std::uint32_t i = 0;
  for (; i + 32 <= n; i += 32) {
    a = add(a, exp_below(load_f(logits + i), top));
    b = add(b, exp_below(load_f(logits + i + 16), top));
  }
  for (; i < n; i += 16) {
    const int lanes = n - i < 16 ? static_cast<int>(n - i) : 16;
    a = add(a, select_range(exp_below(load_f_n(logits + i, lanes), top), zero_f(), 0, lanes));
  }
  return sum_lanes(add(a, b));
}
