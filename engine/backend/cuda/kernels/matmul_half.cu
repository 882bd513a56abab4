// Products of a matrix with many rows of f16, by instructions for whole tiles of f16 with sums in f32, and what is done
// with them; also those of experts. Weights become f16 on their way to shared memory, a group of columns at a time,
// while the group before is multiplied. Blocks: (panels / panels of a tile, tiles of rows).
#include "lib/half.cuh"
#include "lib/mma.cuh"
#include "lib/tile_rows.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kFeatures = 128, kThreads = 128;          // a thread unpacks a feature
constexpr u32 kRowWords = kGroup / 2, kStride = 20;     // of a feature or row: eight of them begin in different banks
constexpr u32 kWarpFeatures = 64;                       // of a warp: two stand beside each other, two above
constexpr u32 kSlab = 32, kSlabStride = kFeatures + 4;  // rows whose results are in shared memory at once

DEVICE constexpr u32 stage_words(u32 n_rows) { return (kFeatures + n_rows) * kStride; }

// What is read of a group of a feature.
struct Packed {
  Codes codes;
  uint4 plain[4];
};

template <u32 kType>
DEVICE void read_group(const PanelRow& row, u32 group, Packed& packed, Block& block) {
  if constexpr (is_block_format(kType)) {
    if (group % kBlockGroups == 0) block = read_block<kType>(row, group / kBlockGroups);
    packed.codes = read_codes<kType>(row, group);
  } else {
#pragma unroll
    for (u32 i = 0; i < 4; ++i) packed.plain[i] = load_stream(row.codes + (4 * group + i) * kPanelRows);
  }
}

// Elements 2 k and 2 k + 1 of 8 from 8 i on.
template <u32 kType>
DEVICE u32 pair_of(const Packed& packed, const Factors& factors, u32 i, u32 k) {
  if constexpr (kType == kF16) {
    return word_of(packed.plain[i], k);
  } else if constexpr (kType == kBF16) {
    const u32 both = word_of(packed.plain[i], k);
    return floats_to_halves(float_of(both << 16), float_of(both & 0xFFFF0000U));
  } else {
    const u32 codes = code_word<kType>(packed.codes, 2 * i + k / 2), first = k % 2 * 2;
    const float factor = i < 2 ? factors.low : factors.high, added = i < 2 ? factors.low_added : factors.high_added;
    const auto elem = [&](u32 at) {
      return factor * (kType == kQ8_0 ? signed_byte(codes, at) : plain_byte(codes, at)) + added;
    };
    return floats_to_halves(elem(first), elem(first + 1));
  }
}

template <u32 kType>
DEVICE void unpack_group(const Packed& packed, const Block& block, u32 group, auto& area, u32 at) {
  Factors factors{};
  if constexpr (is_block_format(kType)) factors = group_factors<kType>(block, group % kBlockGroups);
#pragma unroll
  for (u32 i = 0; i < 4; ++i) {
    const auto pair = [&](u32 k) { return pair_of<kType>(packed, factors, i, k); };
    put_unit(area, at + 4 * i, {pair(0), pair(1), pair(2), pair(3)});
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

// The sums of a warp: kWarpFeatures features in four fragments, and half of the rows of the tile in kHigh.
template <u32 kHigh>
DEVICE void multiply_group(auto& area, u32 stage, u32 first_feature, u32 first_row, u32 n_rows,
                           float (&sums)[4][kHigh][4]) {
  const u32 lane = lane_index();
  const u32 of_features = stage + (first_feature + lane % 16) * kStride + lane / 16 * 4;
  const u32 of_rows = stage + (kFeatures + first_row + lane % 8 + lane / 16 * 8) * kStride + lane / 8 % 2 * 4;
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

template <u32 kRows>
DEVICE void matmul_half(const Grouped<MatmulWords>& all, auto& area, auto& choices) {
  constexpr u32 kHigh = kRows / 16, kStage = stage_words(kRows);
  const TilePlace place = tile_place(all);
  const MatmulParams& p = all.members[place.member].params;
  const MatmulWords& words = p.words;
  Tile tile;
  if (!open_tile<kRows>(p, place, choices, tile)) return;
  const u32 thread = thread_index(), lane = lane_index();
  const u32 first_feature = warp_index() % 2 * kWarpFeatures, first_row = warp_index() / 2 * (kRows / 2);
  const FeatureRow from = feature_row<kFeatures>(p, tile, thread);
  const PanelRow panel = panel_row(from.type, from.matrix, from.panel, from.lane, words.n_groups);
  // Four neighbouring threads copy a row's group.
  const uint4* halves = buffer<const uint4>(p, 3);
  u32 row_units[kRows / 32];
#pragma unroll
  for (u32 i = 0; i < kRows / 32; ++i)
    row_units[i] = row_to_read(words, tile, choices, thread / 4 + i * 32) * 8 * words.n_groups + thread % 4;
  const auto copy_rows = [&](u32 stage, u32 group) {
#pragma unroll
    for (u32 i = 0; i < kRows / 32; ++i) {
      const u32 at = stage + (kFeatures + thread / 4 + i * 32) * kStride + thread % 4 * 4;
      copy_unit(area, at, halves + row_units[i] + 4 * group);
    }
  };
  Packed packed;
  Block block{};
  const auto read = [&](u32 group) {
    with_half_type(from.type, [&]<u32 kType>() { read_group<kType>(panel, group, packed, block); });
  };
  const auto unpack = [&](u32 stage, u32 group) {
    with_half_type(from.type,
                   [&]<u32 kType>() { unpack_group<kType>(packed, block, group, area, stage + thread * kStride); });
  };
  float sums[4][kHigh][4]{};
  copy_rows(0, 0);
  read(0);
  unpack(0, 0);
  for (u32 group = 0; group < words.n_groups; ++group) {
    const u32 stage = group % 2 * kStage, next_stage = kStage - stage;
    const bool has_next = group + 1 < words.n_groups;
    await_copies();
    BARRIER();  // this group is there, and the one before it has been read
    if (has_next) {
      copy_rows(next_stage, group + 1);
      read(group + 1);
    }
    multiply_group<kHigh>(area, stage, first_feature, first_row, tile.n_rows, sums);
    if (has_next) unpack(next_stage, group + 1);
  }

  const Features features = tile_features<kFeatures>(words, tile);
  const float* scales = buffer<const float>(p, 3) + words.n_cols / 2;
#pragma unroll
  for (u32 slab = 0; slab < kRows; slab += kSlab) {
    BARRIER();  // what stood there has been read
#pragma unroll
    for (u32 n = 0; n < kHigh; ++n) {
      const u32 row = first_row + n * 8 - slab;  // of the slab
      if (row >= kSlab) continue;
      const u32 at = (row + lane % 4 * 2) * kSlabStride + first_feature + lane / 4;
#pragma unroll
      for (u32 m = 0; m < 4; ++m) {
        area[at + m * 16] = bits_of(sums[m][n][0]);
        area[at + m * 16 + kSlabStride] = bits_of(sums[m][n][1]);
        area[at + m * 16 + 8] = bits_of(sums[m][n][2]);
        area[at + m * 16 + 8 + kSlabStride] = bits_of(sums[m][n][3]);
      }
    }
    BARRIER();
    for (u32 i = thread; i < kSlab * features.n; i += kThreads) {
      const u32 row = slab + i / features.n, feature = i % features.n, at = i / features.n * kSlabStride + feature;
      if (row >= tile.n_rows || features.first + feature >= features.end) continue;
      const float scale = scales[std::uint64_t{row_to_read(words, tile, choices, row)} * words.n_cols];
      const float second = words.constants.then == kGate ? scale * float_of(area[at + features.n]) : 0;
      put_result(p, tile, choices, row, features.first + feature,
                 result_of(p, features.first + feature, scale * float_of(area[at]), second));
    }
  }
}

}  // namespace

KERNEL(matmul_half_64, kThreads, Grouped<MatmulWords>) {
  SHARED(u32, area, 2 * stage_words(64));
  SHARED(u32, choices, kTile);
  matmul_half<64>(p, area, choices);
}
KERNEL(matmul_half_128, kThreads, Grouped<MatmulWords>) {
  SHARED(u32, area, 2 * stage_words(128));
  SHARED(u32, choices, kTile);  // of experts, whose tiles have fewer rows
  matmul_half<128>(p, area, choices);
}

}  // namespace headroom::cuda
