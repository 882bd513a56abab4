#include "prove/compare_answers.h"

#include <cmath>

namespace headroom {

double relative_error(std::span<const float> found, std::span<const float> expected) {
  double difference = 0, magnitude = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double off = static_cast<double>(found[i]) - expected[i];
    difference += off * off;
    magnitude += static_cast<double>(expected[i]) * expected[i];
  }
  const double error = std::sqrt(difference / magnitude);
  return std::isfinite(error) ? error : INFINITY;
}

// Both devices round activations to int8 (steps of 1/254 of a group's largest) or to f16, each in its own order of
// sums, and the cache rounds to codes: where one of them falls on the other side of a step, Q8_0 differs by 0.8 % of a
// block's largest element, Q4_0 and FP8 by up to 14 %. Measured between the CPU (avx512) and lavapipe or CUDA's kernels
// on the host, over the nine layers of the small model: 1.9 % at most, with a cache of Q4_0 3.2 %; over two to four
// layers of the models of single blocks 1.5 %, with that cache 3.2 %. Where BlockProof::error_factor is more than 1,
// 2.9 % was seen.
double allowed_error(DType kv) {
  if (kv == DType::kQ4_0) return 7e-2;
  return kv == DType::kF8E4M3 ? 5e-2 : 4e-2;
}

}  // namespace headroom
