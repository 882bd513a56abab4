#include "backend/cpu/relabel_points.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "backend/cpu/point_labels.h"
#include "base/check.h"
#include "format/blocks.h"

namespace headroom {
namespace {

// A block's 32 indices: their low bytes, and of each four the bits above them in a Word, kBits of each index every
// kStep bits.
template <class Block, int kBits, int kStep, class Word, std::size_t kPoints>
void relabel_blocks(std::span<std::byte> rows, const std::array<std::uint16_t, kPoints>& numbers) {
  constexpr unsigned kMask = (1U << kBits) - 1;
  for (std::size_t at = 0; at < rows.size(); at += sizeof(Block)) {
    Block block;
    std::memcpy(&block, rows.data() + at, sizeof block);
    for (std::size_t four = 0; four < 8; ++four) {
      Word high = 0;
      auto* const from = reinterpret_cast<std::byte*>(block.high_bits) + four * sizeof high;
      std::memcpy(&high, from, sizeof high);
      for (std::size_t i = 0; i < 4; ++i) {
        std::uint8_t& low = block.quants[4 * four + i];
        const std::size_t shift = i * kStep;
        const unsigned number = numbers[low | ((high >> shift) & kMask) << 8];
        low = static_cast<std::uint8_t>(number);
        high = static_cast<Word>((high & ~(kMask << shift)) | (number >> 8) << shift);
      }
      std::memcpy(from, &high, sizeof high);
    }
    std::memcpy(rows.data() + at, &block, sizeof block);
  }
}

template <std::size_t kWords>
const auto& numbers_of(const PointLabels<kWords>& labels, PointNumbers to) {
  return to == PointNumbers::kOfPanel ? labels.of_point : labels.to_point;
}

}  // namespace

bool has_labels(DType dtype) { return dtype == DType::kIQ1_S || dtype == DType::kIQ1_M || dtype == DType::kIQ2_S; }

void relabel_points(DType dtype, PointNumbers to, std::span<std::byte> rows) {
  switch (dtype) {
    case DType::kIQ1_S: return relabel_blocks<BlockIQ1_S, 3, 3, std::uint16_t>(rows, numbers_of(kIq1Labels, to));
    case DType::kIQ1_M: return relabel_blocks<BlockIQ1_M, 3, 4, std::uint16_t>(rows, numbers_of(kIq1Labels, to));
    case DType::kIQ2_S: return relabel_blocks<BlockIQ2_S, 2, 2, std::uint8_t>(rows, numbers_of(kIq2SLabels, to));
    default: CHECK(false, "points of this type have the numbers of the file");
  }
}

}  // namespace headroom
