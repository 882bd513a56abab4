#include "backend/cpu/relabel_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "backend/cpu/point_labels.h"
#include "format/dtype_table.h"
#include "format/grid_blocks.h"

namespace headroom {
namespace {

std::vector<std::byte> random_blocks(DType dtype, std::uint64_t n_blocks) {
  std::mt19937 random(11);
  std::vector<std::byte> bytes(n_blocks * dtype_row(dtype).block_bytes);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// Every point of every group, by the numbers of the file and by those of panels, and all that is no number.
template <class Block, std::size_t kWords>
void expect_the_same_points(DType dtype, const std::uint32_t (&grid)[kWords], const LabelledGrid<kWords>& of_panel) {
  constexpr std::uint64_t kBlocks = 300;  // 9,600 indices: each of 2,048 is likely to be there
  const std::vector<std::byte> rows = random_blocks(dtype, kBlocks);
  std::vector<std::byte> labelled = rows;
  relabel_points(dtype, PointNumbers::kOfPanel, labelled);
  EXPECT_NE(labelled, rows);
  std::vector<bool> seen(2 * kWords);
  for (std::uint64_t i = 0; i < kBlocks; ++i) {
    Block file, panel;
    std::memcpy(&file, rows.data() + i * sizeof file, sizeof file);
    std::memcpy(&panel, labelled.data() + i * sizeof panel, sizeof panel);
    for (int group = 0; group < 8; ++group) {
      const GridGroup a = grid_group(file, group), b = grid_group(panel, group);
      EXPECT_EQ(a.signs, b.signs);
      EXPECT_EQ(a.scales[0], b.scales[0]);
      EXPECT_EQ(a.scales[1], b.scales[1]);
      for (int point = 0; point < 4; ++point) {
        seen[a.indices[point]] = true;
        for (int element = 0; element < 8; ++element)
          ASSERT_EQ(grid_code<8>(grid, a.indices[point], element),
                    grid_code<8>(of_panel.words, b.indices[point], element))
              << a.indices[point];
      }
    }
    EXPECT_EQ(block_scale(file), block_scale(panel));
  }
  EXPECT_GT(std::ranges::count(seen, true), static_cast<std::ptrdiff_t>(seen.size() * 9 / 10));
  relabel_points(dtype, PointNumbers::kOfFile, labelled);
  EXPECT_EQ(labelled, rows) << "the numbers of the file come back";
}

TEST(RelabelPoints, a_point_keeps_its_elements_and_all_else_its_place) {
  expect_the_same_points<BlockIQ1_S>(DType::kIQ1_S, kIq1Grid, kIq1PanelGrid);
  expect_the_same_points<BlockIQ1_M>(DType::kIQ1_M, kIq1Grid, kIq1PanelGrid);
  expect_the_same_points<BlockIQ2_S>(DType::kIQ2_S, kIq2SGrid, kIq2SPanelGrid);
}

TEST(RelabelPoints, no_other_type_has_numbers_of_its_own) {
  for (const DTypeRow& type : kDTypes) {
    const bool has = type.dtype == DType::kIQ1_S || type.dtype == DType::kIQ1_M || type.dtype == DType::kIQ2_S;
    EXPECT_EQ(has_labels(type.dtype), has) << type.name;
  }
}

}  // namespace
}  // namespace headroom
