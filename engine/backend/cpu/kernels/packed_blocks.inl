// Packed panels whose blocks have 32 columns: the eight registers of bytes of a block, and what belongs to its scales.
// Included by one unit per instruction set, inside its namespace.
//
// load() of a format with a scale alone gives bytes with an offset of 128: an element is kFactor * scale * (byte -
// 128). load_codes() gives codes, of which kZero stands for 0 and kMost is the largest magnitude that one can stand
// for. Of Q4_0, whose code 11 is three scales: load() gives 176, kFactor is 1 / 16, load_codes() gives 11 and kZero
// is 8. Where a block has a min, load() gives codes.

// With few columns memory is the limit. Where tile.reads_ahead says that one core alone does not ask for enough of it
// at a time, bytes are asked for 32 KiB ahead into the second level of cache, which holds more requests than the first,
// and brought to the first level 4 KiB ahead. Why so far: docs/performance.md, "What was tried and did not help, or had
// to be so".
inline constexpr std::size_t kFarBytes = 32768, kNearBytes = 4096;
// Far prefetches take the lines of 16 KiB from its four pages in turns: where the weights go on with lines 0, 1, 2, 3,
// 4 of a page, lines 0 of its four pages are asked for and then line 1 of the first. Each line of the 16 KiB is asked
// for once, 20 to 44 KiB ahead. Such processors follow each page by themselves too, each not far enough: four at a time
// keep more requests under way than one (docs/performance.md, "Pages in turns").
[[gnu::always_inline]] inline const std::byte* line_in_turn(const std::byte* at) {
  constexpr std::uintptr_t kLine = 64, kPage = 4096, kPages = 4;
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const std::uintptr_t line = address / kLine % (kPages * kPage / kLine);
  return at - address % (kPages * kPage) + line % kPages * kPage + line / kPages * kLine;
}
// Always inline: GCC takes a function that only prefetches for one without effect, and drops the call.
template <std::size_t kBytes>
[[gnu::always_inline]] inline void read_ahead(const ActTile& tile, const std::byte* at) {
  if (!tile.reads_ahead) return;
  HEADROOM_UNROLL
  for (std::size_t i = 0; i < kBytes; i += 64) {
    __builtin_prefetch(line_in_turn(at + kFarBytes + i), 0, 2);
    __builtin_prefetch(at + kNearBytes + i, 0, 3);
  }
}
// Part kPart of eight of kBytes. Prefetches touch no memory that the compiler knows of, and GCC moves those of all
// eight parts together: 72 at once wait for each other, and loads behind them. So none is moved. Also where nothing is
// asked: loads of a part stay behind those of the part before.
template <std::size_t kPart, std::size_t kBytes>
[[gnu::always_inline]] inline void read_part_ahead(const ActTile& tile, const std::byte* at) {
  asm volatile("" ::: "memory");
  constexpr std::size_t kFirst = kPart * kBytes / 8 / 64 * 64;
  constexpr std::size_t kLast = kPart == 7 ? kBytes : (kPart + 1) * kBytes / 8 / 64 * 64;
  read_ahead<kLast - kFirst>(tile, at + kFirst);
}

// Loads that stay in the order of the source: GCC mixes those of a part, and a processor reads ahead by itself only as
// long as addresses rise line by line.
[[gnu::always_inline]] inline I load_next(const std::byte* from) {
  I loaded = load_i(from);
  hide(loaded);  // what is hidden keeps its order
  return loaded;
}

inline void load_wide(const std::byte* from, I (&w)[8]) {
  HEADROOM_UNROLL
  for (int j = 0; j < 8; ++j) w[j] = load_i(from + 64 * j);
}

// Four registers of nibbles, halves of 16: codes 0..15.
inline void split_nibbles(const std::byte* from, I (&w)[8]) {
  HEADROOM_UNROLL
  for (int j = 0; j < 4; ++j) {
    const I both = load_i(from + 64 * j);
    w[j] = and_i(both, set_i(0x0F0F0F0F));
    w[j + 4] = and_i(shift_right<4>(both), set_i(0x0F0F0F0F));
  }
}

// A panel whose blocks stand kBlockBytes apart.
template <std::size_t kBlockBytes>
struct PackedPanel {
  static constexpr std::size_t kBytes = kBlockBytes;
  explicit PackedPanel(const std::byte* panel) : blocks(panel) {}
  const std::byte* at(std::uint32_t block) const { return blocks + block * kBytes; }

 private:
  const std::byte* blocks;
};

// --- a scale ---

struct PackedQ8_0 : PackedPanel<544> {
  static constexpr float kFactor = 1.0F;
  using PackedPanel::PackedPanel;
  void load(std::uint32_t block, I (&w)[8]) const { load_wide(at(block) + 32, w); }
  F scale(std::uint32_t block) const { return load_f16(at(block)); }
};

// Nibbles stay in the upper half of their byte: 16 * nibble - 128 is 16 times the value, and the sum is divided once at
// the end.
struct PackedQ4_0 : PackedPanel<288> {
  static constexpr float kFactor = 1.0F / 16;
  static constexpr int kZero = 8, kMostCode = 15;
  static constexpr float kMost = 8.0F;
  using PackedPanel::PackedPanel;
  void load(std::uint32_t block, I (&w)[8]) const {
    const I mask = set_i(static_cast<std::int32_t>(0xF0F0F0F0U));
    HEADROOM_UNROLL
    for (int j = 0; j < 4; ++j) {
      const I both = load_i(at(block) + 32 + 64 * j);
      w[j] = and_i(shift_left<4>(both), mask);
      w[j + 4] = and_i(both, mask);
    }
  }
  void load_codes(std::uint32_t block, I (&w)[8]) const { split_nibbles(at(block) + 32, w); }  // as they are
  F scale(std::uint32_t block) const { return load_f16(at(block)); }
};

// The fifth bits of the elements in a register of a block, each in bit kTo of its element's byte: see spread_bit().
template <int kRegister, int kTo>
inline I fifth_bits_of(I bits) {
  constexpr int kFrom = spread_bit(kRegister);
  const I moved = kFrom <= kTo ? shift_left<(kFrom <= kTo ? kTo - kFrom : 0)>(bits)
                               : shift_right<(kFrom > kTo ? kFrom - kTo : 0)>(bits);
  return and_i(moved, set_i(static_cast<std::int32_t>(0x01010101U << kTo)));
}
template <int kTo>
inline void add_fifth_bits(I bits, I (&w)[8]) {
  const I all = set_i(-1);
  w[0] = or_and(w[0], fifth_bits_of<0, kTo>(bits), all);
  w[1] = or_and(w[1], fifth_bits_of<1, kTo>(bits), all);
  w[2] = or_and(w[2], fifth_bits_of<2, kTo>(bits), all);
  w[3] = or_and(w[3], fifth_bits_of<3, kTo>(bits), all);
  w[4] = or_and(w[4], fifth_bits_of<4, kTo>(bits), all);
  w[5] = or_and(w[5], fifth_bits_of<5, kTo>(bits), all);
  w[6] = or_and(w[6], fifth_bits_of<6, kTo>(bits), all);
  w[7] = or_and(w[7], fifth_bits_of<7, kTo>(bits), all);
}

struct PackedQ5_0 : PackedPanel<352> {  // five bits in the upper part of their byte: eight times the value
  static constexpr float kFactor = 1.0F / 8;
  static constexpr int kZero = 16, kMostCode = 31;
  static constexpr float kMost = 16.0F;
  using PackedPanel::PackedPanel;
  void load(std::uint32_t block, I (&w)[8]) const {
    const std::byte* from = at(block) + 32;
    const I mask = set_i(0x78787878);
    HEADROOM_UNROLL
    for (int j = 0; j < 4; ++j) {
      const I both = load_i(from + 64 + 64 * j);
      w[j] = and_i(shift_left<3>(both), mask);
      w[j + 4] = and_i(shift_right<1>(both), mask);
    }
    add_fifth_bits<7>(load_i(from), w);
  }
  void load_codes(std::uint32_t block, I (&w)[8]) const {
    const std::byte* from = at(block) + 32;
    split_nibbles(from + 64, w);
    add_fifth_bits<4>(load_i(from), w);
  }
  F scale(std::uint32_t block) const { return load_f16(at(block)); }
};

// What nibbles stand for, as bytes with an offset of 128.
struct OffsetValues {
  alignas(16) std::uint8_t bytes[16] = {};
  constexpr explicit OffsetValues(const std::int8_t (&values)[16]) {
    for (int i = 0; i < 16; ++i) bytes[i] = static_cast<std::uint8_t>(values[i] + 128);
  }
};
inline constexpr OffsetValues kIq4Bytes(kIq4Values), kFp4Bytes(kFp4Values);
inline void look_up_all(const OffsetValues& values, I (&w)[8]) {
  const I table = table_of(values.bytes);
  HEADROOM_UNROLL
  for (int j = 0; j < 8; ++j) w[j] = look_up(table, w[j]);
}

// Nibbles that stand for the values of a table, as one panel has them.
template <std::size_t kScaleBytes>
struct TableCodes : PackedPanel<kScaleBytes + 256> {
  static constexpr float kFactor = 1.0F;
  static constexpr int kZero = 128;  // the codes of slabs are the bytes of load()
  using PackedPanel<kScaleBytes + 256>::PackedPanel;
  void load(const OffsetValues& values, std::uint32_t block, I (&w)[8]) const {
    split_nibbles(this->at(block) + kScaleBytes, w);
    look_up_all(values, w);
  }
};

struct PackedIQ4_NL : TableCodes<32> {
  static constexpr float kMost = 127.0F;
  using TableCodes::TableCodes;
  void load(std::uint32_t block, I (&w)[8]) const { TableCodes::load(kIq4Bytes, block, w); }
  void load_codes(std::uint32_t block, I (&w)[8]) const { load(block, w); }
  F scale(std::uint32_t block) const { return load_f16(at(block)); }
};

// Its scales are powers of two. kMost is more than 12, its largest code, so that a slab's one scale becomes a power of
// two as well, an eighth of the largest of its blocks: blocks whose scales are within a factor of eight are exact.
struct PackedMXFP4 : TableCodes<16> {
  static constexpr float kMost = 127.0F / 8;
  using TableCodes::TableCodes;
  void load(std::uint32_t block, I (&w)[8]) const { TableCodes::load(kFp4Bytes, block, w); }
  void load_codes(std::uint32_t block, I (&w)[8]) const { load(block, w); }
  // 2^(exponent - 128); 0 for exponents 0 and 1, of which that is subnormal.
  F scale(std::uint32_t block) const { return mul(bits_to_f(shift_left<23>(load_u8(at(block)))), set_f(0.5F)); }
};

// --- a scale and a min ---

struct PackedQ4_1 : PackedPanel<320> {
  static constexpr int kMostCode = 15;
  using PackedPanel::PackedPanel;
  void load(std::uint32_t block, I (&w)[8]) const { split_nibbles(at(block) + 64, w); }
  F scale(std::uint32_t block) const { return load_f16(at(block)); }
  F min(std::uint32_t block) const { return load_f16(at(block) + 32); }
};

struct PackedQ5_1 : PackedPanel<384> {
  static constexpr int kMostCode = 31;
  using PackedPanel::PackedPanel;
  void load(std::uint32_t block, I (&w)[8]) const {
    const std::byte* from = at(block) + 64;
    split_nibbles(from + 64, w);
    add_fifth_bits<4>(load_i(from), w);
  }
  F scale(std::uint32_t block) const { return load_f16(at(block)); }
  F min(std::uint32_t block) const { return load_f16(at(block) + 32); }
};
