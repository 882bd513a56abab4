// Activation rows -> int8 in the forms that products read. Included by one unit per instruction set, inside its
// namespace.

// In steps of a scale. What is no number, or beyond the last step as of a scale that is next to nothing, becomes a last
// step: a damaged model answers garbage, and never an integer that sums leave.
inline I to_steps(F x) { return to_i(min(max(x, set_f(-127.0F)), set_f(127.0F))); }

// Of each of 16 lanes, the largest magnitude of in[lane], in[lane + 16] and so on; n is a multiple of 32.
[[gnu::always_inline]] inline F largest_of_lanes(const float* in, std::uint32_t n) {
  F even = zero_f(), odd = zero_f();
  for (std::uint32_t i = 0; i < n; i += 32) {
    even = max(even, abs(load_f(in + i)));
    odd = max(odd, abs(load_f(in + i + 16)));
  }
  return max(even, odd);
}

// An activation is an outlier if it is this many times as large as its slab's largest of a lane on average. Of normal
// numbers the largest is 1.6 times that average, so that they have none.
inline constexpr float kOutlierRatio = 2.5F;

// Up to kMostOutliers of n activations, the largest first, as long as they are outliers among those that are left. They
// are taken only if the scale of those becomes half as large: a product of an outlier is no cheaper than one of 16
// columns. Returns where the other activations stand, with zeros for outliers: in `rest`, or in `in` if there are none.
__attribute__((noinline)) const float* find_outliers(const float* in, std::uint32_t n, F& most, float* rest,
                                                     SlabOutliers& to, std::uint8_t& count) {
  alignas(64) float lanes[16];
  store_f(lanes, most);
  __builtin_memcpy(rest, in, n * sizeof(float));
  const float before = max_lanes(most);
  float left = before;
  std::uint32_t n_taken = 0;
  while (true) {
    std::uint32_t lane = 0;
    float sum = 0.0F;
    for (std::uint32_t i = 0; i < 16; ++i) {
      if (lanes[i] > lanes[lane]) lane = i;
      sum += lanes[i];
    }
    left = lanes[lane];
    if (n_taken == kMostOutliers || !(left * 16 > kOutlierRatio * sum)) break;
    std::uint32_t column = lane;
    float next = 0.0F;
    bool found = false;
    for (std::uint32_t i = lane; i < n; i += 16) {
      const float size = __builtin_fabsf(rest[i]);
      if (size == left && !found) {
        column = i;
        found = true;
      } else if (size > next) {
        next = size;
      }
    }
    // In the order of columns, so that outliers of the same channels stand at the same place in every row.
    std::uint32_t at = n_taken++;
    for (; at > 0 && to.columns[at - 1] > column; --at) {
      to.columns[at] = to.columns[at - 1];
      to.values[at] = to.values[at - 1];
    }
    to.columns[at] = static_cast<std::uint8_t>(column);
    to.values[at] = rest[column];
    rest[column] = 0.0F;
    lanes[lane] = next;
  }
  if (left * 2 > before) return in;
  count = static_cast<std::uint8_t>(n_taken);
  most = load_f(lanes);
  return rest;
}

// Likewise; `most` is largest_of_lanes() of `in`, and becomes that of the others.
[[gnu::always_inline]] inline const float* take_outliers(const float* in, std::uint32_t n, F& most, float* rest,
                                                         SlabOutliers& to, std::uint8_t& count) {
  count = 0;
  if (!(max_lanes(most) * 16 > kOutlierRatio * sum_lanes(most))) return in;
  return find_outliers(in, n, most, rest, to, count);
}

// Elements [first, first + n) of a row, which have one scale, with all that packed weights need. slab_sum: of the
// quants before them in their slab, and then with theirs.
[[gnu::always_inline]] inline void quantize_group(const float* in, std::uint32_t first, std::uint32_t n, F most,
                                                  std::uint32_t column, const ActTile& tile, std::int32_t& slab_sum) {
  auto* quants = const_cast<std::int8_t*>(tile.quants);
  auto* scales = const_cast<float*>(tile.scales);
  auto* offset_corrections = const_cast<std::int32_t*>(tile.offset_corrections);
  auto* offset_corrections16 = const_cast<std::int32_t*>(tile.offset_corrections16);
  auto* slab_offset_corrections = const_cast<std::int32_t*>(tile.slab_offset_corrections);
  auto* sums = const_cast<std::int8_t*>(tile.sums);
  const float largest = max_lanes(most);
  const float scale = largest / 127.0F;
  const F inverse = set_f(largest > 0.0F ? 127.0F / largest : 0.0F);
  for (std::uint32_t i = 0; i < n; i += 32) {
    const std::uint32_t block = (first + i) / 32, at = block * tile.width + column;
    const I low = to_steps(mul(load_f(in + i), inverse)), high = to_steps(mul(load_f(in + i + 16), inverse));
    store_bytes(quants + at * 32, low);
    store_bytes(quants + at * 32 + 16, high);
    const auto low_sum = static_cast<std::int32_t>(sum_lanes(to_f(low))),
               high_sum = static_cast<std::int32_t>(sum_lanes(to_f(high)));
    const std::int32_t sum = low_sum + high_sum;
    scales[at] = scale;
    offset_corrections[at] = -128 * sum;
    offset_corrections16[2 * at] = -128 * low_sum;
    offset_corrections16[2 * at + 1] = -128 * high_sum;
    std::int8_t* split = sums + (block / 8 * tile.width + column) * 16 + block % 8;
    split[0] = static_cast<std::int8_t>(sum >> 6);
    split[8] = static_cast<std::int8_t>(sum & 63);
    slab_sum = block % 8 == 0 ? sum : slab_sum + sum;
    slab_offset_corrections[block / 8 * tile.width + column] = -128 * slab_sum;
  }
}

// Rounds to 127 steps of the largest magnitude of each group: an element is off by at most max / 254.
void quantize(const float* in, std::uint32_t n, std::uint32_t group, std::uint32_t column, const ActTile& tile) {
  std::int32_t slab_sum = 0;
  for (std::uint32_t first = 0; first < n; first += group) {
    const std::uint32_t n_group = n - first < group ? n - first : group;
    quantize_group(in + first, first, n_group, largest_of_lanes(in + first, n_group), column, tile, slab_sum);
  }
}

// Pairs of 16-bit sums of the lanes of two registers whose lanes are small: of a in the lower half, of b in the upper.
inline void sum_both(I a, I b, std::int32_t& sum_a, std::int32_t& sum_b) {
  I both = or_and(and_i(a, set_i(0xFFFF)), shift_left<16>(b), set_i(-1));
  both = add16(both, f_bits(swap_lanes<8>(bits_to_f(both))));
  both = add16(both, f_bits(swap_lanes<4>(bits_to_f(both))));
  both = add16(both, f_bits(swap_lanes<2>(bits_to_f(both))));
  both = add16(both, f_bits(swap_lanes<1>(bits_to_f(both))));
  alignas(64) std::byte lanes[64];
  store_i(lanes, both);
  std::int16_t halves[2];
  __builtin_memcpy(halves, lanes, 4);
  sum_a = halves[0];
  sum_b = halves[1];
}

// Where a row for slabs stands, and how far apart its parts are.
struct SlabRow {
  std::int8_t* quants;
  std::size_t block_bytes;                // from 32 quants to the next 32
  float* scales;                          // one per 256
  std::size_t scale_step;                 // in floats
  std::int32_t* slab_offset_corrections;  // -128 * sum of 256 quants
  std::size_t slab_step;                  // in numbers
  std::int32_t* offset_corrections;       // -128 * sum of 32 quants
  std::size_t start_step;
  SlabOutliers* outliers;  // `slab_step` apart too, as their counts
  std::uint8_t* outlier_counts;
};

// As quantize() with groups of 256, without outliers and with only what slabs are multiplied with: less than half of
// the time.
inline void quantize_slab_row(const float* in, std::uint32_t n, const SlabRow& to) {
  alignas(64) float rest[kSlabCols];
  for (std::uint32_t first = 0, slab = 0; first < n / 32; first += kSlabCols / 32, ++slab) {
    const std::uint32_t last = n / 32 - first < kSlabCols / 32 ? n / 32 : first + kSlabCols / 32;
    F most = largest_of_lanes(in + first * 32UL, (last - first) * 32);
    const float* from = take_outliers(in + first * 32UL, (last - first) * 32, most, rest,
                                      to.outliers[slab * to.slab_step], to.outlier_counts[slab * to.slab_step]);
    const float largest = max_lanes(most);
    const F inverse = set_f(largest > 0.0F ? 127.0F / largest : 0.0F);
    const auto put_block = [&](std::uint32_t block) {
      const float* elems = from + (block - first) * 32UL;
      const I low = to_steps(mul(load_f(elems), inverse)), high = to_steps(mul(load_f(elems + 16), inverse));
      store_bytes(to.quants + block * to.block_bytes, low);
      store_bytes(to.quants + block * to.block_bytes + 16, high);
      return add_i(low, high);
    };
    to.scales[slab * to.scale_step] = largest / 127.0F;
    std::int32_t slab_sum = 0;
    for (std::uint32_t block = first; block < last; block += 2) {
      const I sums = put_block(block), next_sums = block + 1 < last ? put_block(block + 1) : zero_i();
      std::int32_t sum = 0, next_sum = 0;
      sum_both(sums, next_sums, sum, next_sum);
      to.offset_corrections[block * to.start_step] = -128 * sum;
      if (block + 1 < last) to.offset_corrections[(block + 1) * to.start_step] = -128 * next_sum;
      slab_sum += sum + next_sum;
    }
    to.slab_offset_corrections[slab * to.slab_step] = -128 * slab_sum;
  }
}

void quantize_slabs(const float* in, std::uint32_t n, std::uint32_t column, const ActTile& tile) {
  const std::size_t width = tile.width;
  quantize_slab_row(in, n,
                    {.quants = const_cast<std::int8_t*>(tile.quants) + column * 32UL,
                     .block_bytes = width * 32,
                     .scales = const_cast<float*>(tile.scales) + column,
                     .scale_step = width * (kSlabCols / 32),
                     .slab_offset_corrections = const_cast<std::int32_t*>(tile.slab_offset_corrections) + column,
                     .slab_step = width,
                     .offset_corrections = const_cast<std::int32_t*>(tile.offset_corrections) + column,
                     .start_step = width,
                     .outliers = const_cast<SlabOutliers*>(tile.outliers) + column,
                     .outlier_counts = const_cast<std::uint8_t*>(tile.outlier_counts) + column});
}
