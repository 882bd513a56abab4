// Rows of a KV cache as encode_kv_row() writes them, but that ties between two codes go to the even one. Included by
// one unit per instruction set, inside its namespace.

inline void store_scale(std::byte* to, float scale) {
  std::byte lanes[32];
  store_f16(lanes, set_f(scale < 65504.0F ? scale : 65504.0F));
  __builtin_memcpy(to, lanes, 2);
}

// The 32 elements from `first`, zeros behind the end.
inline void load_block(const float* row, std::uint32_t n_elems, std::uint32_t first, F& low, F& high) {
  const int n = n_elems - first < 32 ? static_cast<int>(n_elems - first) : 32;
  low = n >= 16 ? load_f(row + first) : load_f_n(row + first, n);
  high = n == 32 ? load_f(row + first + 16) : n > 16 ? load_f_n(row + first + 16, n - 16) : zero_f();
}

void encode_f16(const float* row, std::uint32_t n_elems, std::byte* out) {
  std::uint32_t i = 0;
  for (; i + 16 <= n_elems; i += 16) store_f16(out + 2UL * i, load_f(row + i));
  if (i == n_elems) return;
  std::byte lanes[32];
  store_f16(lanes, load_f_n(row + i, static_cast<int>(n_elems - i)));
  __builtin_memcpy(out + 2UL * i, lanes, 2UL * (n_elems - i));
}

void encode_q8_0(const float* row, std::uint32_t n_elems, std::byte* out) {
  for (std::uint32_t first = 0; first < n_elems; first += 32, out += 34) {
    F low, high;
    load_block(row, n_elems, first, low, high);
    const float scale = max_lanes(max(abs(low), abs(high))) / 127.0F;
    const F inverse = set_f(scale > 0.0F ? 1.0F / scale : 0.0F), most = set_f(127.0F), least = set_f(-127.0F);
    store_scale(out, scale);
    auto* quants = reinterpret_cast<std::int8_t*>(out + 2);
    store_bytes(quants, to_i(min(max(mul(low, inverse), least), most)));
    store_bytes(quants + 16, to_i(min(max(mul(high, inverse), least), most)));
  }
}

// Times 2^-120 an E4M3 magnitude stands in the upper bits of its f32, subnormals included: what is below bit 20 is
// rounded away.
inline I e4m3_codes(F x) {
  const I bits = f_bits(mul(min(abs(x), set_f(448.0F)), set_f(0x1p-120F)));
  const I codes = shift_right<20>(add_i(bits, add_i(set_i(0x7FFFF), and_i(shift_right<20>(bits), set_i(1)))));
  return signed_byte<0>(add_i(codes, and_i(shift_right<24>(f_bits(x)), set_i(0x80))));
}

void encode_e4m3(const float* row, std::uint32_t n_elems, std::byte* out) {
  F most = zero_f();
  for (std::uint32_t first = 0; first < n_elems; first += 32) {
    F low, high;
    load_block(row, n_elems, first, low, high);
    most = max(most, max(abs(low), abs(high)));
  }
  // Codes are made with the scale as it will be read. It is read from where it is written whole: 2 bytes of 32 would
  // wait for the write.
  std::byte scale[32];
  store_f16(scale, min(set_f(max_lanes(most) / 448.0F), set_f(65504.0F)));
  const F as_read = load_f16(scale), inverse = select_less(zero_f(), as_read, div(set_f(1.0F), as_read), zero_f());
  for (std::uint32_t first = 0; first < n_elems; first += 32) {
    F low, high;
    load_block(row, n_elems, first, low, high);
    std::int8_t last[32];
    std::int8_t* codes = n_elems - first >= 32 ? reinterpret_cast<std::int8_t*>(out + first) : last;
    store_bytes(codes, e4m3_codes(mul(low, inverse)));
    store_bytes(codes + 16, e4m3_codes(mul(high, inverse)));
    if (codes == last) __builtin_memcpy(out + first, last, n_elems - first);
  }
  __builtin_memcpy(out + n_elems, scale, 2);
}

// --- Q4_0 with searched scales, 16 blocks at once ---

using Four = float __attribute__((vector_size(16)));

// to[i][j] = from[j][i] for 4 x 4 elements: 16 bytes are in a register in every set, and fewer instructions than whole
// registers would take.
inline void turn_fours(const float* const (&from)[4], float* const (&to)[4]) {
  Four x[4];
  for (int i = 0; i < 4; ++i) __builtin_memcpy(&x[i], from[i], sizeof x[i]);
  const Four ab_low = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5),
             ab_high = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7);
  const Four cd_low = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5),
             cd_high = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
  const Four turned[4] = {
      __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5), __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
      __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5), __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
  for (int i = 0; i < 4; ++i) __builtin_memcpy(to[i], &turned[i], sizeof x[i]);
}

// Sixteen blocks of 32 elements, a lane each: (32, 16).
inline void load_q4_blocks(const Q4Blocks& blocks, float* lanes) {
  static constexpr float kZeros[32] = {};
  for (std::uint32_t lane = 0; lane < 16; lane += 4) {
    const float* from[4];
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t n = lane + i < blocks.n_blocks ? blocks.n_elems[lane + i] : 0;
      from[i] = n == 32 ? blocks.elems[lane + i] : kZeros;
    }
    for (std::uint32_t i = 0; i < 32; i += 4) {
      float* to = lanes + i * 16 + lane;
      turn_fours({from[0] + i, from[1] + i, from[2] + i, from[3] + i}, {to, to + 16, to + 32, to + 48});
    }
  }
  for (std::uint32_t lane = 0; lane < blocks.n_blocks; ++lane) {  // blocks that end a row
    for (std::uint32_t i = 0; blocks.n_elems[lane] < 32 && i < blocks.n_elems[lane]; ++i)
      lanes[i * 16 + lane] = blocks.elems[lane][i];
  }
}

inline F q4_codes(F x, F inverse, F shift) { return min(max(sub(mul(x, inverse), shift), set_f(-8.0F)), set_f(7.0F)); }

// Of every scale tried the codes' own least squares scale explains some of the squares; that of the most is kept.
// Nothing crosses lanes.
void quantize_q4(const Q4Blocks& blocks, std::uint32_t* quants, float* scales) {
  float lanes[32 * 16];
  load_q4_blocks(blocks, lanes);
  F most = zero_f(), least = zero_f();
  for (int i = 0; i < 32; ++i) {
    most = max(most, load_f(lanes + 16 * i));
    least = min(least, load_f(lanes + 16 * i));
  }
  const F zero = zero_f(), shift = load_f(blocks.shifts), extreme = select_less(most, sub(zero, least), least, most);
  const F over_extreme =
      select_less(set_f(0x1p-120F), abs(extreme), div(set_f(-1.0F), extreme), zero);  // less is nothing in f16
  F best_gain = zero, best_scale = zero, best_inverse = zero;
  for (std::uint32_t candidate = 0; candidate < blocks.n_divisors; ++candidate) {
    const F inverse = mul(set_f(blocks.divisors[candidate]), over_extreme);
    F code_x = zero, code2 = zero;
    HEADROOM_UNROLL
    for (int i = 0; i < 32; ++i) {
      const F x = load_f(lanes + 16 * i), code = add(to_f(to_i(q4_codes(x, inverse, shift))), shift);
      code_x = fma(code, x, code_x);
      code2 = fma(code, code, code2);
    }
    const F scale = select_less(zero, code2, div(code_x, code2), zero), gain = mul(code_x, scale);
    best_scale = select_less(best_gain, gain, scale, best_scale);
    best_inverse = select_less(best_gain, gain, inverse, best_inverse);
    best_gain = max(best_gain, gain);
  }
  store_f(scales, best_scale);
  const I eight = set_i(8);
  const auto nibble = [&](int i) { return add_i(to_i(q4_codes(load_f(lanes + 16 * i), best_inverse, shift)), eight); };
  for (int dword = 0; dword < 4; ++dword) {
    I bytes = zero_i();
    for (int i = 4 * dword + 3; i >= 4 * dword; --i)
      bytes = add_i(shift_left<8>(bytes), add_i(nibble(i), shift_left<4>(nibble(i + 16))));
    store_i(reinterpret_cast<std::byte*>(quants + dword * 16), bytes);
  }
}
