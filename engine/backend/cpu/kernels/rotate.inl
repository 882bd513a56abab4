// What a quantized cache does to a head before it keeps it: see format/rotation.h and encode_kv_row(). Included by one unit per instruction set,
// inside its namespace.

// Each pair of lanes kStride apart becomes its sum and its difference.
template <int kStride>
inline F butterfly(F x) {
  float signs[16];
  for (int i = 0; i < 16; ++i) signs[i] = (i & kStride) == 0 ? 1.0F : -1.0F;
  return fma(x, load_f(signs), swap_lanes<kStride>(x));
}

inline void hadamard(float* block, std::uint32_t n) {
  if (n >= 16) {
    for (std::uint32_t i = 0; i < n; i += 16) store_f(block + i, butterfly<8>(butterfly<4>(butterfly<2>(butterfly<1>(load_f(block + i))))));
  }
  for (std::uint32_t stride = n >= 16 ? 16 : 1; stride < n; stride *= 2) {
    for (std::uint32_t first = 0; first < n; first += 2 * stride) {
      for (std::uint32_t i = first; i < first + stride; i += 16) {
        const int n_lanes = stride < 16 ? static_cast<int>(stride) : 16;
        const F a = load_f_n(block + i, n_lanes), b = load_f_n(block + i + stride, n_lanes);
        store_f_n(block + i, add(a, b), n_lanes);
        store_f_n(block + i + stride, sub(a, b), n_lanes);
      }
    }
  }
}

inline void reflect_blocks(float* head, std::uint32_t head_dim, std::uint32_t block) {
  const std::uint32_t n_blocks = head_dim / block;
  for (std::uint32_t i = 0; n_blocks > 1 && i < block; ++i) {
    float sum = 0.0F;
    for (std::uint32_t at = i; at < head_dim; at += block) sum += head[at];
    sum *= 2.0F / static_cast<float>(n_blocks);
    for (std::uint32_t at = i; at < head_dim; at += block) head[at] -= sum;
  }
}

inline void scale_elems(float* head, std::uint32_t head_dim, const float* factors) {
  std::uint32_t i = 0;
  for (; i + 16 <= head_dim; i += 16) store_f(head + i, mul(load_f(head + i), load_f(factors + i)));
  for (; i < head_dim; ++i) head[i] *= factors[i];
}

void rotate(float* head, std::uint32_t head_dim, const float* factors) {
  const std::uint32_t block = head_dim & (~head_dim + 1U);
  scale_elems(head, head_dim, factors);
  for (std::uint32_t at = 0; at < head_dim; at += block) hadamard(head + at, block);
  reflect_blocks(head, head_dim, block);
}

void unrotate(float* head, std::uint32_t head_dim, const float* factors) {
  const std::uint32_t block = head_dim & (~head_dim + 1U);
  reflect_blocks(head, head_dim, block);
  for (std::uint32_t at = 0; at < head_dim; at += block) hadamard(head + at, block);
  scale_elems(head, head_dim, factors);
}

// Codes of one candidate scale, shifted, as floats, and what their own least squares scale explains of the squares.
struct Q4Fit {
  F low, high;
  float gain, scale;
};
inline Q4Fit fit_q4(F low, F high, float inverse, F shift) {
  const auto codes = [&](F x) { return add(to_f(to_i(min(max(sub(mul(x, set_f(inverse)), shift), set_f(-8.0F)), set_f(7.0F)))), shift); };
  Q4Fit fit{codes(low), codes(high), 0.0F, 0.0F};
  const float code_x = sum_lanes(fma(fit.low, low, mul(fit.high, high))), code2 = sum_lanes(fma(fit.low, fit.low, mul(fit.high, fit.high)));
  if (code2 > 0.0F) {
    fit.scale = code_x / code2;
    fit.gain = code_x * fit.scale;
  }
  return fit;
}

void quantize_q4(const float* row, std::uint32_t n_elems, const Q4Search& search, std::uint8_t* quants, float* scales) {
  const F shift = set_f(search.shift);
  for (std::uint32_t first = 0; first < n_elems; first += 32, quants += 16) {
    F low, high;
    load_block(row, n_elems, first, low, high);
    const float most = max_lanes(max(low, high)), least = -max_lanes(max(sub(zero_f(), low), sub(zero_f(), high)));
    const float extreme = most >= -least ? most : least;
    Q4Fit best{shift, shift, 0.0F, 0.0F};
    for (std::uint32_t i = 0; i < search.n_divisors && extreme != 0.0F; ++i) {
      const Q4Fit fit = fit_q4(low, high, -search.divisors[i] / extreme, shift);
      if (fit.gain > best.gain) best = fit;
    }
    const I eight = set_i(8), low_codes = to_i(sub(best.low, shift)), high_codes = to_i(sub(best.high, shift));
    const I both = add_i(add_i(low_codes, eight), shift_left<4>(add_i(high_codes, eight)));
    store_bytes(reinterpret_cast<std::int8_t*>(quants), signed_byte<0>(both));
    scales[first / 32] = best.scale;
  }
}
