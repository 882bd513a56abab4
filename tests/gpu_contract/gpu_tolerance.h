// How much a GPU's results may differ from those of plain loops, and how many combinations the gate checks.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <string>

#include "format/dtype.h"

namespace headroom::test {

// tests/gpu/full.sh checks every combination; the gate so many that each value is met, with different ones of the
// others.
inline bool is_full_run() {
  const char* asked = std::getenv("HEADROOM_GPU_TESTS");
  return asked != nullptr && std::string(asked) == "full";
}
// Whether the combination of these values, by their places, is checked.
inline bool is_checked(std::initializer_list<std::size_t> places) {
  std::size_t sum = 0;
  for (const std::size_t place : places) sum += place;
  return is_full_run() || sum % 2 == 0;
}

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
