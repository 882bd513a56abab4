// How far apart two rows of numbers are.
#pragma once

#include <cmath>
#include <span>

namespace headroom::test {

// Root mean square of the difference, relative to that of the expected values; infinite where they are not as many.
inline double relative_error(std::span<const float> found, std::span<const float> expected) {
  if (found.size() != expected.size()) return INFINITY;
  double difference = 0, magnitude = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    difference += (static_cast<double>(found[i]) - expected[i]) * (static_cast<double>(found[i]) - expected[i]);
    magnitude += static_cast<double>(expected[i]) * expected[i];
  }
  return std::sqrt(difference / magnitude);
}

}  // namespace headroom::test
