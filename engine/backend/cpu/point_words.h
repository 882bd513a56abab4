// Points of grids as words, for look-ups in memory: sixteen at a time, a word a lane. A code of a point of four
// elements has a byte of its own; of eight, elements 0 to 3 have the low halves of the bytes, and 4 to 7 the high ones.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/cpu/point_labels.h"
#include "format/grids.h"

namespace headroom {

template <std::size_t kPoints>
struct PointWords {
  alignas(64) std::uint32_t words[kPoints] = {};
};

// kPoints may be more than the grid has: `nibble_of` gives what stands for element e of an index.
template <int kElems, std::size_t kPoints, class NibbleOf>
constexpr PointWords<kPoints> point_words(const NibbleOf& nibble_of) {
  PointWords<kPoints> points;
  for (std::uint32_t index = 0; index < kPoints; ++index) {
    for (int element = 0; element < kElems; ++element)
      points.words[index] |= nibble_of(index, element) << (element % 4 * 8 + element / 4 * 4);
  }
  return points;
}
template <int kElems, std::size_t kWords>
constexpr PointWords<2 * kWords> code_words(const std::uint32_t (&grid)[kWords]) {
  return point_words<kElems, 2 * kWords>(
      [&](std::uint32_t point, int element) { return grid_code<kElems>(grid, point, element); });
}

inline constexpr PointWords<256> kIq3XxsWords = code_words<4>(kIq3XxsGrid);
inline constexpr PointWords<512> kIq3SWords = code_words<4>(kIq3SGrid);
inline constexpr PointWords<256> kIq2XxsWords = code_words<8>(kIq2XxsGrid);
inline constexpr PointWords<512> kIq2XsWords = code_words<8>(kIq2XsGrid);
inline constexpr PointWords<1024> kIq2SWords = code_words<8>(kIq2SPanelGrid.words);  // by labels

// Values of IQ1, in eighths, are arithmetic on codes and a sign: 8 code - 7, or 8 code - 9 where it is set. From
// -kIq1Offset on they are even, and their halves, 0 to 9, stand here. An index is a label with the sign above it.
inline constexpr int kIq1Offset = 9;
inline constexpr PointWords<4096> kIq1Words = point_words<8, 4096>([](std::uint32_t index, int element) {
  return 4 * grid_code<8>(kIq1PanelGrid.words, index % 2048, element) + (index < 2048 ? 1U : 0U);
});

}  // namespace headroom
