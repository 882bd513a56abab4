// Rows of a KV cache as encode_row() writes them, but that ties between two codes go to the even one. Included by one unit per instruction set,
// inside its namespace.

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

// Times 2^-120 an E4M3 magnitude stands in the upper bits of its f32, subnormals included: what is below bit 20 is rounded away.
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
  // Codes are made with the scale as it will be read. It is read from where it is written whole: 2 bytes of 32 would wait for the write.
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
