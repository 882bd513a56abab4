#include "backend/cpu/panel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "backend/cpu/relabel_points.h"
#include "format/decode.h"
#include "format/dtype_table.h"

namespace headroom {
namespace {

std::vector<std::byte> numbered_rows(Bytes n_bytes) {
  std::vector<std::byte> bytes(n_bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>((i * 131 + i / 256) & 255U);
  return bytes;
}

void expect_rows_come_out_as_they_went_in(const DTypeRow& type, std::uint64_t n_cols) {
  const Bytes stride = row_bytes(type.dtype, n_cols);
  const std::vector<std::byte> rows = numbered_rows(stride * kPanelRows);
  std::vector<std::byte> panel(panel_bytes(type.dtype, n_cols)), row(stride);
  put_panel(type.dtype, n_cols, kPanelRows, rows.data(), panel.data());
  for (std::uint32_t lane = 0; lane < kPanelRows; ++lane) {
    take_panel_row(type.dtype, n_cols, lane, panel.data(), row.data());
    EXPECT_TRUE(std::equal(row.begin(), row.end(), rows.begin() + static_cast<std::ptrdiff_t>(lane * stride)))
        << type.name << " " << lane;
  }
  if (has_labels(type.dtype)) return;
  std::vector<std::byte> row_by_row(panel.size());
  for (std::uint32_t lane = 0; lane < kPanelRows; ++lane)
    put_panel_row(type.dtype, n_cols, lane, rows.data() + lane * stride, row_by_row.data());
  EXPECT_EQ(row_by_row, panel) << type.name << " " << n_cols;
}

TEST(Panel, every_row_of_every_format_comes_out_as_it_went_in) {
  for (const DTypeRow& type : kDTypes) {
    for (const std::uint64_t n_blocks : {3, 53})
      expect_rows_come_out_as_they_went_in(type, n_blocks * type.block_elems);
  }
}

// Kernels read panels from front to back, which processors follow by themselves.
TEST(Panel, a_block_of_all_rows_stands_in_one_run) {
  for (const DTypeRow& type : kDTypes) {
    if (type.row_extra_bytes != 0) continue;  // scales of whole rows stand behind all blocks
    const std::uint64_t n_cols = 3 * type.block_elems;
    const Bytes stride = row_bytes(type.dtype, n_cols), of_block = Bytes{type.block_bytes} * kPanelRows;
    std::vector<std::byte> rows(stride * kPanelRows), before(panel_bytes(type.dtype, n_cols)), after(before.size());
    put_panel(type.dtype, n_cols, kPanelRows, rows.data(), before.data());
    for (std::uint32_t lane = 0; lane < kPanelRows; ++lane)
      std::fill_n(rows.data() + lane * stride + type.block_bytes, type.block_bytes, std::byte{0xA5});
    put_panel(type.dtype, n_cols, kPanelRows, rows.data(), after.data());
    const auto differ = [&](Bytes first, Bytes last) {
      return !std::equal(before.begin() + static_cast<std::ptrdiff_t>(first),
                         before.begin() + static_cast<std::ptrdiff_t>(last),
                         after.begin() + static_cast<std::ptrdiff_t>(first));
    };
    EXPECT_FALSE(differ(0, of_block)) << type.name;
    EXPECT_TRUE(differ(of_block, 2 * of_block)) << type.name;
    EXPECT_FALSE(differ(2 * of_block, 3 * of_block)) << type.name;
  }
}

TEST(Panel, missing_rows_are_zero_blocks) {
  for (const DTypeRow& type : kDTypes) {
    if (!type.is_weight) continue;
    const std::uint64_t n_cols = type.block_elems;
    const std::vector<std::byte> rows = numbered_rows(row_bytes(type.dtype, n_cols) * 3);
    std::vector<std::byte> panel(panel_bytes(type.dtype, n_cols), std::byte{7});
    put_panel(type.dtype, n_cols, 3, rows.data(), panel.data());
    if (has_labels(type.dtype)) continue;
    std::vector<std::byte> expected(panel.size());
    for (std::uint32_t lane = 0; lane < 3; ++lane) {
      put_panel_row(type.dtype, n_cols, lane, rows.data() + lane * row_bytes(type.dtype, n_cols), expected.data());
    }
    EXPECT_EQ(panel, expected) << type.name;
  }
}

// Their blocks have points with numbers of panels, and a scale of zero.
TEST(Panel, missing_rows_of_grids_are_zero) {
  for (const DTypeRow& type : kDTypes) {
    if (!has_labels(type.dtype)) continue;
    const std::uint64_t n_cols = 2 * type.block_elems;
    const Bytes stride = row_bytes(type.dtype, n_cols);
    const std::vector<std::byte> rows = numbered_rows(stride * 3);
    std::vector<std::byte> panel(panel_bytes(type.dtype, n_cols), std::byte{7}), row(stride);
    put_panel(type.dtype, n_cols, 3, rows.data(), panel.data());
    for (std::uint32_t lane = 0; lane < kPanelRows; ++lane) {
      take_panel_row(type.dtype, n_cols, lane, panel.data(), row.data());
      if (lane < 3) {
        EXPECT_TRUE(std::equal(row.begin(), row.end(), rows.begin() + static_cast<std::ptrdiff_t>(lane * stride)))
            << type.name << " " << lane;
        continue;
      }
      std::vector<float> values(n_cols, 1.0F);
      decode_row(type.dtype, row.data(), n_cols, values.data());
      EXPECT_TRUE(std::ranges::all_of(values, [](float value) { return value == 0; })) << type.name << " " << lane;
    }
  }
}

}  // namespace
}  // namespace headroom
