// Plain arithmetic that kernels are held to, when the engine starts and in contract tests.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "backend/cpu/kernel_table.h"
#include "base/bytes.h"

namespace headroom {

inline double dot_plainly(const float* a, const float* b, std::size_t n) {
  double even = 0, odd = 0;  // two sums, since one would wait for itself
  for (std::size_t i = 0; i + 1 < n; i += 2) {
    even += static_cast<double>(a[i]) * b[i];
    odd += static_cast<double>(a[i + 1]) * b[i + 1];
  }
  return even + odd + (n % 2 == 1 ? static_cast<double>(a[n - 1]) * b[n - 1] : 0.0);
}
inline double norm_plainly(const float* row, std::size_t n) { return std::sqrt(dot_plainly(row, row, n)); }

inline double sigmoid_plainly(double x) { return 1.0 / (1.0 + std::exp(-x)); }
inline double silu_plainly(double x) { return x * sigmoid_plainly(x); }
inline double gelu_plainly(double x) {      // in its tanh form
  const double root = 0.79788456080286536;  // of 2 / pi
  return 0.5 * x * (1.0 + std::tanh(root * (x + 0.044715 * x * x * x)));
}
inline double clamped_mul_plainly(double gate, double up) {
  const double limit = kClampedLimit, below = std::min(gate, limit);
  return below * sigmoid_plainly(kClampedSlope * below) * (std::clamp(up, -limit, limit) + 1.0);
}
inline double softcap_plainly(double x, double cap) { return cap > 0 ? cap * std::tanh(x / cap) : x; }  // 0: none

// A head whose pairs turn by an angle each: pair i is elements 2 i and 2 i + 1, or i and i + angles.size().
struct PlainTurn {
  std::vector<float> cosines, sines;  // of every element, as the kernels read them
  bool neighbours = false;

  PlainTurn(std::span<const float> angles, bool are_neighbours)
      : cosines(2 * angles.size()), sines(2 * angles.size()), neighbours(are_neighbours) {
    for (std::size_t pair = 0; pair < angles.size(); ++pair) {
      cosines[first(pair)] = cosines[second(pair)] = std::cos(angles[pair]);
      sines[second(pair)] = std::sin(angles[pair]);
      sines[first(pair)] = -sines[second(pair)];
    }
  }
  std::size_t first(std::size_t pair) const { return neighbours ? 2 * pair : pair; }
  std::size_t second(std::size_t pair) const { return neighbours ? 2 * pair + 1 : pair + cosines.size() / 2; }
  // What stands behind the pairs does not turn.
  std::vector<double> turned(std::span<const float> head) const {
    std::vector<double> out(head.begin(), head.end());
    for (std::size_t pair = 0; pair < cosines.size() / 2; ++pair) {
      const double x = head[first(pair)], y = head[second(pair)];
      out[first(pair)] = x * cosines[first(pair)] + y * sines[first(pair)];
      out[second(pair)] = y * cosines[second(pair)] + x * sines[second(pair)];
    }
    return out;
  }
};

// The state of one value head of a delta net, (key_dim, value_dim), row by row.
struct PlainState {
  std::size_t key_dim = 0, value_dim = 0;
  std::vector<double> elems = std::vector<double>(key_dim * value_dim);

  // What the query reads after the state has decayed by exp(log_decay) and was corrected. See OpKind::kDeltaRule.
  std::vector<double> step(const float* query, const float* key, const float* value, double log_decay, double beta) {
    std::vector<double> held(value_dim), read(value_dim);
    for (double& elem : elems) elem *= std::exp(log_decay);
    for (std::size_t i = 0; i < key_dim; ++i) {
      for (std::size_t n = 0; n < value_dim; ++n) held[n] += elems[i * value_dim + n] * key[i];
    }
    for (std::size_t i = 0; i < key_dim; ++i) {
      for (std::size_t n = 0; n < value_dim; ++n) {
        elems[i * value_dim + n] += key[i] * beta * (value[n] - held[n]);
        read[n] += elems[i * value_dim + n] * query[i];
      }
    }
    return read;
  }
  // Where the kernels have element (i, n): see DeltaJob::state.
  std::size_t place(std::size_t i, std::size_t n) const {
    const std::size_t first = n / 16 * 16, width = std::min<std::size_t>(16, value_dim - first);
    return first * key_dim + i * width + n - first;
  }
};

// What a query reads: values (rows of n elements), each with the share that the exponential of its score has of all.
inline std::vector<double> attend_plainly(std::span<const double> scores, std::span<const float* const> values,
                                          std::size_t n) {
  double most = -INFINITY, sum = 0;
  for (const double score : scores) most = std::max(most, score);
  for (const double score : scores) sum += std::exp(score - most);
  std::vector<double> out(n);
  for (std::size_t key = 0; key < scores.size(); ++key) {
    const double share = std::exp(scores[key] - most) / sum;
    for (std::size_t i = 0; i < n; ++i) out[i] += share * values[key][i];
  }
  return out;
}

// A row for slabs as quantize_slabs() leaves it: interleaved in its tile or, where a set has tile registers, whole: n
// quants, a scale per 256, -128 * their sums per 256 and per 32, outliers per 256 and their counts.
struct SlabRowView {
  const ActTile& tile;
  std::uint32_t n, column;
  bool is_whole;

  std::int8_t quant(std::uint32_t i) const {
    return is_whole ? tile.quants[column * tile.row_stride + i]
                    : tile.quants[(i / 32 * tile.width + column) * 32 + i % 32];
  }
  float scale(std::uint32_t slab) const {
    return is_whole ? std::bit_cast<float>(number(slab)) : tile.scales[slab * 8 * tile.width + column];
  }
  std::int32_t slab_start(std::uint32_t slab) const {
    return is_whole ? number(n_slabs() + slab) : tile.slab_offset_corrections[slab * tile.width + column];
  }
  std::int32_t start(std::uint32_t block) const {
    return is_whole ? number(2 * n_slabs() + block) : tile.offset_corrections[block * tile.width + column];
  }
  SlabOutliers outliers(std::uint32_t slab) const {
    if (!is_whole) return tile.outliers[slab * tile.width + column];
    SlabOutliers found;
    std::memcpy(&found, behind_sums() + slab * sizeof(found), sizeof(found));
    return found;
  }
  std::uint32_t n_outliers(std::uint32_t slab) const {
    if (!is_whole) return tile.outlier_counts[slab * tile.width + column];
    return std::to_integer<std::uint32_t>(behind_sums()[n_slabs() * sizeof(SlabOutliers) + slab]);
  }

 private:
  std::uint32_t n_slabs() const { return static_cast<std::uint32_t>(div_up(n, kSlabCols)); }
  const std::byte* behind_quants() const {
    return reinterpret_cast<const std::byte*>(tile.quants + column * tile.row_stride + n);
  }
  const std::byte* behind_sums() const { return behind_quants() + (2 * n_slabs() + n / 32) * sizeof(std::int32_t); }
  std::int32_t number(std::size_t at) const {
    std::int32_t value = 0;
    std::memcpy(&value, behind_quants() + at * sizeof(value), sizeof(value));
    return value;
  }
};

}  // namespace headroom
