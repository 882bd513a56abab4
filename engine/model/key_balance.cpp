#include "model/key_balance.h"

#include <algorithm>
#include <cmath>

namespace headroom {
namespace {

constexpr float kMaxExponent = 10.0F;  // F16 holds what is balanced, whatever a file says

// Both elements of each pair become their mean.
void share_in_pairs(const RopeSpec& rope, std::span<float> head) {
  const std::uint32_t n_pairs = rope.rope_dim / 2;
  const bool neighbours = rope.pairing == RopePairing::kNeighbours;
  for (std::uint32_t pair = 0; pair < n_pairs; ++pair) {
    float& x = head[neighbours ? 2 * pair : pair];
    float& y = head[neighbours ? 2 * pair + 1 : pair + n_pairs];
    x = y = (x + y) / 2;
  }
}

}  // namespace

float output_square(std::span<const float> row, std::span<const float> norm, std::uint64_t n_cols, float bias) {
  double squares = 0.0;
  for (std::size_t i = 0; i < row.size(); ++i) squares += std::pow(static_cast<double>(row[i]) * norm[i], 2);
  return static_cast<float>(squares * static_cast<double>(n_cols) / static_cast<double>(row.size()) +
                            static_cast<double>(bias) * bias);
}

OutputSquares normed_squares(const LayerSpec& layer, std::span<const float> q_norm, std::span<const float> k_norm) {
  OutputSquares squares;
  for (std::uint32_t i = 0; i < layer.q_dim(); ++i)
    squares.queries.push_back(q_norm[i % layer.head_dim] * q_norm[i % layer.head_dim]);
  for (std::uint32_t i = 0; i < layer.kv_dim(); ++i)
    squares.keys.push_back(k_norm[i % layer.head_dim] * k_norm[i % layer.head_dim]);
  return squares;
}

std::vector<float> balance_keys(const LayerSpec& layer, const RopeSpec& rope, const OutputSquares& squares) {
  std::vector<float> factors(layer.kv_dim());
  const std::uint32_t head_dim = layer.head_dim, heads_per_kv = layer.n_heads / layer.n_kv_heads;
  std::vector<float> keys(head_dim), queries(head_dim);
  for (std::uint32_t kv_head = 0; kv_head < layer.n_kv_heads; ++kv_head) {
    std::copy_n(squares.keys.begin() + std::ptrdiff_t{kv_head} * head_dim, head_dim, keys.begin());
    std::fill(queries.begin(), queries.end(), 0.0F);
    for (std::uint32_t head = kv_head * heads_per_kv; head < (kv_head + 1) * heads_per_kv; ++head) {
      for (std::uint32_t i = 0; i < head_dim; ++i)
        queries[i] += squares.queries[std::size_t{head} * head_dim + i] / static_cast<float>(heads_per_kv);
    }
    share_in_pairs(rope, keys);
    share_in_pairs(rope, queries);
    for (std::uint32_t i = 0; i < head_dim; ++i) {
      const float exponent = std::round(std::log2(keys[i] / queries[i]) / 4);  // of the squares: a fourth root
      factors[std::size_t{kv_head} * head_dim + i] =
          std::isfinite(exponent) ? std::exp2(std::clamp(exponent, -kMaxExponent, kMaxExponent)) : 1.0F;
    }
  }
  return factors;
}

}  // namespace headroom
