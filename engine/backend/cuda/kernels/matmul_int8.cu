// Products of a matrix with many rows of int8, by instructions for whole tiles, and what is done with them; also those
// of experts. Blocks: as of matmul_half.cu.
#include "lib/wide_tiles.cuh"

namespace headroom::cuda {
namespace {

// Words of a group of a feature or row: eight of codes, and four of what they are multiplied with. Eight rows begin in
// different banks.
constexpr u32 kStride = kGroupWords;

DEVICE constexpr u32 stage_words(u32 n_rows) { return (kWideFeatures + n_rows) * kStride; }

// Of the row `row + beyond`. The compiler knows `beyond`: added in signed numbers, it is an offset in the instruction.
DEVICE float4 header_at(auto& area, u32 row, u32 beyond) {
  const int at = static_cast<int>(row * kStride) + static_cast<int>(beyond * kStride + 8);
  return make_float4(float_of(area[at]), float_of(area[at + 1]), float_of(area[at + 2]), float_of(area[at + 3]));
}

// kHasHalves: there are factors for each half of a group, as has_halves() says.
template <u32 kHigh, bool kHasHalves>
DEVICE void multiply_group(auto& area, u32 stage, u32 n_rows, float (&sums)[4][kHigh][4]) {
  const u32 lane = lane_index(), first = stage / kStride;  // row
  const auto [first_feature, first_row] = warp_tile<kHigh>();
  u32 features[4][4];
#pragma unroll
  for (u32 m = 0; m < 4; ++m)
    load_tiles<false>(features[m], area, (first + first_feature + 16 * m + lane % 16) * kStride + lane / 16 * 4);
#pragma unroll
  for (u32 n = 0; n < kHigh; n += 2) {
    if (first_row + n * 8 >= n_rows) break;  // of the whole warp
    const u32 of_rows = first + kWideFeatures + first_row + n * 8;
    u32 rows[4];
    load_tiles<false>(rows, area, (of_rows + lane % 8 + lane / 16 * 8) * kStride + lane / 8 % 2 * 4);
#pragma unroll
    for (u32 k = 0; k < 2; ++k) {
      const u32 of_lane = first + kWideFeatures + first_row + lane % 4 * 2;
      const float4 even = header_at(area, of_lane, n * 8 + 8 * k), odd = header_at(area, of_lane, n * 8 + 8 * k + 1);
#pragma unroll
      for (u32 m = 0; m < 4; ++m) {
        const u32 of_feature = first + first_feature + lane / 4;
        const float4 upper = header_at(area, of_feature, 16 * m), lower = header_at(area, of_feature, 16 * m + 8);
        float(&to)[4] = sums[m][n + k];
        if constexpr (kHasHalves) {
          int low[4]{}, high[4]{};
          multiply_16(low, features[m][0], features[m][1], rows[2 * k]);
          multiply_16(high, features[m][2], features[m][3], rows[2 * k + 1]);
          const auto add = [](float& sum, const float4& factor, const float4& with, int low_half, int high_half) {
            sum += with.x * (factor.x * static_cast<float>(low_half) + factor.y * static_cast<float>(high_half)) +
                   factor.z * with.y + factor.w * with.z;
          };
          add(to[0], upper, even, low[0], high[0]);
          add(to[1], upper, odd, low[1], high[1]);
          add(to[2], lower, even, low[2], high[2]);
          add(to[3], lower, odd, low[3], high[3]);
        } else {
          int both[4]{};
          multiply_32(both, features[m], rows[2 * k], rows[2 * k + 1]);
          to[0] += even.x * upper.x * static_cast<float>(both[0]) + upper.z * even.w;
          to[1] += odd.x * upper.x * static_cast<float>(both[1]) + upper.z * odd.w;
          to[2] += even.x * lower.x * static_cast<float>(both[2]) + lower.z * even.w;
          to[3] += odd.x * lower.x * static_cast<float>(both[3]) + lower.z * odd.w;
        }
      }
    }
  }
}

template <u32 kType>
DEVICE void unpack_group(const Codes& codes, const Block& block, u32 group, auto& area, u32 at) {
  u32 words[8];
  put_code_words<kType>(block, codes, group % kBlockGroups, words);
  put_unit(area, at, {words[0], words[1], words[2], words[3]});
  put_unit(area, at + 4, {words[4], words[5], words[6], words[7]});
  const Factors factors = group_factors<kType>(block, codes, group % kBlockGroups);
  put_unit(area, at + 8,
           {bits_of(factors.low), bits_of(factors.high), bits_of(factors.low_added), bits_of(factors.high_added)});
}

template <u32 kRows, u32 kThreads>
DEVICE void matmul_int8(const BatchedLaunch<MatmulWords>& all, auto& area, auto& choices) {
  constexpr u32 kHigh = high_of(kRows, kThreads), kStage = stage_words(kRows), kUnits = kStride / 4;
  constexpr u32 kCopies = divide_up(kRows * kUnits, kThreads);
  const TilePlace place = tile_place(all);
  const MatmulParams& p = all.members[place.member].params;
  const MatmulWords& words = p.words;
  Tile tile;
  if (!open_tile<kRows>(p, place, choices, tile)) return;
  const u32 thread = thread_index();
  const FeatureRow from = feature_row<kWideFeatures>(p, tile, thread % kWideFeatures);
  const PanelRow panel = panel_row(from.type, from.matrix, from.panel, from.lane, words.n_groups);
  // Neighbouring threads copy the units of a row's group.
  const uint4* encoded = buffer<const uint4>(p, 3);
  u32 row_units[kCopies];
#pragma unroll
  for (u32 i = 0; i < kCopies; ++i) {
    const u32 row = smaller((thread + i * kThreads) / kUnits, kRows - 1);
    row_units[i] = row_to_read(words, tile, choices, row) * words.n_groups * kUnits + (thread + i * kThreads) % kUnits;
  }
  Codes codes;
  Block block{};
  const auto begin = [&](u32 group) {
#pragma unroll
    for (u32 i = 0; i < kCopies; ++i) {
      const u32 unit = thread + i * kThreads;
      if (unit < kRows * kUnits)
        copy_unit(area, group % 2 * kStage + kWideFeatures * kStride + 4 * unit,
                  encoded + row_units[i] + group * kUnits);
    }
    if (thread >= kWideFeatures) return;  // whole warps
    with_block_type(from.type, [&]<u32 kType>() {
      if (group % kBlockGroups == 0) block = read_block<kType>(panel, group / kBlockGroups);
      codes = read_codes<kType>(panel, group);
    });
  };
  const auto finish = [&](u32 group) {
    if (thread >= kWideFeatures) return;
    with_block_type(from.type, [&]<u32 kType>() {
      unpack_group<kType>(codes, block, group, area, group % 2 * kStage + thread * kStride);
    });
  };
  const bool are_halved = has_halves(words.product.type) || has_halves(words.product.second_type);
  float sums[4][kHigh][4]{};
  each_group(words.n_groups, begin, finish, [&](u32 group) {
    if (are_halved) {
      multiply_group<kHigh, true>(area, group % 2 * kStage, tile.n_rows, sums);
    } else {
      multiply_group<kHigh, false>(area, group % 2 * kStage, tile.n_rows, sums);
    }
  });
  put_wide_results<kThreads>(p, tile, choices, area, sums, [](u32) { return 1.0F; });
}

}  // namespace

KERNEL(matmul_int8_64, 128, BatchedLaunch<MatmulWords>) {
  SHARED(u32, area, 2 * stage_words(64));
  SHARED(u32, choices, kChoiceWords);
  matmul_int8<64, 128>(p, area, choices);
}
KERNEL(matmul_int8_128, 256, BatchedLaunch<MatmulWords>) {
  SHARED(u32, area, 2 * stage_words(128));
  SHARED(u32, choices, kChoiceWords);  // of experts, whose tiles have fewer rows
  matmul_int8<128, 256>(p, area, choices);
}

}  // namespace headroom::cuda
