// Turns heads, and turns back what has been attended to: see format/rotation.h. Included by one unit per instruction
// set, inside its namespace.

template <int kStride>
struct Signs {
  float lanes[16];
  constexpr Signs() : lanes() {
    for (int i = 0; i < 16; ++i) lanes[i] = (i & kStride) == 0 ? 1.0F : -1.0F;
  }
};
// Each pair of lanes kStride apart becomes its sum and its difference.
template <int kStride>
inline F butterfly(F x) {
  static constexpr Signs<kStride> kSigns;
  return fma(x, load_f(kSigns.lanes), swap_lanes<kStride>(x));
}
// The same of registers.
template <int kStride, int kN>
inline void butterflies(F (&x)[kN]) {
  if constexpr (kStride < kN) {
    HEADROOM_UNROLL
    for (int i = 0; i < kN; ++i) {
      if ((i & kStride) != 0) continue;
      const F a = x[i], b = x[i + kStride];
      x[i] = add(a, b);
      x[i + kStride] = sub(a, b);
    }
    butterflies<2 * kStride>(x);
  }
}

// The Hadamard transform of blocks of any size, in memory.
inline void hadamard(float* block, std::uint32_t n) {
  if (n >= 16) {
    for (std::uint32_t i = 0; i < n; i += 16)
      store_f(block + i, butterfly<8>(butterfly<4>(butterfly<2>(butterfly<1>(load_f(block + i))))));
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
  for (std::uint32_t i = 0; n_blocks > 1 && i < block; i += 16) {
    const int n = block - i < 16 ? static_cast<int>(block - i) : 16;
    F sum = zero_f();
    for (std::uint32_t at = i; at < head_dim; at += block) sum = add(sum, load_f_n(head + at, n));
    sum = mul(sum, set_f(2.0F / static_cast<float>(n_blocks)));
    for (std::uint32_t at = i; at < head_dim; at += block) store_f_n(head + at, sub(load_f_n(head + at, n), sum), n);
  }
}

inline void scale_elems(float* head, std::uint32_t head_dim, const float* factors) {
  std::uint32_t i = 0;
  for (; i + 16 <= head_dim; i += 16) store_f(head + i, mul(load_f(head + i), load_f(factors + i)));
  for (; i < head_dim; ++i) head[i] *= factors[i];
}

// Blocks of kN registers, in these: a third of the time that passes through memory take. Factors come first, or last
// where a rotation is undone.
template <int kN, bool kUndo>
inline void transform_registers(float* head, std::uint32_t head_dim, const float* factors) {
  for (std::uint32_t at = 0; at < head_dim; at += 16 * kN, head += 16 * kN, factors += 16 * kN) {
    F x[kN];
    HEADROOM_UNROLL
    for (int i = 0; i < kN; ++i) {
      x[i] = load_f(head + 16 * i);
      if constexpr (!kUndo) x[i] = mul(x[i], load_f(factors + 16 * i));
      x[i] = butterfly<8>(butterfly<4>(butterfly<2>(butterfly<1>(x[i]))));
    }
    butterflies<1>(x);
    HEADROOM_UNROLL
    for (int i = 0; i < kN; ++i) {
      if constexpr (kUndo) x[i] = mul(x[i], load_f(factors + 16 * i));
      store_f(head + 16 * i, x[i]);
    }
  }
}

template <bool kUndo>
inline void transform(float* head, std::uint32_t head_dim, std::uint32_t block, const float* factors) {
  switch (block) {
    case 16: return transform_registers<1, kUndo>(head, head_dim, factors);
    case 32: return transform_registers<2, kUndo>(head, head_dim, factors);
    case 64: return transform_registers<4, kUndo>(head, head_dim, factors);
    case 128: return transform_registers<8, kUndo>(head, head_dim, factors);
    default: break;
  }
  if constexpr (!kUndo) scale_elems(head, head_dim, factors);
  for (std::uint32_t at = 0; at < head_dim; at += block) hadamard(head + at, block);
  if constexpr (kUndo) scale_elems(head, head_dim, factors);
}

inline std::uint32_t rotated_block(std::uint32_t head_dim) { return head_dim & (~head_dim + 1U); }

void rotate(float* head, std::uint32_t head_dim, const float* factors) {
  transform<false>(head, head_dim, rotated_block(head_dim), factors);
  reflect_blocks(head, head_dim, rotated_block(head_dim));
}

void unrotate(float* head, std::uint32_t head_dim, const float* factors) {
  reflect_blocks(head, head_dim, rotated_block(head_dim));
  transform<true>(head, head_dim, rotated_block(head_dim), factors);
}

// Of 16 queries with a lane each, (head_dim, 16): the Hadamard transform of blocks, kRadix rows `stride` apart at a
// time.
template <int kRadix>
inline void transform_lanes(float* lanes, std::uint32_t head_dim, std::uint32_t stride) {
  for (std::uint32_t first = 0; first < head_dim; first += kRadix * stride) {
    for (std::uint32_t i = first; i < first + stride; ++i) {
      F x[kRadix];
      HEADROOM_UNROLL
      for (std::uint32_t j = 0; j < kRadix; ++j) x[j] = load_f(lanes + (i + j * stride) * 16UL);
      butterflies<1>(x);
      HEADROOM_UNROLL
      for (std::uint32_t j = 0; j < kRadix; ++j) store_f(lanes + (i + j * stride) * 16UL, x[j]);
    }
  }
}

// As unrotate(), but for the factors.
inline void unrotate_lanes(float* lanes, std::uint32_t head_dim) {
  const std::uint32_t block = rotated_block(head_dim), n_blocks = head_dim / block;
  for (std::uint32_t i = 0; n_blocks > 1 && i < block; ++i) {
    F sum = zero_f();
    for (std::uint32_t at = i; at < head_dim; at += block) sum = add(sum, load_f(lanes + at * 16UL));
    sum = mul(sum, set_f(2.0F / static_cast<float>(n_blocks)));
    for (std::uint32_t at = i; at < head_dim; at += block)
      store_f(lanes + at * 16UL, sub(load_f(lanes + at * 16UL), sum));
  }
  for (std::uint32_t stride = 1; stride < block;) {
    if (block / stride >= 8) {
      transform_lanes<8>(lanes, head_dim, stride);
      stride *= 8;
    } else if (block / stride >= 4) {
      transform_lanes<4>(lanes, head_dim, stride);
      stride *= 4;
    } else {
      transform_lanes<2>(lanes, head_dim, stride);
      stride *= 2;
    }
  }
}

void take_results(const ResultJob& job) {
  const F inverse = div(set_f(1.0F), load_f(job.sums));
  if (job.rotation != nullptr) unrotate_lanes(job.acc, job.head_dim);
  const auto at = [&](std::uint32_t i) { return job.acc + i * 16UL; };
  for (std::uint32_t i = 0; i < job.head_dim; ++i) {
    const F factor = job.rotation == nullptr ? inverse : mul(inverse, set_f(job.rotation[i]));
    store_f(at(i), mul(load_f(at(i)), factor));
  }
  std::uint32_t query = 0;
  for (; query + 4 <= job.n_queries; query += 4) {
    float* const* to = job.outputs + query;
    std::uint32_t i = 0;
    for (; i + 4 <= job.head_dim; i += 4) {
      turn_fours({at(i) + query, at(i + 1) + query, at(i + 2) + query, at(i + 3) + query},
                 {to[0] + i, to[1] + i, to[2] + i, to[3] + i});
    }
    for (; i < job.head_dim; ++i) {
      for (std::uint32_t lane = 0; lane < 4; ++lane) to[lane][i] = at(i)[query + lane];
    }
  }
  for (; query < job.n_queries; ++query) {
    for (std::uint32_t i = 0; i < job.head_dim; ++i) job.outputs[query][i] = at(i)[query];
  }
}
