#include "model/gpu_panel.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "format/blocks.h"
#include "format/dtype_table.h"

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
  // Of two bytes.
  std::byte* scale(std::uint64_t block) {
    return at(panel_.n_codes + panel_.n_highs + panel_.n_headers + block / 8) + block % 8 * 2;
  }
  std::byte* group_scale(std::uint64_t group) { return header(group / kGpuBlock) + group % kGpuBlock * 2; }

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

void put_q4_0(const std::byte* from, std::uint64_t n_groups, PanelRow to) {
  for (std::uint64_t group = 0; group < n_groups; ++group, from += sizeof(BlockQ4_0)) {
    std::memcpy(to.group_scale(group), from, 2);
    std::memcpy(to.codes(group), from + 2, kGpuUnitBytes);
  }
}

// Q4_K, and Q5_K with its fifth bits.
void put_q4_or_q5_k(const std::byte* from, bool has_fifth, std::uint64_t n_blocks, PanelRow to) {
  const std::byte* const end = from + n_blocks * (has_fifth ? sizeof(BlockQ5_K) : sizeof(BlockQ4_K));
  for (std::uint64_t block = 0; from < end; ++block) {
    std::memcpy(to.header(block), from, kGpuUnitBytes);
    from += kGpuUnitBytes;
    if (has_fifth) {
      for (std::uint32_t group = 0; group < kGpuBlock; ++group) {
        std::uint32_t word = 0;
        for (std::uint32_t w = 0; w < 8; ++w) word |= ((load_word(from + 4 * w) >> group) & kBits) << w;
        store_word(word, to.highs(2 * block + group / 4) + group % 4 * 4);
      }
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
      const std::byte* const high = from + offsetof(BlockQ6_K, high_bits) + upper * 32;
      for (std::uint32_t half = 0; half < 2; ++half) {
        std::uint32_t word = 0;
        for (std::uint32_t w = 0; w < 4; ++w)
          word |= ((load_word(high + 16 * half + 4 * w) >> (2 * quarter)) & kPairs) << (2 * w);
        store_word(word, to.highs(4 * block + group / 2) + group % 2 * 8 + half * 4);
      }
    }
    std::memcpy(to.header(block), from + offsetof(BlockQ6_K, scales), kGpuUnitBytes);
    std::memcpy(to.scale(block), from + offsetof(BlockQ6_K, scale), 2);
  }
}

void put_plain(const std::byte* from, Bytes n_bytes, PanelRow to) {
  for (Bytes at = 0; at < n_bytes; at += kGpuUnitBytes)
    std::memcpy(to.codes(at / kGpuUnitBytes), from + at, std::min(kGpuUnitBytes, n_bytes - at));
}

}  // namespace

GpuPanel gpu_panel(DType dtype, std::uint64_t n_cols) {
  const std::uint64_t n_groups = div_up(n_cols, kGpuGroup), n_blocks = div_up(n_groups, kGpuBlock);
  switch (dtype) {
    case DType::kF32: return {.n_codes = 8 * n_groups};
    case DType::kF16:
    case DType::kBF16: return {.n_codes = 4 * n_groups};
    case DType::kQ8_0: return {.n_codes = 2 * n_groups, .n_headers = n_blocks};
    case DType::kQ4_0: return {.n_codes = n_groups, .n_headers = n_blocks};
    case DType::kQ4_K: return {.n_codes = n_groups, .n_headers = n_blocks};
    case DType::kQ5_K: return {.n_codes = n_groups, .n_highs = 2 * n_blocks, .n_headers = n_blocks};
    case DType::kQ6_K:
      return {.n_codes = n_groups, .n_highs = 4 * n_blocks, .n_headers = n_blocks, .n_scales = div_up(n_blocks, 8)};
    case DType::kF8E4M3: break;
  }
  CHECK(false, "a type that no weight has");
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
      case DType::kQ4_0: put_q4_0(rows, n_groups, place); break;
      case DType::kQ4_K: put_q4_or_q5_k(rows, false, n_blocks, place); break;
      case DType::kQ5_K: put_q4_or_q5_k(rows, true, n_blocks, place); break;
      case DType::kQ6_K: put_q6_k(rows, n_blocks, place); break;
      case DType::kF8E4M3: CHECK(false, "a type that no weight has");
    }
  }
}

}  // namespace headroom
