#include "backend/cpu/panel.h"

#include <gtest/gtest.h>

#include <vector>

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
  for (std::uint32_t lane = 0; lane < kPanelRows; ++lane)
    put_panel_row(type.dtype, n_cols, lane, rows.data() + lane * stride, panel.data());
  for (std::uint32_t lane = 0; lane < kPanelRows; ++lane) {
    take_panel_row(type.dtype, n_cols, lane, panel.data(), row.data());
    EXPECT_TRUE(std::equal(row.begin(), row.end(), rows.begin() + static_cast<std::ptrdiff_t>(lane * stride)))
        << type.name << " " << lane;
  }
  std::vector<std::byte> at_once(panel.size());
  put_panel(type.dtype, n_cols, kPanelRows, rows.data(), at_once.data());
  EXPECT_EQ(at_once, panel) << type.name << " " << n_cols;
}

TEST(Panel, every_row_of_every_format_comes_out_as_it_went_in) {
  for (const DTypeRow& type : kDTypes) {
    for (const std::uint64_t n_blocks : {3, 53})
      expect_rows_come_out_as_they_went_in(type, n_blocks * type.block_elems);
  }
}

TEST(Panel, missing_rows_are_zero_blocks) {
  for (const DTypeRow& type : kDTypes) {
    if (!type.is_weight) continue;
    const std::uint64_t n_cols = type.block_elems;
    const std::vector<std::byte> rows = numbered_rows(row_bytes(type.dtype, n_cols) * 3);
    std::vector<std::byte> panel(panel_bytes(type.dtype, n_cols), std::byte{7});
    put_panel(type.dtype, n_cols, 3, rows.data(), panel.data());
    std::vector<std::byte> expected(panel.size());
    for (std::uint32_t lane = 0; lane < 3; ++lane) {
      put_panel_row(type.dtype, n_cols, lane, rows.data() + lane * row_bytes(type.dtype, n_cols), expected.data());
    }
    EXPECT_EQ(panel, expected) << type.name;
  }
}

}  // namespace
}  // namespace headroom
