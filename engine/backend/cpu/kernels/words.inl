// F16 and BF16 weights for many columns: as fixed point numbers in 16 bits, since a pair of products of 16-bit numbers
// costs what one of f32 does. Included by one unit per instruction set, inside its namespace.
//
// 64 columns share a scale. Activations take 8191 steps and weights 4095, so that 64 products stay within 31 bits: an
// element is off by at most max / 16382 or max / 8190, about what F16 itself rounds.

inline constexpr std::uint32_t kWordGroup = 64;
inline constexpr float kActivationSteps = 8191.0F, kWeightSteps = 4095.0F;

void quantize_words(const float* in, std::uint32_t n, std::uint32_t column, const ActTile& tile) {
  auto* words = const_cast<std::int16_t*>(tile.words);
  auto* scales = const_cast<float*>(tile.word_scales);
  for (std::uint32_t group = 0; group < n / kWordGroup; ++group, in += kWordGroup) {
    F most = zero_f();
    for (std::uint32_t i = 0; i < kWordGroup; i += 16) most = max(most, abs(load_f(in + i)));
    const float largest = max_lanes(most);
    const F inverse = set_f(largest > 0.0F ? kActivationSteps / largest : 0.0F);
    const std::size_t at = group * static_cast<std::size_t>(tile.width) + column;
    scales[at] = largest / kActivationSteps;
    for (std::uint32_t i = 0; i < kWordGroup; i += 16)
      store_words(words + at * kWordGroup + i, to_i(mul(load_f(in + i), inverse)));
  }
}

// A slab: (kWordSlabCols / 2, 16) dwords of two columns each, then (kWordSlabCols / 64, 16) f32 scales.
template <class Source>
void unpack_words(const std::byte* panel, std::uint32_t n_cols, std::uint32_t slab, std::byte* to) {
  const std::uint32_t left = n_cols - slab * kWordSlabCols,
                      n_groups = (left < kWordSlabCols ? left : kWordSlabCols) / kWordGroup;
  auto* scales = reinterpret_cast<float*>(to + kWordSlabCols * 32);
  const std::byte* from = panel + slab * kWordSlabCols * Source::kBytes;
  for (std::uint32_t group = 0; group < n_groups; ++group, scales += 16) {
    F largest = set_f(1e-30F);  // a group of zeros keeps zeros
    for (std::uint32_t i = 0; i < kWordGroup; ++i) largest = max(largest, abs(Source::load(from + i * Source::kBytes)));
    store_f(scales, mul(largest, set_f(1.0F / kWeightSteps)));
    const F inverse = div(set_f(kWeightSteps), largest);
    for (std::uint32_t i = 0; i < kWordGroup; i += 2, from += 2 * Source::kBytes, to += 64) {
      const I even = to_i(mul(Source::load(from), inverse)),
              odd = to_i(mul(Source::load(from + Source::kBytes), inverse));
      store_i(to, or_and(and_i(even, set_i(0xFFFF)), shift_left<16>(odd), set_i(-1)));
    }
  }
}

// What a register block multiplies: kP panels and kN columns from column `first` of a tile.
struct SlabBlock {
  const std::byte* slabs;
  const ActTile *tile, *next;  // the tile after it, or itself
  std::uint32_t first;
  float* out;  // (kP, kTileCols, 16), of column `first`
};

// As dot_slab_block.
template <int kP, int kN>
__attribute__((noinline)) void dot_words_block(const SlabJob& job, const SlabBlock& part) {
  const std::byte* slabs = part.slabs;
  const ActTile& tile = *part.tile;
  float* out = part.out;
  const std::uint32_t width = tile.width, left = job.n_cols - job.slab * kWordSlabCols;
  const std::uint32_t n_groups = (left < kWordSlabCols ? left : kWordSlabCols) / kWordGroup;
  for (std::uint32_t group = 0; group < n_groups; ++group) {
    const std::size_t at =
        (job.slab * (kWordSlabCols / kWordGroup) + group) * static_cast<std::size_t>(width) + part.first;
    const auto* words = reinterpret_cast<const std::int8_t*>(tile.words + at * kWordGroup);
    const std::size_t next_at =
        (job.slab * (kWordSlabCols / kWordGroup) + group) * static_cast<std::size_t>(part.next->width) + part.first;
    const std::int16_t* next = part.next->words + next_at * kWordGroup;
    const std::byte* pairs = slabs + group * kWordGroup * 32UL;
    I acc[kP][kN];
    HEADROOM_UNROLL_SLAB
    for (int p = 0; p < kP; ++p) {
      HEADROOM_UNROLL_SLAB
      for (int c = 0; c < kN; ++c) acc[p][c] = zero_i();
    }
    for (std::uint32_t quarter = 0; quarter < 4; ++quarter, words += 32, pairs += 512, next += kN * kWordGroup / 4) {
      HEADROOM_UNROLL_SLAB
      for (int p = 0; p < kP; ++p) {
        __builtin_prefetch(out + p * kTileCols * 16UL + quarter * 32UL, 1, 3);
        __builtin_prefetch(out + p * kTileCols * 16UL + quarter * 32UL + 16, 1, 3);
      }
      HEADROOM_UNROLL_SLAB
      for (int c = 0; c < kN / 2; ++c) __builtin_prefetch(next + c * 32L, 0, 3);
      HEADROOM_UNROLL_SLAB
      for (int j = 0; j < 8; ++j) {
        I w[kP];
        HEADROOM_UNROLL_SLAB
        for (int p = 0; p < kP; ++p) w[p] = load_i(pairs + p * kSlabBytes + 64 * j);
        HEADROOM_UNROLL_SLAB
        for (int c = 0; c < kN; ++c) {
          const auto pair = broadcast4(words + c * 2 * kWordGroup + 4 * j);
          HEADROOM_UNROLL_SLAB
          for (int p = 0; p < kP; ++p) acc[p][c] = dot_words(acc[p][c], w[p], pair);
        }
      }
    }
    const auto* scales = reinterpret_cast<const float*>(slabs + kWordSlabCols * 32) + group * 16;
    HEADROOM_UNROLL_SLAB
    for (int p = 0; p < kP; ++p) {
      const F scale = load_f(scales + p * (kSlabBytes / 4));
      HEADROOM_UNROLL_SLAB
      for (int c = 0; c < kN; ++c) {
        float* to = out + static_cast<std::size_t>(p) * kTileCols * 16 + static_cast<std::size_t>(c) * 16;
        const F before = job.slab + group == 0 ? zero_f() : load_f(to);
        store_f(to,
                fma(to_f(acc[p][c]), mul(scale, set_f(tile.word_scales[at + static_cast<std::size_t>(c)])), before));
      }
    }
  }
}
