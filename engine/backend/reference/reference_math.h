// The arithmetic that several ops of the reference device have, in double.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace headroom {

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
inline double silu(double x) { return x * sigmoid(x); }

// row = row * weight / sqrt(mean(row^2) + epsilon); without a weight it is 1.
inline void norm(std::span<float> row, std::span<const float> weight, float epsilon) {
  double squares = 0;
  for (const float x : row) squares += static_cast<double>(x) * x;
  const double factor = 1 / std::sqrt(squares / static_cast<double>(row.size()) + epsilon);
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = static_cast<float>(row[i] * factor * (weight.empty() ? 1 : weight[i]));
}

}  // namespace headroom
