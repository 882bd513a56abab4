#include "model/gpu_panel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "format/blocks.h"
#include "format/decode.h"
#include "format/dtype_table.h"

namespace headroom {
namespace {

// A row of a panel read element by element, as the header of gpu_panel.h describes it.
class PanelReader {
 public:
  PanelReader(DType dtype, std::uint64_t n_cols, const std::byte* panel)
      : dtype_(dtype), shape_(gpu_panel(dtype, n_cols)), panel_(panel) {}

  float element(std::uint32_t row, std::uint64_t col) const {
    const std::uint64_t group = col / 32, block = group / 8;
    const auto in_group = static_cast<std::uint32_t>(col % 32), in_block = static_cast<std::uint32_t>(group % 8);
    if (dtype_ == DType::kF32) {
      float value = 0;
      std::memcpy(&value, unit(row, 8 * group + in_group / 4) + in_group % 4 * 4, 4);
      return value;
    }
    if (dtype_ == DType::kF16) return f16_to_f32(half(unit(row, 4 * group + in_group / 8) + in_group % 8 * 2));
    if (dtype_ == DType::kBF16) return bf16_to_f32(half(unit(row, 4 * group + in_group / 8) + in_group % 8 * 2));
    switch (dtype_) {
      case DType::kQ8_0:
        return group_scale(row, group) * static_cast<std::int8_t>(unit(row, 2 * group + in_group / 16)[in_group % 16]);
      case DType::kQ4_0: return group_scale(row, group) * (nibble(row, col) - 8);
      case DType::kQ5_0: return group_scale(row, group) * (nibble(row, col) + 16 * high_bit(row, col) - 16);
      case DType::kQ4_1:
      case DType::kQ5_1: {
        const std::byte* both = header(row, group / 4) + group % 4 * 4;
        const float code = nibble(row, col) + (dtype_ == DType::kQ5_1 ? 16 * high_bit(row, col) : 0);
        return f16_to_f32(half(both)) * code + f16_to_f32(half(both + 2));
      }
      case DType::kQ2_K: {
        const auto packed = std::to_integer<std::uint32_t>(header(row, block)[col % 256 / 16]);
        const std::byte* both = scales(row, block, 4);
        return f16_to_f32(half(both)) * static_cast<float>(packed & 15) * pair(row, 0, col) -
               f16_to_f32(half(both + 2)) * static_cast<float>(packed >> 4);
      }
      case DType::kQ3_K: {
        std::uint8_t packed[12];
        std::memcpy(packed, header(row, block), sizeof packed);
        const int scale = six_bit_scale(packed, static_cast<int>(col % 256 / 16)) - 32;
        return f16_to_f32(half(header(row, block) + 12)) * static_cast<float>(scale) *
               (pair(row, 0, col) + 4 * high_bit(row, col) - 4);
      }
      case DType::kQ6_K: {
        const auto scale = static_cast<std::int8_t>(header(row, block)[col % 256 / 16]);
        return f16_to_f32(half(scales(row, block, 2))) * scale *
               (nibble(row, col) + 16 * pair(row, shape_.n_codes, col) - 32);
      }
      case DType::kIQ4_NL: return group_scale(row, group) * kIq4Values[static_cast<int>(nibble(row, col))];
      case DType::kIQ4_XS: {
        BlockIQ4_XS fields{};
        std::memcpy(&fields, scales(row, block, 8), 8);
        return f16_to_f32(fields.scale) *
               static_cast<float>(headroom::group_scale(fields, static_cast<int>(in_block)) - 32) *
               kIq4Values[static_cast<int>(nibble(row, col))];
      }
      case DType::kMXFP4:
        return e8m0_half_to_f32(std::to_integer<std::uint8_t>(scales(row, block, 8)[in_block])) *
               kFp4Values[static_cast<int>(nibble(row, col))];
      default: break;
    }
    std::uint8_t packed[12];
    std::memcpy(packed, header(row, block) + 4, sizeof packed);
    const GroupScaleMin factors = group_scale_min(packed, static_cast<int>(in_block));
    const float code = nibble(row, col) + (dtype_ == DType::kQ5_K ? 16 * high_bit(row, col) : 0);
    return f16_to_f32(half(header(row, block))) * factors.scale * code -
           f16_to_f32(half(header(row, block) + 2)) * factors.min;
  }

 private:
  float nibble(std::uint32_t row, std::uint64_t col) const {
    const auto both = std::to_integer<std::uint32_t>(unit(row, col / 32)[col % 16]);
    return static_cast<float>(col % 32 < 16 ? both & 15 : both >> 4);
  }
  float high_bit(std::uint32_t row, std::uint64_t col) const {
    const std::uint64_t group = col / 32;
    const std::uint32_t bits = word(unit(row, shape_.n_codes + group / 4) + group % 4 * 4);
    return static_cast<float>((bits >> (8 * (col % 4) + col % 32 / 4)) & 1);
  }
  // Two bits, in a plane that begins at unit `plane`.
  float pair(std::uint32_t row, std::uint64_t plane, std::uint64_t col) const {
    const std::uint64_t group = col / 32, w = col % 32 / 4;
    const std::uint32_t bits = word(unit(row, plane + group / 2) + group % 2 * 8 + w / 4 * 4);
    return static_cast<float>((bits >> (8 * (col % 4) + 2 * (w % 4))) & 3);
  }
  const std::byte* header(std::uint32_t row, std::uint64_t index) const {
    return unit(row, shape_.n_codes + shape_.n_highs + index);
  }
  float group_scale(std::uint32_t row, std::uint64_t group) const {
    return f16_to_f32(half(header(row, group / 8) + group % 8 * 2));
  }
  const std::byte* scales(std::uint32_t row, std::uint64_t block, std::uint64_t n_bytes) const {
    const std::uint64_t at = block * n_bytes;
    return unit(row, shape_.n_codes + shape_.n_highs + shape_.n_headers + at / 16) + at % 16;
  }
  const std::byte* unit(std::uint32_t row, std::uint64_t index) const {
    return panel_ + (index * kGpuPanelRows + row) * kGpuUnitBytes;
  }
  static std::uint16_t half(const std::byte* at) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    return bits;
  }
  static std::uint32_t word(const std::byte* at) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    return bits;
  }

  DType dtype_;
  GpuPanel shape_;
  const std::byte* panel_;
};

// Any bytes are a row of any type; exponents are kept small, so that numbers are.
std::vector<std::byte> random_rows(DType dtype, std::uint64_t n_cols, std::uint32_t n_rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> rows(n_rows * row_bytes(dtype, n_cols));
  for (std::byte& each : rows) each = std::byte{static_cast<std::uint8_t>(random())};
  if (dtype_row(dtype).block_elems == 1) {
    const std::size_t each = dtype_row(dtype).block_bytes;
    for (std::size_t at = each - 1; at < rows.size(); at += each) rows[at] &= std::byte{0x3F};
  }
  return rows;
}

TEST(GpuPanel, holds_every_row_of_every_type) {
  for (const DTypeRow& type : kDTypes) {
    if (type.gguf_type < 0) continue;
    const std::uint64_t step = type.block_elems;
    for (const std::uint64_t n_cols : {step == 1 ? 37 : step, step * 3, std::uint64_t{2304}}) {
      for (const std::uint32_t n_rows : {1U, 31U, 32U}) {
        SCOPED_TRACE(fmt::format("{}, {} rows of {}", type.name, n_rows, n_cols));
        const std::vector<std::byte> rows = random_rows(type.dtype, n_cols, n_rows, n_cols + n_rows);
        std::vector<std::byte> panel(gpu_panel(type.dtype, n_cols).bytes(), std::byte{0xA5});
        pack_gpu_panel(type.dtype, n_cols, n_rows, rows.data(), panel.data());
        const PanelReader reader(type.dtype, n_cols, panel.data());
        std::vector<float> expected(n_cols);
        for (std::uint32_t row = 0; row < kGpuPanelRows; ++row) {
          if (row < n_rows) {
            decode_row(type.dtype, rows.data() + row * row_bytes(type.dtype, n_cols), n_cols, expected.data());
          } else {
            std::fill(expected.begin(), expected.end(), 0.0F);
          }
          for (std::uint64_t col = 0; col < n_cols; ++col) {
            const float found = reader.element(row, col);
            if (std::isnan(expected[col]) && std::isnan(found)) continue;
            ASSERT_FLOAT_EQ(found, expected[col]) << row << " " << col;
          }
        }
      }
    }
  }
}

TEST(GpuPanel, takes_what_the_file_takes_but_for_the_ends_of_rows) {
  for (const DTypeRow& type : kDTypes) {
    if (type.gguf_type < 0) continue;
    SCOPED_TRACE(type.name);
    const std::uint64_t n_empty = type.dtype == DType::kQ3_K ? 2 * 4096 / 256 : 0;  // bytes of a row
    EXPECT_EQ(gpu_panel(type.dtype, 4096).bytes(), 32 * (row_bytes(type.dtype, 4096) + n_empty));
    EXPECT_LT(static_cast<double>(gpu_panel(type.dtype, 896 + 128).bytes()),
              1.03 * static_cast<double>(32 * row_bytes(type.dtype, 896 + 128)));
  }
  // 28 groups, whose scales take four units of which half of one is empty.
  EXPECT_EQ(gpu_panel(DType::kQ4_0, 896).bytes(), 32 * (row_bytes(DType::kQ4_0, 896) + 8));
  EXPECT_EQ(gpu_panel(DType::kF32, 33).bytes(), 32U * 64 * 4);
}

// Nothing of what stood there before is left: what no row fills is zero, also behind the last group.
TEST(GpuPanel, is_written_whole) {
  for (const DTypeRow& type : kDTypes) {
    if (type.gguf_type < 0) continue;
    const std::uint64_t n_cols = type.block_elems == 1 ? 21 : type.block_elems;
    const std::vector<std::byte> rows = random_rows(type.dtype, n_cols, 3, 5);
    std::vector<std::byte> once(gpu_panel(type.dtype, n_cols).bytes(), std::byte{0}),
        again(once.size(), std::byte{0xFF});
    pack_gpu_panel(type.dtype, n_cols, 3, rows.data(), once.data());
    pack_gpu_panel(type.dtype, n_cols, 3, rows.data(), again.data());
    EXPECT_EQ(once, again) << type.name;
  }
}

}  // namespace
}  // namespace headroom
