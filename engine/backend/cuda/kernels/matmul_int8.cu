// Products of a matrix with many rows of int8, by instructions for whole tiles, and what is done with them; also those
// of experts. Blocks: as of matmul.cu.
#include "lib/int8.cuh"
#include "lib/mma.cuh"
#include "lib/reduce.cuh"
#include "lib/tile_rows.cuh"

namespace headroom::cuda {
namespace {

constexpr u32 kGroups = 4;                         // of columns at once
constexpr u32 kCodeStride = 8 * kGroups + 4;       // words of a feature or row: eight of them begin in different banks
constexpr u32 kWarpFeatures = 16, kWarpRows = 32;  // of a warp: four stand beside each other, two above

// A thread unpacks a group of a feature, and one of a row.
template <u32 kType>
DEVICE void load_weights(const FeatureRow& from, u32 n_groups, u32 group, u32 feature, u32 at, auto& codes,
                         auto& factors) {
  u32 words[8]{};
  Factors of_group{};
  if (group < n_groups) {
    const PanelRow row = panel_row(kType, from.matrix, from.panel, from.lane, n_groups);
    const Codes packed = read_codes<kType>(row, group);
#pragma unroll
    for (u32 w = 0; w < 8; ++w) words[w] = code_word<kType>(packed, w);
    of_group = group_factors<kType>(read_block<kType>(row, group / kBlockGroups), group % kBlockGroups);
  }
#pragma unroll
  for (u32 w = 0; w < 8; ++w) codes[feature * kCodeStride + 8 * at + w] = words[w];
  factors[at * kTile + feature] = make_float4(of_group.low, of_group.high, of_group.low_added, of_group.high_added);
}

DEVICE void load_rows(const uint4* of_row, u32 n_groups, u32 group, u32 row, u32 at, auto& codes, auto& headers) {
  uint4 low{}, high{}, header{};
  if (group < n_groups) {
    low = of_row[3 * group];
    high = of_row[3 * group + 1];
    header = of_row[3 * group + 2];
  }
#pragma unroll
  for (u32 w = 0; w < 4; ++w) {
    codes[row * kCodeStride + 8 * at + w] = word_of(low, w);
    codes[row * kCodeStride + 8 * at + 4 + w] = word_of(high, w);
  }
  headers[at * kTile + row] =
      make_float4(float_of(header.x), float_of(header.y), float_of(header.z), float_of(header.w));
}

DEVICE void multiply_tile_of_matmul_int8(const MatmulParams& p, const TilePlace& place) {
  SHARED(u32, weight_codes, kTile * kCodeStride);
  SHARED(u32, row_codes, kTile * kCodeStride);
  SHARED(float4, factors, kGroups * kTile);  // of features
  SHARED(float4, headers, kGroups * kTile);  // of rows
  SHARED(float, results, kTile* kResultStride);
  SHARED(u32, choices, kTile);
  const MatmulWords& words = p.words;
  Tile tile;
  if (!open_tile(p, place, choices, tile)) return;
  const u32 thread = thread_index(), lane = lane_index(), quad = lane / 4, in_quad = lane % 4;
  const u32 feature = thread % kTile, feature_group = thread / kTile, row = thread / kGroups,
            row_group = thread % kGroups;
  const FeatureRow from = feature_row(p, tile, feature);
  const uint4* of_row =
      buffer<const uint4>(p, 3) + std::uint64_t{row_to_read(words, tile, choices, row)} * words.n_groups * 3;
  const u32 first_feature = warp_index() % 4 * kWarpFeatures + quad, first_row = warp_index() / 4 * kWarpRows;
  // Q6_K has factors for each half of a group.
  const bool has_halves = words.constants.type == kQ6_K || words.constants.second_type == kQ6_K;
  float sums[kWarpRows / 8][4]{};
  for (u32 first = 0; first < words.n_groups; first += kGroups) {
    with_block_type(from.type, [&]<u32 kType>() {
      load_weights<kType>(from, words.n_groups, first + feature_group, feature, feature_group, weight_codes, factors);
    });
    load_rows(of_row, words.n_groups, first + row_group, row, row_group, row_codes, headers);
    BARRIER();
#pragma unroll
    for (u32 at = 0; at < kGroups; ++at) {
      u32 a[4];
      const u32 of_upper = first_feature * kCodeStride + 8 * at + in_quad;
      a[0] = weight_codes[of_upper];
      a[1] = weight_codes[of_upper + 8 * kCodeStride];
      a[2] = weight_codes[of_upper + 4];
      a[3] = weight_codes[of_upper + 8 * kCodeStride + 4];
      const float4 upper = factors[at * kTile + first_feature], lower = factors[at * kTile + first_feature + 8];
#pragma unroll
      for (u32 n = 0; n < kWarpRows / 8; ++n) {
        const u32 of_rows = first_row + 8 * n;
        if (of_rows >= tile.n_rows) break;  // of the whole warp
        const u32 at_row = (of_rows + quad) * kCodeStride + 8 * at + in_quad;
        const u32 b0 = row_codes[at_row], b1 = row_codes[at_row + 4];
        const float4 even = headers[at * kTile + of_rows + 2 * in_quad],
                     odd = headers[at * kTile + of_rows + 2 * in_quad + 1];
        if (has_halves) {
          int low[4]{}, high[4]{};
          multiply_16(low, a[0], a[1], b0);
          multiply_16(high, a[2], a[3], b1);
          const auto add = [](float& sum, const float4& factor, const float4& with, int low_half, int high_half) {
            sum += with.x * (factor.x * static_cast<float>(low_half) + factor.y * static_cast<float>(high_half)) +
                   factor.z * with.y + factor.w * with.z;
          };
          add(sums[n][0], upper, even, low[0], high[0]);
          add(sums[n][1], upper, odd, low[1], high[1]);
          add(sums[n][2], lower, even, low[2], high[2]);
          add(sums[n][3], lower, odd, low[3], high[3]);
        } else {
          int both[4]{};
          multiply_32(both, a, b0, b1);
          sums[n][0] += even.x * upper.x * static_cast<float>(both[0]) + upper.z * even.w;
          sums[n][1] += odd.x * upper.x * static_cast<float>(both[1]) + upper.z * odd.w;
          sums[n][2] += even.x * lower.x * static_cast<float>(both[2]) + lower.z * even.w;
          sums[n][3] += odd.x * lower.x * static_cast<float>(both[3]) + lower.z * odd.w;
        }
      }
    }
    BARRIER();
  }
#pragma unroll
  for (u32 n = 0; n < kWarpRows / 8; ++n) {
    const u32 at = (first_row + 8 * n + 2 * in_quad) * kResultStride + first_feature;
    results[at] = sums[n][0];
    results[at + kResultStride] = sums[n][1];
    results[at + 8] = sums[n][2];
    results[at + kResultStride + 8] = sums[n][3];
  }
  BARRIER();
  put_results(p, tile, choices, results, [&](u32 panel, auto result) {
    for (u32 at = thread / 8; at < kTile; at += kTileThreads / 8) {
      Four elems{};
      const bool is_there = at < tile.n_rows;
      for (u32 i = 0; i < 4 && is_there; ++i) elems.of[i] = result(at, thread % 8 * 4 + i);
      const std::uint64_t to = is_there ? row_to_write(words, tile, choices, at) : 0;
      put_group(buffer<u32>(p, 4) + (to * matrix_panels(words) + panel) * kGroupWords, elems, is_there);
    }
  });
}

}  // namespace

KERNEL(matmul_int8, kTileThreads, Grouped<MatmulWords>) {
  const TilePlace place = tile_place(p);
  multiply_tile_of_matmul_int8(p.members[place.member].params, place);
}

}  // namespace headroom::cuda
