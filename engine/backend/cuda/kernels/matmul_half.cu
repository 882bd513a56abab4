// Products of a matrix with many rows of f16, by instructions for whole tiles of f16 with sums in f32, and what is done
// with them; also those of experts. Weights become f16 on their way to shared memory, a group of columns at a time,
// while the group before is multiplied. Blocks: (panels / panels of a tile, tiles of rows).
#include "lib/half.cuh"
#include "lib/wide_tiles.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kRowWords = kGroup / 2, kStride = 20;  // of a feature or row: eight of them begin in different banks

DEVICE constexpr u32 stage_words(u32 n_rows) { return (kWideFeatures + n_rows) * kStride; }

// What a thread reads of a group of a feature: all codes, or kUnits of plain numbers, which stand where codes would, as
// far as there is room: a format is known when the kernel runs, and registers are held for all of them.
template <u32 kUnits>
struct Packed {
  Codes codes;
  uint4 more[kUnits == 4 ? 2 : 1];
  DEVICE uint4& plain(u32 i) { return i == 0 ? codes.first : i == 1 ? codes.second : more[i - 2]; }
};

// Eight elements of a group become a unit in shared memory. A thread has kUnits of the four, from `first` on.
template <u32 kType, u32 kUnits>
DEVICE void read_group(const PanelRow& row, u32 group, u32 first, Packed<kUnits>& packed, Block& block) {
  if constexpr (is_block_format(kType)) {
    if (group % kBlockGroups == 0) block = read_block<kType>(row, group / kBlockGroups);
    packed.codes = read_codes<kType>(row, group);
  } else {
#pragma unroll
    for (u32 i = 0; i < kUnits; ++i) packed.plain(i) = load_stream(row.codes + (4 * group + first + i) * kPanelRows);
  }
}

// Elements 2 k and 2 k + 1 of a unit.
template <u32 kType>
DEVICE u32 plain_pair(const uint4& unit, u32 k) {
  const u32 both = word_of(unit, k);
  return kType == kF16 ? both : floats_to_halves(float_of(both << 16), float_of(both & 0xFFFF0000U));
}
DEVICE u32 coded_pair(const u32 (&codes)[8], const Factors& factors, u32 unit, u32 k) {
  const Four elems = coded_elems(factors, codes[2 * unit + k / 2], 2 * unit);
  return floats_to_halves(elems.of[k % 2 * 2], elems.of[k % 2 * 2 + 1]);
}

// Units kFirst to kFirst + kUnits; `at`: where the group stands.
template <u32 kType, u32 kFirst, u32 kUnits>
DEVICE void unpack_units(Packed<kUnits>& packed, const Block& block, u32 group, auto& area, u32 at) {
  const auto put_all = [&](auto pair) {
#pragma unroll
    for (u32 i = kFirst; i < kFirst + kUnits; ++i)
      put_unit(area, at + 4 * i, {pair(i, 0), pair(i, 1), pair(i, 2), pair(i, 3)});
  };
  if constexpr (is_block_format(kType)) {
    const Factors factors = group_factors<kType>(block, packed.codes, group % kBlockGroups);
    u32 codes[8];
    put_code_words<kType>(block, packed.codes, group % kBlockGroups, codes);
    put_all([&](u32 i, u32 k) { return coded_pair(codes, factors, i, k); });
  } else {
    put_all([&](u32 i, u32 k) { return plain_pair<kType>(packed.plain(i - kFirst), k); });
  }
}
template <u32 kType, u32 kUnits>
DEVICE void unpack_group(Packed<kUnits>& packed, const Block& block, u32 group, u32 first, auto& area, u32 at) {
  static_assert(kUnits == 2 || kUnits == 4);
  if (kUnits == 4 || first == 0) {  // the same for all of a warp
    unpack_units<kType, 0, kUnits>(packed, block, group, area, at);
  } else {
    unpack_units<kType, 4 - kUnits, kUnits>(packed, block, group, area, at);
  }
}

// F32 weights are multiplied as they are, by matmul.cu.
template <class F>
DEVICE void with_half_type(u32 type, F f) {
  switch (type) {
    case kF16: f.template operator()<kF16>(); return;
    case kBF16: f.template operator()<kBF16>(); return;
    default: with_block_type(type, f); return;
  }
}

template <u32 kHigh>
DEVICE void multiply_group(auto& area, u32 stage, u32 n_rows, float (&sums)[4][kHigh][4]) {
  const u32 lane = lane_index();
  const auto [first_feature, first_row] = warp_tile<kHigh>();
  const u32 of_features = stage + (first_feature + lane % 16) * kStride + lane / 16 * 4;
  const u32 of_rows = stage + (kWideFeatures + first_row + lane % 8 + lane / 16 * 8) * kStride + lane / 8 % 2 * 4;
#pragma unroll
  for (u32 k = 0; k < kRowWords; k += 8) {
    u32 features[4][4];
#pragma unroll
    for (u32 m = 0; m < 4; ++m) load_tiles<false>(features[m], area, of_features + m * 16 * kStride + k);
#pragma unroll
    for (u32 n = 0; n < kHigh; n += 2) {
      if (first_row + n * 8 >= n_rows) break;  // of the whole warp
      u32 rows[4];
      load_tiles<false>(rows, area, of_rows + n * 8 * kStride + k);
#pragma unroll
      for (u32 m = 0; m < 4; ++m) {
        multiply_halves(sums[m][n], features[m], rows[0], rows[1]);
        multiply_halves(sums[m][n + 1], features[m], rows[2], rows[3]);
      }
    }
  }
}

// A feature's groups are unpacked by one thread, or by two of which each has half of a group.
template <u32 kRows, u32 kThreads>
DEVICE void matmul_half(const BatchedLaunch<MatmulWords>& all, auto& area, auto& choices) {
  constexpr u32 kHigh = high_of(kRows, kThreads), kStage = stage_words(kRows);
  constexpr u32 kUnits = 4 * kWideFeatures / kThreads, kCopies = 4 * kRows / kThreads;
  const TilePlace place = tile_place(all);
  const MatmulParams& p = all.members[place.member].params;
  const MatmulWords& words = p.words;
  Tile tile;
  if (!open_tile<kRows>(p, place, choices, tile)) return;
  const u32 thread = thread_index(), feature = thread % kWideFeatures, first_unit = thread / kWideFeatures * kUnits;
  const FeatureRow from = feature_row<kWideFeatures>(p, tile, feature);
  const PanelRow panel = panel_row(from.type, from.matrix, from.panel, from.lane, words.n_groups);
  // Four neighbouring threads copy a row's group.
  const uint4* halves = buffer<const uint4>(p, 3);
  u32 row_units[kCopies];
#pragma unroll
  for (u32 i = 0; i < kCopies; ++i)
    row_units[i] = row_to_read(words, tile, choices, thread / 4 + i * (kThreads / 4)) * 8 * words.n_groups + thread % 4;
  Packed<kUnits> packed;
  Block block{};
  const auto begin = [&](u32 group) INLINED {
#pragma unroll
    for (u32 i = 0; i < kCopies; ++i) {
      const u32 row = thread / 4 + i * (kThreads / 4);
      const u32 at = group % 2 * kStage + (kWideFeatures + row) * kStride + thread % 4 * 4;
      copy_unit(area, at, halves + row_units[i] + 4 * group);
    }
    with_half_type(from.type, [&]<u32 kType>() { read_group<kType, kUnits>(panel, group, first_unit, packed, block); });
  };
  const auto finish = [&](u32 group) INLINED {
    with_half_type(from.type, [&]<u32 kType>() {
      unpack_group<kType, kUnits>(packed, block, group, first_unit, area, group % 2 * kStage + feature * kStride);
    });
  };
  float sums[4][kHigh][4]{};
  each_group(words.n_groups, begin, finish,
             [&](u32 group) { multiply_group<kHigh>(area, group % 2 * kStage, tile.n_rows, sums); });
  const float* scales = buffer<const float>(p, 3) + words.n_cols / 2;
  put_wide_results<kThreads>(p, tile, choices, area, sums, [&](u32 row) {
    return row < tile.n_rows ? scales[std::uint64_t{row_to_read(words, tile, choices, row)} * words.n_cols] : 0;
  });
}

}  // namespace

KERNEL(matmul_half_64, 128, BatchedLaunch<MatmulWords>) {
  SHARED(u32, area, 2 * stage_words(64));
  SHARED(u32, choices, kChoiceWords);
  matmul_half<64, 128>(p, area, choices);
}
// Two blocks on a multiprocessor, so that four warps of a scheduler wait in turns; where there is shared memory for
// them, which there is not before compute capability 8, and where the compiler has registers for them, which it has not
// for cards of 10 and 12.
KERNEL_PDL_BLOCKS(matmul_half_128, 256, kArchitecture >= 800 && kArchitecture < 1000 ? 2 : 1,
                  BatchedLaunch<MatmulWords>, nothing_ahead) {
  SHARED(u32, area, 2 * stage_words(128));
  SHARED(u32, choices, kChoiceWords);  // of experts, whose tiles have fewer rows
  matmul_half<128, 256>(p, area, choices);
}

}  // namespace headroom::cuda
