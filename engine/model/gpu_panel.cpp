#include "model/gpu_panel.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "format/bit_order.h"
#include "format/blocks.h"
#include "format/dtype_table.h"
#include "model/gpu_planes.h"

namespace headroom {

static_assert(std::endian::native == std::endian::little, "words are written as a GPU reads them");

namespace {

constexpr std::uint32_t kCodeBytes = 16;  // of a group of four-bit codes
constexpr std::uint32_t kNibbles = 0x0F0F0F0F, kBits = 0x01010101, kPairs = 0x03030303;

std::uint32_t load_word(const std::byte* from) {
  std::uint32_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}
void store_word(std::uint32_t word, std::byte* to) { std::memcpy(to, &word, sizeof word); }

// The planes of one row of a panel.
class PanelRow {
 public:
  PanelRow(const GpuPanel& panel, std::uint32_t row, std::byte* to) : panel_(panel), to_(to + row * kGpuUnitBytes) {}

  std::byte* codes(std::uint64_t unit) { return at(unit); }
  std::byte* highs(std::uint64_t unit) { return at(panel_.n_codes + unit); }
  std::byte* header(std::uint64_t block) { return at(panel_.n_codes + panel_.n_highs + block); }
  // A block's n_bytes in the plane of scales, a part of a unit.
  std::byte* scale(std::uint64_t block, Bytes n_bytes) {
    const std::uint64_t in_unit = kGpuUnitBytes / n_bytes;
    return at(panel_.n_codes + panel_.n_highs + panel_.n_headers + block / in_unit) + block % in_unit * n_bytes;
  }
  std::byte* group_scale(std::uint64_t group) { return header(group / kGpuBlock) + group % kGpuBlock * 2; }
  std::byte* group_scale_and_min(std::uint64_t group) { return header(group / 4) + group % 4 * 4; }
  // Where the highest bits of a group stand in one word.
  std::byte* high_word(std::uint64_t group) { return highs(group / 4) + group % 4 * 4; }

 private:
  std::byte* at(std::uint64_t unit) { return to_ + unit * kGpuPanelRows * kGpuUnitBytes; }

  const GpuPanel& panel_;
  std::byte* to_;
};

// The codes of a group whose element i has its own in byte i, shifted.
void put_nibbles(const std::byte* bytes, std::uint32_t shift, std::byte* to) {
  for (std::uint32_t i = 0; i < kCodeBytes; i += 4) {
    const std::uint32_t first = (load_word(bytes + i) >> shift) & kNibbles,
                        second = (load_word(bytes + kCodeBytes + i) >> shift) & kNibbles;
    store_word(first | second << 4, to + i);
  }
}

void put_q8_0(const std::byte* from, std::uint64_t n_groups, PanelRow to) {
  for (std::uint64_t group = 0; group < n_groups; ++group, from += sizeof(BlockQ8_0)) {
    std::memcpy(to.group_scale(group), from, 2);
    for (std::uint32_t half = 0; half < 2; ++half)
      std::memcpy(to.codes(2 * group + half), from + 2 + half * kGpuUnitBytes, kGpuUnitBytes);
  }
}

// Q4_0 and IQ4_NL.
void put_q4_0(const std::byte* from, std::uint64_t n_groups, PanelRow to) {
  static_assert(sizeof(BlockQ4_0) == sizeof(BlockIQ4_NL));
  for (std::uint64_t group = 0; group < n_groups; ++group, from += sizeof(BlockQ4_0)) {
    std::memcpy(to.group_scale(group), from, 2);
    std::memcpy(to.codes(group), from + 2, kGpuUnitBytes);
  }
}

void put_mxfp4(const std::byte* from, std::uint64_t n_groups, PanelRow to) {
  for (std::uint64_t group = 0; group < n_groups; ++group, from += sizeof(BlockMXFP4)) {
    *(to.scale(group / kGpuBlock, kGpuBlock) + group % kGpuBlock) = *from;
    std::memcpy(to.codes(group), from + 1, kGpuUnitBytes);
  }
}

// 32 bits, one for each element, in the order of the plane of highs.
std::uint32_t spread_over_bytes(std::uint32_t bits) {
  std::uint32_t word = 0;
  for (std::uint32_t w = 0; w < 8; ++w, bits >>= 4) {
    for (std::uint32_t k = 0; k < 4; ++k) word |= ((bits >> k) & 1) << (8 * k + w);
  }
  return word;
}

// Q4_1, Q5_0 and Q5_1: a scale, perhaps a min, perhaps fifth bits, and the codes.
void put_q4_1_or_q5(const std::byte* from, bool has_min, bool has_fifth, std::uint64_t n_groups, PanelRow to) {
  for (std::uint64_t group = 0; group < n_groups; ++group) {
    std::memcpy(has_min ? to.group_scale_and_min(group) : to.group_scale(group), from, has_min ? 4 : 2);
    from += has_min ? 4 : 2;
    if (has_fifth) {
      store_word(spread_over_bytes(load_word(from)), to.high_word(group));
      from += 4;
    }
    std::memcpy(to.codes(group), from, kGpuUnitBytes);
    from += kGpuUnitBytes;
  }
}

// The two bits of each element of a group, which begin at bit `shift` of 32 bytes, as two words.
void put_pairs(const std::byte* bytes, std::uint32_t shift, std::byte* to) {
  for (std::uint32_t half = 0; half < 2; ++half) {
    std::uint32_t word = 0;
    for (std::uint32_t w = 0; w < 4; ++w) word |= ((load_word(bytes + 16 * half + 4 * w) >> shift) & kPairs) << (2 * w);
    store_word(word, to + half * 4);
  }
}

// Bit `group` of each of 32 bytes.
void put_bits(const std::byte* bytes, std::uint32_t group, std::byte* to) {
  std::uint32_t word = 0;
  for (std::uint32_t w = 0; w < 8; ++w) word |= ((load_word(bytes + 4 * w) >> group) & kBits) << w;
  store_word(word, to);
}

void put_q2_k(const std::byte* from, std::uint64_t n_blocks, PanelRow to) {
  for (std::uint64_t block = 0; block < n_blocks; ++block, from += sizeof(BlockQ2_K)) {
    for (std::uint32_t group = 0; group < kGpuBlock; ++group)
      put_pairs(from + offsetof(BlockQ2_K, quants) + group / 4 * 32, group % 4 * 2,
                to.codes(4 * block + group / 2) + group % 2 * 8);
    std::memcpy(to.header(block), from, kGpuUnitBytes);
    std::memcpy(to.scale(block, 4), from + offsetof(BlockQ2_K, scale), 4);
  }
}

void put_q3_k(const std::byte* from, std::uint64_t n_blocks, PanelRow to) {
  for (std::uint64_t block = 0; block < n_blocks; ++block, from += sizeof(BlockQ3_K)) {
    for (std::uint32_t group = 0; group < kGpuBlock; ++group) {
      put_pairs(from + offsetof(BlockQ3_K, quants) + group / 4 * 32, group % 4 * 2,
                to.codes(4 * block + group / 2) + group % 2 * 8);
      put_bits(from, group, to.high_word(kGpuBlock * block + group));
    }
    std::memset(to.header(block), 0, kGpuUnitBytes);
    std::memcpy(to.header(block), from + offsetof(BlockQ3_K, scales), sizeof(BlockQ3_K::scales) + 2);
  }
}

void put_iq4_xs(const std::byte* from, std::uint64_t n_blocks, PanelRow to) {
  for (std::uint64_t block = 0; block < n_blocks; ++block, from += sizeof(BlockIQ4_XS)) {
    for (std::uint32_t group = 0; group < kGpuBlock; ++group)
      std::memcpy(to.codes(kGpuBlock * block + group), from + offsetof(BlockIQ4_XS, quants) + group * kGpuUnitBytes,
                  kGpuUnitBytes);
    std::memcpy(to.scale(block, 8), from, 8);
  }
}

// Q4_K, and Q5_K with its fifth bits.
void put_q4_or_q5_k(const std::byte* from, bool has_fifth, std::uint64_t n_blocks, PanelRow to) {
  const std::byte* const end = from + n_blocks * (has_fifth ? sizeof(BlockQ5_K) : sizeof(BlockQ4_K));
  for (std::uint64_t block = 0; from < end; ++block) {
    std::memcpy(to.header(block), from, kGpuUnitBytes);
    from += kGpuUnitBytes;
    if (has_fifth) {
      for (std::uint32_t group = 0; group < kGpuBlock; ++group)
        put_bits(from, group, to.high_word(kGpuBlock * block + group));
      from += 32;
    }
    for (std::uint32_t group = 0; group < kGpuBlock; ++group)
      put_nibbles(from + group / 2 * 32, group % 2 * 4, to.codes(kGpuBlock * block + group));
    from += 128;
  }
}

void put_q6_k(const std::byte* from, std::uint64_t n_blocks, PanelRow to) {
  for (std::uint64_t block = 0; block < n_blocks; ++block, from += sizeof(BlockQ6_K)) {
    for (std::uint32_t group = 0; group < kGpuBlock; ++group) {
      const std::uint32_t upper = group / 4, quarter = group % 4;
      put_nibbles(from + upper * 64 + quarter % 2 * 32, quarter / 2 * 4, to.codes(kGpuBlock * block + group));
      put_pairs(from + offsetof(BlockQ6_K, high_bits) + upper * 32, 2 * quarter,
                to.highs(4 * block + group / 2) + group % 2 * 8);
    }
    std::memcpy(to.header(block), from + offsetof(BlockQ6_K, scales), kGpuUnitBytes);
    std::memcpy(to.scale(block, 2), from + offsetof(BlockQ6_K, scale), 2);
  }
}

// Eight bytes of a group in the plane of codes.
std::byte* half_codes(PanelRow& to, std::uint64_t block, std::uint32_t group) {
  return to.codes(4 * block + group / 2) + group % 2 * 8;
}

void put_iq3_xxs(const std::byte* from, std::uint64_t n_blocks, PanelRow to) {
  for (std::uint64_t block = 0; block < n_blocks; ++block, from += sizeof(BlockIQ3_XXS)) {
    for (std::uint32_t group = 0; group < kGpuBlock; ++group) {
      std::memcpy(half_codes(to, block, group), from + offsetof(BlockIQ3_XXS, quants) + group * 8, 8);
      const std::uint32_t signs = load_word(from + offsetof(BlockIQ3_XXS, signs_and_scales) + group * 4);
      store_word(spread_bits(open_signs(signs)), to.high_word(kGpuBlock * block + group));
    }
    std::memcpy(to.scale(block, 2), from, 2);
  }
}

void put_iq3_s(const std::byte* from, std::uint64_t n_blocks, PanelRow to) {
  for (std::uint64_t block = 0; block < n_blocks; ++block, from += sizeof(BlockIQ3_S)) {
    for (std::uint32_t group = 0; group < kGpuBlock; ++group) {
      std::memcpy(half_codes(to, block, group), from + offsetof(BlockIQ3_S, quants) + group * 8, 8);
      store_word(spread_bits(load_word(from + offsetof(BlockIQ3_S, signs) + group * 4)),
                 to.high_word(kGpuBlock * block + group));
    }
    std::memset(to.header(block), 0, kGpuUnitBytes);
    std::memcpy(to.header(block), from + offsetof(BlockIQ3_S, high_bits), 8);
    std::memcpy(to.header(block) + 8, from + offsetof(BlockIQ3_S, scales), 4);
    std::memcpy(to.header(block) + 12, from, 2);
  }
}

void put_iq2_xxs(const std::byte* from, std::uint64_t n_blocks, PanelRow to) {
  for (std::uint64_t block = 0; block < n_blocks; ++block, from += sizeof(BlockIQ2_XXS)) {
    for (std::uint32_t group = 0; group < kGpuBlock; ++group) {
      const std::byte* words = from + offsetof(BlockIQ2_XXS, quants) + group * 8;
      std::memcpy(half_codes(to, block, group), words, 4);
      store_word(spread_bits(open_signs(load_word(words + 4))), half_codes(to, block, group) + 4);
    }
    std::memcpy(to.scale(block, 2), from, 2);
  }
}

void put_iq2_xs(const std::byte* from, std::uint64_t n_blocks, PanelRow to) {
  for (std::uint64_t block = 0; block < n_blocks; ++block, from += sizeof(BlockIQ2_XS)) {
    const auto fields = load_block<BlockIQ2_XS>(from);
    for (std::uint32_t group = 0; group < kGpuBlock; ++group) {
      std::uint32_t indices = 0, signs = 0;
      for (std::uint32_t i = 0; i < 4; ++i) {
        const std::uint32_t both = fields.quants[4 * group + i];
        indices |= (both & 255) << (8 * i);
        signs |= (both >> 9) << (7 * i) | ((both >> 8) & 1) << (28 + i);
      }
      store_word(indices, half_codes(to, block, group));
      store_word(spread_bits(open_signs(signs)), half_codes(to, block, group) + 4);
    }
    std::memcpy(to.header(block / 2) + block % 2 * 8, fields.scales, 8);
    std::memcpy(to.scale(block, 2), from, 2);
  }
}

void put_iq2_s(const std::byte* from, std::uint64_t n_blocks, PanelRow to) {
  for (std::uint64_t block = 0; block < n_blocks; ++block, from += sizeof(BlockIQ2_S)) {
    for (std::uint32_t group = 0; group < kGpuBlock; ++group) {
      std::memcpy(half_codes(to, block, group), from + offsetof(BlockIQ2_S, quants) + group * 4, 4);
      store_word(spread_bits(load_word(from + offsetof(BlockIQ2_S, signs) + group * 4)),
                 half_codes(to, block, group) + 4);
    }
    std::memcpy(to.header(block), from + offsetof(BlockIQ2_S, high_bits), kGpuUnitBytes);
    std::memcpy(to.scale(block, 2), from, 2);
  }
}

// The low bytes of a block's 32 indices.
void put_iq1_indices(const std::byte* indices, std::uint64_t block, PanelRow& to) {
  for (std::uint32_t half = 0; half < 2; ++half)
    std::memcpy(to.highs(2 * block + half), indices + half * kGpuUnitBytes, kGpuUnitBytes);
}

void put_iq1_s(const std::byte* from, std::uint64_t n_blocks, PanelRow to) {
  for (std::uint64_t block = 0; block < n_blocks; ++block, from += sizeof(BlockIQ1_S)) {
    put_iq1_indices(from + offsetof(BlockIQ1_S, quants), block, to);
    std::memcpy(to.header(block), from + offsetof(BlockIQ1_S, high_bits), kGpuUnitBytes);
    std::memcpy(to.scale(block, 2), from, 2);
  }
}

void put_iq1_m(const std::byte* from, std::uint64_t n_blocks, PanelRow to) {
  for (std::uint64_t block = 0; block < n_blocks; ++block, from += sizeof(BlockIQ1_M)) {
    put_iq1_indices(from + offsetof(BlockIQ1_M, quants), block, to);
    std::memcpy(to.header(block), from + offsetof(BlockIQ1_M, high_bits), kGpuUnitBytes);
    std::memcpy(to.scale(block, 8), from + offsetof(BlockIQ1_M, scales), 8);
  }
}

void put_plain(const std::byte* from, Bytes n_bytes, PanelRow to) {
  for (Bytes at = 0; at < n_bytes; at += kGpuUnitBytes)
    std::memcpy(to.codes(at / kGpuUnitBytes), from + at, std::min(kGpuUnitBytes, n_bytes - at));
}

}  // namespace

GpuPanel gpu_panel(DType dtype, std::uint64_t n_cols) {
  const std::uint64_t n_groups = div_up(n_cols, kGpuGroup), n_blocks = div_up(n_groups, kGpuBlock);
  const GpuPlanes planes = gpu_planes(dtype);
  CHECK(planes.half_codes + planes.highs > 0, "a type that no weight has");
  return {.n_codes = n_groups * planes.half_codes / 2,
          .n_highs = n_blocks * planes.highs,
          .n_headers = div_up(n_blocks, std::uint64_t{1} << planes.header_shift) * planes.headers,
          .n_scales = planes.scale_shift == 0 ? 0 : div_up(n_blocks, std::uint64_t{1} << planes.scale_shift)};
}

void pack_gpu_panel(DType dtype, std::uint64_t n_cols, std::uint32_t n_rows, const std::byte* rows, std::byte* to) {
  const GpuPanel panel = gpu_panel(dtype, n_cols);
  const std::uint64_t n_groups = div_up(n_cols, kGpuGroup), n_blocks = div_up(n_groups, kGpuBlock);
  const Bytes each = row_bytes(dtype, n_cols);
  // What no row fills: missing rows, and the ends of planes.
  const bool has_gaps = n_rows < kGpuPanelRows || n_cols % (kGpuGroup * kGpuBlock) != 0 || panel.n_scales > 0;
  if (has_gaps) std::memset(to, 0, panel.bytes());
  for (std::uint32_t row = 0; row < n_rows; ++row, rows += each) {
    const PanelRow place(panel, row, to);
    switch (dtype) {
      case DType::kF32:
      case DType::kF16:
      case DType::kBF16: put_plain(rows, each, place); break;
      case DType::kQ8_0: put_q8_0(rows, n_groups, place); break;
      case DType::kQ4_0:
      case DType::kIQ4_NL: put_q4_0(rows, n_groups, place); break;
      case DType::kQ4_1: put_q4_1_or_q5(rows, true, false, n_groups, place); break;
      case DType::kQ5_0: put_q4_1_or_q5(rows, false, true, n_groups, place); break;
      case DType::kQ5_1: put_q4_1_or_q5(rows, true, true, n_groups, place); break;
      case DType::kQ2_K: put_q2_k(rows, n_blocks, place); break;
      case DType::kQ3_K: put_q3_k(rows, n_blocks, place); break;
      case DType::kQ4_K: put_q4_or_q5_k(rows, false, n_blocks, place); break;
      case DType::kQ5_K: put_q4_or_q5_k(rows, true, n_blocks, place); break;
      case DType::kQ6_K: put_q6_k(rows, n_blocks, place); break;
      case DType::kIQ4_XS: put_iq4_xs(rows, n_blocks, place); break;
      case DType::kMXFP4: put_mxfp4(rows, n_groups, place); break;
      case DType::kIQ1_S: put_iq1_s(rows, n_blocks, place); break;
      case DType::kIQ1_M: put_iq1_m(rows, n_blocks, place); break;
      case DType::kIQ2_XXS: put_iq2_xxs(rows, n_blocks, place); break;
      case DType::kIQ2_XS: put_iq2_xs(rows, n_blocks, place); break;
      case DType::kIQ2_S: put_iq2_s(rows, n_blocks, place); break;
      case DType::kIQ3_XXS: put_iq3_xxs(rows, n_blocks, place); break;
      case DType::kIQ3_S: put_iq3_s(rows, n_blocks, place); break;
      case DType::kF8E4M3: CHECK(false, "a type that no weight has");
    }
  }
}

}  // namespace headroom
