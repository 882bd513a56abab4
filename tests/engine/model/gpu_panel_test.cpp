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
      case DType::kIQ1_S: return grid_element<BlockIQ1_S>(row, col);
      case DType::kIQ1_M: return grid_element<BlockIQ1_M>(row, col);
      case DType::kIQ2_XXS: return grid_element<BlockIQ2_XXS>(row, col);
      case DType::kIQ2_XS: return grid_element<BlockIQ2_XS>(row, col);
      case DType::kIQ2_S: return grid_element<BlockIQ2_S>(row, col);
      case DType::kIQ3_XXS: return grid_element<BlockIQ3_XXS>(row, col);
      case DType::kIQ3_S: return grid_element<BlockIQ3_S>(row, col);
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
  // Of IQ3, IQ2 and IQ1.
  template <class Block>
  float grid_element(std::uint32_t row, std::uint64_t col) const {
    using Format = GridFormat<Block>;
    const std::uint64_t group = col / 32, block = group / 8;
    const auto k = static_cast<std::uint32_t>(col % 32), in_block = static_cast<std::uint32_t>(group % 8);
    const std::uint32_t number = k / Format::kElems;  // of the point
    const bool is_iq1 = dtype_ == DType::kIQ1_S || dtype_ == DType::kIQ1_M;
    const std::byte* codes = unit(row, group / 2) + group % 2 * 8;
    const std::byte* in_highs = unit(row, shape_.n_codes + group / 4) + group % 4 * 4;
    auto index = std::to_integer<std::uint32_t>((is_iq1 ? in_highs : codes)[number]);
    const std::uint32_t of_signs = is_iq1 ? 0 : word(shape_.n_highs > 0 ? in_highs : codes + 4);
    // Element 4 j + i: bit spread_bit(j) of byte i.
    const auto bit = [&](std::uint32_t element) {
      const std::uint32_t j = element / 4;
      return (of_signs >> (element % 4 * 8 + j % 2 * 4 + j / 2)) & 1;
    };
    const std::byte* in_header =
        shape_.n_headers == 0 ? nullptr : header(row, dtype_ == DType::kIQ2_XS ? block / 2 : block);
    const auto header_bits = [&](std::uint32_t n_bits, std::uint32_t at) {
      std::uint32_t bits = 0;
      for (std::uint32_t i = 0; i < n_bits; ++i)
        bits |= ((std::to_integer<std::uint32_t>(in_header[(at + i) / 8]) >> ((at + i) % 8)) & 1) << i;
      return bits;
    };
    bool is_negative = bit(k) != 0;
    const auto set_eighth_sign = [&] {  // the sign of the last of eight makes their number even
      if (k % 8 != 7) return;
      is_negative = false;
      for (std::uint32_t i = k - 7; i < k; ++i) is_negative ^= bit(i) != 0;
    };
    std::uint32_t scale = 0;
    float of_block =
        dtype_ == DType::kIQ3_S || dtype_ == DType::kIQ1_M ? 0.0F : f16_to_f32(half(scales(row, block, 2)));
    switch (dtype_) {
      case DType::kIQ3_XXS:
      case DType::kIQ2_XXS:
        set_eighth_sign();
        scale = of_signs >> 28;
        break;
      case DType::kIQ3_S:
        index |= header_bits(1, 8 * in_block + number) << 8;
        scale = header_bits(4, 64 + 4 * in_block);
        of_block = f16_to_f32(half(in_header + 12));
        break;
      case DType::kIQ2_XS:
        set_eighth_sign();
        index |= ((of_signs >> (28 + number)) & 1) << 8;
        scale = header_bits(4, static_cast<std::uint32_t>(block % 2) * 64 + 8 * in_block + k / 16 * 4);
        break;
      case DType::kIQ2_S:
        index |= header_bits(2, 8 * in_block + 2 * number) << 8;
        scale = header_bits(4, 64 + 8 * in_block + k / 16 * 4);
        break;
      case DType::kIQ1_S:
        index |= header_bits(3, 16 * in_block + 3 * number) << 8;
        scale = header_bits(3, 16 * in_block + 12);
        is_negative = header_bits(1, 16 * in_block + 15) != 0;
        break;
      default: {
        index |= header_bits(3, 16 * in_block + 4 * number) << 8;
        is_negative = header_bits(1, 16 * in_block + 4 * number + 3) != 0;
        BlockIQ1_M fields{};
        std::memcpy(fields.scales, scales(row, block, 8), 8);
        of_block = f16_to_f32(block_scale(fields));
        scale = (fields.scales[in_block / 2] >> (in_block % 2 * 6 + k / 16 * 3)) & 7U;
      }
    }
    const std::uint32_t code = grid_code<Format::kElems>(Format::kGrid, index, static_cast<int>(k % Format::kElems));
    return of_block * Format::kFactor * static_cast<float>(2 * scale + 1) *
           static_cast<float>(Format::kValues[code + (is_negative ? 8 : 0)]);
  }
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
    const std::uint64_t n_empty =
        type.dtype == DType::kQ3_K || type.dtype == DType::kIQ3_S ? 2 * 4096 / 256 : 0;  // bytes of a row
    EXPECT_EQ(gpu_panel(type.dtype, 4096).bytes(), 32 * (row_bytes(type.dtype, 4096) + n_empty));
    // The last unit of scales may be half empty: 8 bytes, where IQ1_S takes 200 for a row.
    EXPECT_LE(static_cast<double>(gpu_panel(type.dtype, 896 + 128).bytes()),
              1.04 * static_cast<double>(32 * row_bytes(type.dtype, 896 + 128)));
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
