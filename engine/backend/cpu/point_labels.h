// Labels: the numbers that panels give to the points of large grids (IQ1, IQ2_S), in place of those in files. A number
// is an index into a table, and a processor that looks bytes up in registers takes the longer for it the longer the
// table is: 2,048 entries cost 16 times what 128 do. Numbers of our own make the table of a point's first half short,
// with as many bits as before.
//
// A point's first four elements are one of at most 81 groups. The lowest seven bits of its label are its block; all
// points of a block belong to two groups at most, those below the block's threshold (by the bits above the seven) to
// the one and the others to the other. Example: the labels 5, 133, 261, ... are the sixteen of block 5. Where its lower
// group begins with the codes 0 1 2 0, its upper one with 2 2 1 0, and its threshold is 9, the first nine points begin
// with the former and seven with the latter. So three tables of 128 entries answer: lower group, upper group,
// threshold. That every way of being distributed over n groups can be cut into n or more such blocks is Walker's alias
// method (Electronics Letters 10, 1974, 127).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "format/grids.h"

namespace headroom {

inline constexpr std::uint32_t kLabelBlocks = 128;

// Of a grid of kWords words, whose points have eight elements of two bits.
template <std::size_t kWords>
struct PointLabels {
  static constexpr std::uint32_t kPoints = 2 * kWords, kSlots = kPoints / kLabelBlocks;
  std::array<std::uint16_t, kPoints> of_point{}, to_point{};  // the label of a file's number, and back
  std::array<std::uint8_t, kLabelBlocks> lower{}, upper{};    // four codes, as group_of() has them
  std::array<std::uint8_t, kLabelBlocks> threshold{};         // slots from here on are of the upper group; below kSlots

  // The first four codes of a point, two bits each.
  static constexpr std::uint8_t group_of(const std::uint32_t (&grid)[kWords], std::uint32_t point) {
    std::uint32_t codes = 0;
    for (int i = 0; i < 4; ++i) codes |= grid_code<8>(grid, point, i) << (2 * i);
    return static_cast<std::uint8_t>(codes);
  }

  constexpr explicit PointLabels(const std::uint32_t (&grid)[kWords]) {
    // Points of a group follow each other in `points`: `left` of them, from `next` on, have no number yet.
    std::array<std::uint32_t, 257> next{};
    std::array<std::uint32_t, 256> left{};
    std::array<std::uint16_t, kPoints> points{};
    for (std::uint32_t point = 0; point < kPoints; ++point) ++left[group_of(grid, point)];
    for (std::size_t group = 0; group < 256; ++group) next[group + 1] = next[group] + left[group];
    for (std::uint32_t point = 0; point < kPoints; ++point)
      points[next[group_of(grid, point)]++] = static_cast<std::uint16_t>(point);
    for (std::size_t group = 0; group < 256; ++group) next[group] -= left[group];
    for (std::uint32_t block = 0; block < kLabelBlocks; ++block) {
      // A group that fills no block alone stands in front of the largest, which fills up the rest.
      std::size_t large = 0;
      for (std::size_t group = 1; group < 256; ++group) {
        if (left[group] > left[large]) large = group;
      }
      std::size_t small = large;
      for (std::size_t group = 0; group < 256; ++group) {
        if (left[group] > 0 && left[group] < kSlots) small = group;
      }
      std::uint32_t slot = 0;
      const auto take = [&](std::size_t group) {
        while (slot < kSlots && left[group] > 0) {
          const std::uint16_t point = points[next[group]++];
          const auto label = static_cast<std::uint16_t>(block | slot << 7U);
          of_point[point] = label;
          to_point[label] = point;
          --left[group], ++slot;
        }
      };
      take(small);
      lower[block] = static_cast<std::uint8_t>(small);
      upper[block] = static_cast<std::uint8_t>(slot < kSlots ? large : small);
      threshold[block] = static_cast<std::uint8_t>(slot < kSlots ? slot : 0);
      take(large);
    }
  }
  // Whether every point has a number and the tables say what it begins with.
  constexpr bool is_right(const std::uint32_t (&grid)[kWords]) const {
    for (std::uint32_t point = 0; point < kPoints; ++point) {
      const std::uint32_t label = of_point[point], block = label % kLabelBlocks, slot = label / kLabelBlocks;
      if (to_point[label] != point) return false;
      if ((slot < threshold[block] ? lower : upper)[block] != group_of(grid, point)) return false;
    }
    return true;
  }
};

inline constexpr PointLabels<512> kIq2SLabels(kIq2SGrid);
inline constexpr PointLabels<1024> kIq1Labels(kIq1Grid);
static_assert(kIq2SLabels.is_right(kIq2SGrid) && kIq1Labels.is_right(kIq1Grid), "every point has a number of its own");

// The grid in the order of these numbers, two points a word.
template <std::size_t kWords>
struct LabelledGrid {
  alignas(64) std::uint32_t words[kWords] = {};
  constexpr LabelledGrid(const std::uint32_t (&grid)[kWords], const PointLabels<kWords>& labels) {
    for (std::uint32_t label = 0; label < 2 * kWords; ++label) {
      const std::uint32_t point = labels.to_point[label];
      words[label / 2] |= (grid[point / 2] >> (point % 2 * 16) & 0xFFFFU) << (label % 2 * 16);
    }
  }
};
inline constexpr LabelledGrid<512> kIq2SPanelGrid(kIq2SGrid, kIq2SLabels);
inline constexpr LabelledGrid<1024> kIq1PanelGrid(kIq1Grid, kIq1Labels);

}  // namespace headroom
