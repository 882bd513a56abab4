// The points of the grids that IQ3, IQ2 and IQ1 choose groups of four or eight elements from. One table for decoders,
// the CPU's kernels, CUDA and Vulkan: see tests/oracle/make_grids.py for how a point stands in it.
#pragma once

#include <cstdint>

namespace headroom {

// Two points a word.
alignas(64) inline constexpr std::uint32_t kIq3XxsGrid[128] = {
#include "format/grids/iq3_xxs.inl"
};
alignas(64) inline constexpr std::uint32_t kIq3SGrid[256] = {
#include "format/grids/iq3_s.inl"
};
alignas(64) inline constexpr std::uint32_t kIq2XxsGrid[128] = {
#include "format/grids/iq2_xxs.inl"
};
alignas(64) inline constexpr std::uint32_t kIq2XsGrid[256] = {
#include "format/grids/iq2_xs.inl"
};
alignas(64) inline constexpr std::uint32_t kIq2SGrid[512] = {
#include "format/grids/iq2_s.inl"
};
alignas(64) inline constexpr std::uint32_t kIq1Grid[1024] = {
// of IQ1_S and IQ1_M
#include "format/grids/iq1_s.inl"
};

// The code of an element of a point of four or eight elements.
template <int kElems>
constexpr std::uint32_t grid_code(const std::uint32_t* grid, std::uint32_t index, int element) {
  constexpr int kBits = 16 / kElems;
  const std::uint32_t point = grid[index / 2] >> (index % 2 * 16);
  return (point >> (element % 2 * 8 + element / 2 * kBits)) & ((1U << kBits) - 1);
}

// What codes stand for, and with 8 added what they stand for where the element's sign is set. IQ1 has no signs but a
// shift of all elements of a group, up or down, an eighth of a step: its values are eighths.
inline constexpr std::int8_t kIq3XxsValues[16] = {4, 12, 20, 28, 36, 44, 52, 62, -4, -12, -20, -28, -36, -44, -52, -62};
inline constexpr std::int8_t kIq3SValues[16] = {1, 3, 5, 7, 9, 11, 13, 15, -1, -3, -5, -7, -9, -11, -13, -15};
inline constexpr std::int8_t kIq2Values[16] = {8, 25, 43, 0, 0, 0, 0, 0, -8, -25, -43, 0, 0, 0, 0, 0};
inline constexpr std::int8_t kIq1Values[16] = {-7, 1, 9, 0, 0, 0, 0, 0, -9, -1, 7, 0, 0, 0, 0, 0};

}  // namespace headroom
