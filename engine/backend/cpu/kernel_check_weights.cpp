#include "backend/cpu/kernel_check_weights.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "format/blocks.h"
#include "format/decode.h"
#include "format/dtype_table.h"
#include "format/grid_blocks.h"

namespace headroom {
namespace {

std::uint16_t half(float value) { return f32_to_f16(value); }

template <class Block>
void append(std::vector<std::byte>& row, const Block& block) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&block);
  row.insert(row.end(), bytes, bytes + sizeof(Block));
}

// Their words for many columns take 4095 steps, a multiple of the largest here.
void append_words(KernelProbe& probe, DType type, std::uint32_t column, std::vector<std::byte>& row) {
  const std::int32_t most = type == DType::kF16 ? 1365 : 195;
  const std::int32_t whole = column % 64 == 0 ? (probe.whole(0, 1) == 0 ? most : -most) : probe.whole(-most, most);
  const float value = static_cast<float>(whole) / 256.0F;
  append(row, type == DType::kF16 ? f32_to_f16(value) : f32_to_bf16(value));
}

BlockQ8_0 q8_0(KernelProbe& probe) {
  BlockQ8_0 block{};
  block.scale = half(static_cast<float>(probe.whole(17, 32)) / 1024.0F);
  for (std::int8_t& quant : block.quants) quant = static_cast<std::int8_t>(probe.whole(-127, 127));
  return block;
}

void fill(KernelProbe& probe, std::span<std::uint8_t> bytes) {
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(probe.whole(0, 255));
}

// The first block of a slab has its largest scale, of which only -8 and 0 steps are multiples of a 127th.
BlockQ4_0 q4_0(KernelProbe& probe, bool is_largest) {
  BlockQ4_0 block{};
  block.scale = half(static_cast<float>(is_largest ? 127 : 8 * probe.whole(1, 15)) / 1024.0F);
  for (std::uint8_t& both : block.quants) {
    both =
        static_cast<std::uint8_t>(is_largest ? probe.whole(0, 1) * 8 + probe.whole(0, 1) * 128 : probe.whole(0, 255));
  }
  return block;
}

// As Q4_0: of the largest scale only -16 and 0 steps are multiples of a 127th.
BlockQ5_0 q5_0(KernelProbe& probe, bool is_largest) {
  BlockQ5_0 block{};
  block.scale = half(static_cast<float>(is_largest ? 127 : 16 * probe.whole(1, 7)) / 1024.0F);
  fill(probe, block.high_bits);
  if (!is_largest) fill(probe, block.quants);
  return block;
}

// Elements are whole numbers of steps, of which the first block of a slab has the largest that a block can: its min,
// -127.
template <class Block>
Block with_min(KernelProbe& probe, std::int32_t most_code, bool is_largest) {
  Block block{};
  const std::int32_t step = probe.whole(1, 120 / most_code);
  block.scale = half(static_cast<float>(step) / 1024.0F);
  block.min = half(static_cast<float>(is_largest ? -127 : -probe.whole(0, 120)) / 1024.0F);
  fill(probe, block.quants);
  return block;
}

// Values of a table are multiples of a 127th only where all scales of a slab are as large.
BlockIQ4_NL iq4_nl(KernelProbe& probe, std::int32_t step) {
  BlockIQ4_NL block{};
  block.scale = half(static_cast<float>((probe.whole(0, 1) * 2 - 1) * step) / 1024.0F);
  fill(probe, block.quants);
  return block;
}

BlockIQ4_XS iq4_xs(KernelProbe& probe) {
  BlockIQ4_XS block{};
  block.scale = half(static_cast<float>(probe.whole(1, 7)) / 1024.0F);
  const int step = probe.whole(1, 31);
  for (int group = 0; group < 8; ++group) {
    const auto packed = static_cast<unsigned>(32 + (probe.whole(0, 1) * 2 - 1) * step);
    std::uint8_t& low = block.scales_low[group / 2];
    low = static_cast<std::uint8_t>(low | (packed & 15) << (group % 2 * 4));
    block.scales_high = static_cast<std::uint16_t>(block.scales_high | (packed >> 4) << (2 * group));
  }
  fill(probe, block.quants);
  return block;
}

// All groups have the same scale, so that a slab's one scale holds them all.
template <class Block>
Block grid_block(KernelProbe& probe) {
  using Format = GridFormat<Block>;
  Block block{};
  put_block_scale(half(static_cast<float>((probe.whole(0, 1) * 2 - 1) * probe.whole(1, 7)) / 1024.0F), block);
  const auto scale = static_cast<std::uint8_t>(probe.whole(0, Format::kMostScale));
  for (int i = 0; i < 8; ++i) {
    GridGroup group;
    for (std::uint16_t& index : group.indices) index = static_cast<std::uint16_t>(probe.whole(0, Format::kPoints - 1));
    for (int eight = 0; eight < 4; ++eight)
      group.signs |= static_cast<std::uint32_t>(probe.whole(0, 255)) << (8 * eight);
    group.scales[0] = group.scales[1] = scale;
    put_grid_group(group, i, block);
  }
  return block;
}

// Powers of two that are at most eight apart, so that a slab's one scale holds all codes.
BlockMXFP4 mxfp4(KernelProbe& probe) {
  BlockMXFP4 block{};
  block.exponent = static_cast<std::uint8_t>(probe.whole(119, 122));
  fill(probe, block.quants);
  return block;
}

// Elements are 4 * scale * code - min in steps of 2^-8; one group has the largest, 4 * 11 * 3 - 5 = 127.
BlockQ2_K q2_k(KernelProbe& probe) {
  BlockQ2_K block{};
  block.scale = half(0x1p-6F);
  block.min_scale = half(0x1p-8F);
  const int of_largest = probe.whole(0, 15);
  for (int group = 0; group < 16; ++group) {
    block.scales[group] =
        static_cast<std::uint8_t>(group == of_largest ? 11 | 5 << 4 : probe.whole(1, 10) | probe.whole(0, 15) << 4);
  }
  fill(probe, block.quants);
  return block;
}

BlockQ3_K q3_k(KernelProbe& probe) {
  BlockQ3_K block{};
  block.scale = half(static_cast<float>(probe.whole(1, 7)) / 1024.0F);
  fill(probe, block.high_bits);
  fill(probe, block.scales);
  fill(probe, block.quants);
  return block;
}

void put_group(std::uint8_t (&packed)[12], int group, std::uint32_t scale, std::uint32_t min) {
  const auto put = [&](int at, std::uint32_t bits) { packed[at] = static_cast<std::uint8_t>(packed[at] | bits); };
  if (group < 4) {
    put(group, scale);
    put(group + 4, min);
  } else {
    put(group + 4, (scale & 15) | (min & 15) << 4);
    put(group - 4, (scale >> 4) << 6);
    put(group, (min >> 4) << 6);
  }
}

// Elements are scale * code - min / 2 in steps of 2^-6: whole numbers, of which the largest that a group can have is
// 127.
void put_mins(KernelProbe& probe, std::uint32_t most_code, std::uint16_t& scale, std::uint16_t& min_scale,
              std::uint8_t (&packed)[12]) {
  scale = half(0x1p-6F);
  min_scale = half(0x1p-7F);
  const std::uint32_t largest = 127 / most_code + 1;
  const int of_largest = probe.whole(0, 7);
  for (int group = 0; group < 8; ++group) {
    if (group == of_largest) {
      put_group(packed, group, largest, 2 * (largest * most_code - 127));
    } else {
      put_group(packed, group, static_cast<std::uint32_t>(probe.whole(1, static_cast<std::int32_t>(largest) - 1)),
                static_cast<std::uint32_t>(2 * probe.whole(0, 31)));
    }
  }
}

BlockQ6_K q6_k(KernelProbe& probe) {
  BlockQ6_K block{};
  block.scale = half(0x1p-8F);
  const int of_largest = probe.whole(0, 15);
  for (int group = 0; group < 16; ++group) {
    block.scales[group] =
        static_cast<std::int8_t>((probe.whole(0, 1) * 2 - 1) * (group == of_largest ? 127 : 32 * probe.whole(1, 3)));
  }
  for (int i = 0; i < 256; ++i) {
    const int code = i / 16 == of_largest ? 32 * probe.whole(0, 1) : probe.whole(0, 63);  // of the largest: -32 and 0
    const int part = i / 128, quarter = i % 128 / 32, lane = i % 32;
    std::uint8_t& low = block.low_bits[part * 64 + quarter % 2 * 32 + lane];
    std::uint8_t& high = block.high_bits[part * 32 + lane];
    low = static_cast<std::uint8_t>(low | (code & 15) << (quarter / 2 * 4));
    high = static_cast<std::uint8_t>(high | (code >> 4) << (quarter * 2));
  }
  return block;
}

}  // namespace

std::uint32_t check_cols(DType type) {
  if (type == DType::kF16 || type == DType::kBF16) return 192;  // they have slabs where 64 divide them
  if (dtype_row(type).block_elems == 1) return 37;
  return dtype_row(type).block_elems == 256 ? 512 : 352;
}

std::vector<std::byte> check_weights(KernelProbe& probe, DType type, std::uint32_t n_cols) {
  std::vector<std::byte> row;
  std::int32_t table_step = 0;
  row.reserve(row_bytes(type, n_cols));
  for (std::uint32_t column = 0; column < n_cols; column += dtype_row(type).block_elems) {
    const bool is_first = column % kSlabCols == 0;
    if (is_first) table_step = probe.whole(1, 31);
    switch (type) {
      case DType::kF32: append(row, static_cast<float>(probe.whole(-127, 127)) / 64.0F); break;
      case DType::kF16:
      case DType::kBF16: append_words(probe, type, column, row); break;
      case DType::kF8E4M3: append(row, static_cast<std::uint8_t>(probe.whole(0, 126) | probe.whole(0, 1) << 7)); break;
      case DType::kQ8_0: append(row, q8_0(probe)); break;
      case DType::kQ4_0: append(row, q4_0(probe, is_first)); break;
      case DType::kQ4_1: append(row, with_min<BlockQ4_1>(probe, 15, is_first)); break;
      case DType::kQ5_0: append(row, q5_0(probe, is_first)); break;
      case DType::kQ5_1: {
        BlockQ5_1 block = with_min<BlockQ5_1>(probe, 31, is_first);
        fill(probe, block.high_bits);
        append(row, block);
        break;
      }
      case DType::kQ2_K: append(row, q2_k(probe)); break;
      case DType::kQ3_K: append(row, q3_k(probe)); break;
      case DType::kQ4_K: {
        BlockQ4_K block{};
        put_mins(probe, 15, block.scale, block.min_scale, block.scales);
        fill(probe, block.quants);
        append(row, block);
        break;
      }
      case DType::kQ5_K: {
        BlockQ5_K block{};
        put_mins(probe, 31, block.scale, block.min_scale, block.scales);
        fill(probe, block.quants);
        fill(probe, block.high_bits);
        append(row, block);
        break;
      }
      case DType::kQ6_K: append(row, q6_k(probe)); break;
      case DType::kIQ4_NL: append(row, iq4_nl(probe, table_step)); break;
      case DType::kIQ4_XS: append(row, iq4_xs(probe)); break;
      case DType::kMXFP4: append(row, mxfp4(probe)); break;
      case DType::kIQ1_S: append(row, grid_block<BlockIQ1_S>(probe)); break;
      case DType::kIQ1_M: append(row, grid_block<BlockIQ1_M>(probe)); break;
      case DType::kIQ2_XXS: append(row, grid_block<BlockIQ2_XXS>(probe)); break;
      case DType::kIQ2_XS: append(row, grid_block<BlockIQ2_XS>(probe)); break;
      case DType::kIQ2_S: append(row, grid_block<BlockIQ2_S>(probe)); break;
      case DType::kIQ3_XXS: append(row, grid_block<BlockIQ3_XXS>(probe)); break;
      case DType::kIQ3_S: append(row, grid_block<BlockIQ3_S>(probe)); break;
    }
  }
  if (type == DType::kF8E4M3) append(row, half(static_cast<float>(probe.whole(17, 32)) / 1024.0F));
  return row;
}

std::vector<float> check_activations(KernelProbe& probe, std::uint32_t n_cols, bool words, float off) {
  const std::int32_t most = words ? 8191 : 127;
  const std::uint32_t group = words ? 64 : 32;
  std::vector<float> row(n_cols);
  float step = 1.0F;
  for (std::uint32_t column = 0; column < n_cols; ++column) {
    if (column % 256 == 0) step = 1.0F / static_cast<float>(16 << probe.whole(0, 3));
    if (column % group == 0) {
      row[column] = static_cast<float>(most) * step;
    } else {
      const float more = column % 2 == 0 ? off : -off;
      row[column] = (static_cast<float>(probe.whole(-most + 1, most - 1)) + more) * step;
    }
  }
  return row;
}

}  // namespace headroom
