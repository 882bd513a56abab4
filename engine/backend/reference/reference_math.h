// The arithmetic that several ops of the reference device have, in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "base/check.h"
#include "model/activation.h"

namespace headroom {

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
inline double silu(double x) { return x * sigmoid(x); }

inline double activate(Activation kind, double gate, double up) {
  switch (kind) {
    case Activation::kSilu: return silu(gate) * up;
    case Activation::kGelu:  // tanh form, arXiv 1606.08415
      return 0.5 * gate * (1 + std::tanh(0.7978845608028654 * (gate + 0.044715 * gate * gate * gate))) * up;
    case Activation::kClamped: {
      const double limit = kClampedLimit, below = std::min(gate, limit);
      return below * sigmoid(kClampedSlope * below) * (std::clamp(up, -limit, limit) + 1);
    }
  }
  CHECK(false, "an activation that is not there");
}

// row = row * weight / sqrt(mean(row^2) + epsilon); without a weight it is 1.
inline void norm(std::span<float> row, std::span<const float> weight, float epsilon) {
  double squares = 0;
  for (const float x : row) squares += static_cast<double>(x) * x;
  const double factor = 1 / std::sqrt(squares / static_cast<double>(row.size()) + epsilon);
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = static_cast<float>(row[i] * factor * (weight.empty() ? 1 : weight[i]));
}

}  // namespace headroom
