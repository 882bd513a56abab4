// The reference quantizer of IQ3, IQ2 and IQ1: with which tests and made models get weights.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "format/decode.h"

namespace headroom {

// Finds the points of a grid that are nearest to elements, under a scale.
template <class Block>
class GridSearch {
 public:
  using Format = GridFormat<Block>;
  static constexpr int kElems = Format::kElems;
  static constexpr bool kIsShifted = Format::kGrid == kIq1Grid;  // and has no signs
  // Whether the last of eight signs follows from the others.
  static constexpr bool kHasEvenSigns =
      std::is_same_v<Block, BlockIQ3_XXS> || std::is_same_v<Block, BlockIQ2_XXS> || std::is_same_v<Block, BlockIQ2_XS>;

  GridSearch() : points_(std::size_t{Format::kPoints} * kElems), squares_(Format::kPoints) {
    for (std::uint32_t point = 0; point < Format::kPoints; ++point) {
      for (int i = 0; i < kElems; ++i) {
        // Of shifts the middle; see choose().
        const float value = Format::kValues[grid_code<kElems>(Format::kGrid, point, i)] - (kIsShifted ? 1.0F : 0.0F);
        points_[static_cast<std::size_t>(i) * Format::kPoints + point] = value;
        squares_[point] += value * value;
      }
    }
  }

  // Points and signs of eight elements, the first of which is number `first` of the group; what is lost, squared.
  float choose_eight(std::span<const float, 8> in, float inverse, bool is_down, int first, GridGroup& to) const {
    std::array<float, 8> wanted;
    std::uint32_t signs = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      wanted[i] = in[i] * inverse;
      if (kIsShifted) {
        wanted[i] -= is_down ? -1.0F : 1.0F;
      } else if (wanted[i] < 0) {
        signs |= 1U << i;
      }
    }
    if (kIsShifted) {
      signs = is_down ? 255U : 0U;
    } else {
      // Where signs are odd, that of the least element is the wrong one.
      if (kHasEvenSigns && std::popcount(signs) % 2 != 0) {
        const auto least = std::ranges::min_element(wanted, {}, [](float x) { return std::fabs(x); });
        signs ^= 1U << (least - wanted.begin());
      }
      for (std::size_t i = 0; i < 8; ++i) wanted[i] *= ((signs >> i) & 1U) != 0 ? -1.0F : 1.0F;
    }
    to.signs = (to.signs & ~(255U << first)) | signs << first;
    float lost = 0;
    for (int i = 0; i < 8; i += kElems) {
      const Nearest found = nearest(wanted.data() + i);
      to.indices[(first + i) / kElems] = found.point;
      lost += found.lost;
    }
    return lost / std::max(inverse * inverse, std::numeric_limits<float>::min());
  }

  // Of n elements from number `first` of their group on; the better of two shifts, which a run of 32 or 8 shares.
  float choose(std::span<const float> in, float inverse, int first, GridGroup& to) const {
    if constexpr (!kIsShifted) return choose_run(in, inverse, false, first, to);
    const std::size_t run = std::is_same_v<Block, BlockIQ1_M> ? 8 : in.size();
    float lost = 0;
    for (std::size_t at = 0; at < in.size(); at += run) {
      const std::span<const float> part = in.subspan(at, run);
      const int from = first + static_cast<int>(at);
      const float up = choose_run(part, inverse, false, from, to), down = choose_run(part, inverse, true, from, to);
      lost += std::min(up, down);
      if (up <= down) choose_run(part, inverse, false, from, to);
    }
    return lost;
  }

 private:
  struct Nearest {
    std::uint16_t point = 0;
    float lost = 0;
  };

  float choose_run(std::span<const float> in, float inverse, bool is_down, int first, GridGroup& to) const {
    float lost = 0;
    for (std::size_t i = 0; i < in.size(); i += 8)
      lost += choose_eight(in.subspan(i).template first<8>(), inverse, is_down, first + static_cast<int>(i), to);
    return lost;
  }

  Nearest nearest(const float* wanted) const {
    std::array<float, Format::kPoints> off;
    std::ranges::copy(squares_, off.begin());
    float square = 0;
    for (int i = 0; i < kElems; ++i) {
      const float twice = 2 * wanted[i];
      const float* of_element = points_.data() + static_cast<std::size_t>(i) * Format::kPoints;
      for (std::size_t point = 0; point < off.size(); ++point) off[point] -= twice * of_element[point];
      square += wanted[i] * wanted[i];
    }
    const auto best = std::ranges::min_element(off);
    return {static_cast<std::uint16_t>(best - off.begin()), *best + square};
  }

  std::vector<float> points_;   // (elements, points)
  std::vector<float> squares_;  // (points), summed over elements
};

// Scales are tried as shares of the one with which the largest element becomes the largest value of the grid.
template <class Block>
void encode_grid_block(std::span<const float, 256> in, Block& block) {
  using Format = GridFormat<Block>;
  static const GridSearch<Block> search;
  constexpr std::size_t kRun = Format::kHasHalves ? 16 : 32, kRuns = 256 / kRun;
  const float most = *std::ranges::max_element(Format::kValues);
  std::array<float, kRuns> scales{};
  float largest_scale = 0;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const std::span<const float> part = in.subspan(run * kRun, kRun);
    float largest = 0, least_lost = std::numeric_limits<float>::infinity();
    for (const float x : part) largest = std::max(largest, std::fabs(x));
    if (!(largest > 0) || !std::isfinite(largest)) continue;
    for (const float share : {0.55F, 0.7F, 0.85F, 1.0F}) {
      GridGroup tried;
      const float scale = largest / most * share, lost = search.choose(part, 1 / scale, 0, tried);
      if (lost < least_lost) least_lost = lost, scales[run] = scale;
    }
    largest_scale = std::max(largest_scale, scales[run]);
  }
  constexpr float kMostFactor = Format::kFactor * (2 * Format::kMostScale + 1);
  put_block_scale(f32_to_f16(std::min(largest_scale / kMostFactor, 65504.0F)), block);
  const float unit = f16_to_f32(block_scale(block)) * Format::kFactor;
  for (std::size_t group = 0; group < 8; ++group) {
    GridGroup chosen;
    for (std::size_t half = 0; half < 32 / kRun; ++half) {
      const std::size_t run = group * (32 / kRun) + half;
      const float steps = unit > 0 ? std::clamp((scales[run] / unit - 1) / 2, 0.0F, float{Format::kMostScale}) : 0.0F;
      const float code = std::round(steps), inverse = unit > 0 ? 1 / (unit * (2 * code + 1)) : 0.0F;
      chosen.scales[half] = static_cast<std::uint8_t>(code);
      if (inverse > 0 && std::isfinite(inverse))
        search.choose(in.subspan(run * kRun, kRun), inverse, static_cast<int>(half * kRun), chosen);
    }
    put_grid_group(chosen, static_cast<int>(group), block);
  }
}

}  // namespace headroom
