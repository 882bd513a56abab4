// The reference quantizer of IQ3, IQ2 and IQ1: with which tests and made models get weights.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "format/decode.h"

namespace headroom {

// Finds points of a grid that are near to elements, under a scale. What is lost, squared, is 2 to 8 % more than with
// the nearest of all.
template <class Block>
class GridSearch {
 public:
  using Format = GridFormat<Block>;
  static constexpr int kElems = Format::kElems;
  // Whether all elements of a group are shifted, up or down: such blocks have no signs.
  static constexpr bool kIsShifted = std::is_same_v<Block, BlockIQ1_S> || std::is_same_v<Block, BlockIQ1_M>;
  // Whether the last of eight signs follows from the others.
  static constexpr bool kHasEvenSigns =
      std::is_same_v<Block, BlockIQ3_XXS> || std::is_same_v<Block, BlockIQ2_XXS> || std::is_same_v<Block, BlockIQ2_XS>;

  GridSearch() : points_(std::size_t{Format::kPoints} * kElems), near_(kCorners) {
    for (std::uint32_t point = 0; point < Format::kPoints; ++point) {
      // Of shifts the middle; see choose().
      for (int i = 0; i < kElems; ++i)
        points_[std::size_t{point} * kElems + static_cast<std::size_t>(i)] =
            Format::kValues[grid_code<kElems>(Format::kGrid, point, i)] - kMiddle;
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

  // A corner has each element rounded by itself: of IQ2, whose values are 8, 25 and 43, 10 30 9 9 40 8 8 20 goes to
  // 8 25 8 8 43 8 8 25, which may be no point of the grid. The four points that are nearest to a corner are looked for
  // when it is first met; the best of these four is taken. To look at all points each time takes a hundred times as
  // long.
  Nearest nearest(const float* wanted) const {
    std::array<float, kElems> at;
    std::uint32_t corner = 0;
    for (std::size_t i = 0; i < kElems; ++i) {
      std::uint32_t code = 0;  // counted without branches, which no processor could foresee
      for (const float border : kBorders) code += wanted[i] + kMiddle > border ? 1U : 0U;
      at[i] = Format::kValues[code] - kMiddle;
      corner = corner * kCodes + code;
    }
    // Threads that meet it together find the same.
    std::uint64_t near = near_[corner].load(std::memory_order_relaxed);
    if (near == kUnknown) near_[corner].store(near = points_near(at), std::memory_order_relaxed);
    Nearest best{0, std::numeric_limits<float>::infinity()};
    for (int i = 0; i < 64; i += 16) {
      const auto point = static_cast<std::uint16_t>(near >> i & 0xFFFF);
      if (const float lost = distance(point, wanted); lost < best.lost) best = {point, lost};
    }
    return best;
  }

  float distance(std::uint32_t point, const float* from) const {
    const float* elems = points_.data() + std::size_t{point} * kElems;
    float sum = 0;
    for (std::size_t i = 0; i < kElems; ++i) sum += (elems[i] - from[i]) * (elems[i] - from[i]);
    return sum;
  }

  // The nearest four, 16 bits each.
  std::uint64_t points_near(const std::array<float, kElems>& corner) const {
    std::array<std::pair<float, std::uint16_t>, Format::kPoints> all;
    for (std::uint16_t point = 0; point < Format::kPoints; ++point)
      all[point] = {distance(point, corner.data()), point};
    std::ranges::partial_sort(all, all.begin() + 4);
    std::uint64_t near = 0;
    for (std::size_t i = 0; i < 4; ++i) near |= std::uint64_t{all[i].second} << (16 * i);
    return near;
  }

  static constexpr float kMiddle = kIsShifted ? 1.0F : 0.0F;
  // A corner's number has a digit for each element: its code, of eight or three.
  static constexpr std::uint32_t kCodes = kElems == 4 ? 8 : 3, kCorners = kElems == 4 ? 8 * 8 * 8 * 8 : 81 * 81;
  static constexpr std::uint64_t kUnknown = 0;  // as the four differ
  // Between two values of the grid, which ascend.
  static constexpr std::array<float, kCodes - 1> kBorders = [] {
    std::array<float, kCodes - 1> borders{};
    for (std::uint32_t code = 0; code + 1 < kCodes; ++code)
      borders[code] = (Format::kValues[code] + Format::kValues[code + 1]) / 2.0F;
    return borders;
  }();

  std::vector<float> points_;                             // (points, elements)
  mutable std::vector<std::atomic<std::uint64_t>> near_;  // (corners)
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
