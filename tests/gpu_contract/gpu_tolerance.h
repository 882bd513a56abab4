// How much a GPU's results may differ from those of plain loops.
#pragma once

#include <algorithm>

#include "format/dtype.h"
#include "support/combinations.h"

namespace headroom::test {

// Weights are decoded exactly and meet f32 activations: only the order of sums differs.
inline constexpr double kExactTolerance = 1e-4;
// F16 K and V may round to the other neighbour.
inline constexpr double kHalfTolerance = 1e-3;
// A quantized cache rounds to another code where an activation differs a little: one step of Q8_0 is 0.8 % of a
// block's maximum, of Q4_0 and FP8 up to 14 %, in a few of all elements.
inline constexpr double kCodeTolerance = 1e-2, kCoarseTolerance = 4e-2;

// Of a whole model's logits, as a relative error.
inline double cache_tolerance(DType kv_k, DType kv_v) {
  double most = kExactTolerance;
  for (const DType kv : {kv_k, kv_v}) {
    if (kv == DType::kF16) most = std::max(most, kHalfTolerance);
    if (kv == DType::kQ8_0) most = std::max(most, kCodeTolerance);
    if (kv == DType::kQ4_0 || kv == DType::kF8E4M3) most = std::max(most, kCoarseTolerance);
  }
  return most;
}

// With int8 activations: steps of 1/254 of a group's largest.
inline constexpr double kInt8Tolerance = 3e-2;
// With f16 activations and weights: 11 bits of each.
inline constexpr double kHalfRowsTolerance = 3e-3;

}  // namespace headroom::test
