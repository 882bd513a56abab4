// A softmax over keys that come tile by tile, with the values that it weighs, of the two rows of queries that a lane
// has scores of (lib/mma.cuh): each row keeps its largest score so far, and sums that are relative to it (arXiv
// 2307.08691).
#pragma once

#include "lib/attend.cuh"
#include "lib/mma.cuh"

namespace headroom::cuda {

// kTiles: of eight elements of a result, that a lane has sums of.
template <u32 kTiles>
struct TwoRowSoftmax {
  float most[2], total[2];
  float sums[kTiles][4];  // of values times weights, not divided yet

  // `sink`: the score of the row's head that has no value, where it has one. Each of the four lanes of a row adds up
  // what it has itself, so one of them counts it.
  DEVICE void begin(u32 row, bool has_sink, float sink) {
    most[row] = has_sink ? sink : kUnseen;
    total[row] = has_sink && lane_index() % 4 == 0 ? 1 : 0;
  }

  // Scores of tiles of eight keys, as multiply_halves() adds them up, become weights, as it takes them. kUnseen is the
  // score of a key that the query does not see, and its weight is 0. All sums become relative to the new maximum.
  template <u32 kKeyTiles>
  DEVICE void weigh(const float (&scores)[kKeyTiles][4], u32 (&weights)[kKeyTiles / 2][4]) {
#pragma unroll
    for (u32 row = 0; row < 2; ++row) {
      float of_tile = kUnseen;
#pragma unroll
      for (u32 n = 0; n < kKeyTiles; ++n) of_tile = fmaxf(of_tile, fmaxf(scores[n][2 * row], scores[n][2 * row + 1]));
      for (u32 mask = 1; mask < 4; mask *= 2) of_tile = fmaxf(of_tile, shuffle_xor(of_tile, mask));
      const float more = fmaxf(most[row], of_tile), left = exp_of(most[row] - more);
      most[row] = more;
      total[row] *= left;
#pragma unroll
      for (u32 n = 0; n < kTiles; ++n) {
        sums[n][2 * row] *= left;
        sums[n][2 * row + 1] *= left;
      }
#pragma unroll
      for (u32 n = 0; n < kKeyTiles; ++n) {
        float pair[2];
#pragma unroll
        for (u32 i = 0; i < 2; ++i) {
          const float score = scores[n][2 * row + i];
          pair[i] = score == kUnseen ? 0 : exp_of(score - more);
          total[row] += pair[i];
        }
        weights[n / 2][n % 2 * 2 + row] = floats_to_halves(pair[0], pair[1]);
      }
    }
  }

  // Of all four lanes of the row, behind the last tile.
  DEVICE float whole_total(u32 row) const {
    float whole = total[row];
    for (u32 mask = 1; mask < 4; mask *= 2) whole += shuffle_xor(whole, mask);
    return whole;
  }
};

}  // namespace headroom::cuda
