// The number formats, as names; their sizes are rows of dtype_table.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headroom {

enum class DType : std::uint8_t {
  kF32,
  kF16,
  kBF16,
  kQ8_0,
  kQ4_0,
  kQ4_1,
  kQ5_0,
  kQ5_1,
  kQ2_K,
  kQ3_K,
  kQ4_K,
  kQ5_K,
  kQ6_K,
  kIQ4_NL,
  kIQ4_XS,
  kMXFP4,
  kIQ1_S,
  kIQ1_M,
  kIQ2_XXS,
  kIQ2_XS,
  kIQ2_S,
  kIQ3_XXS,
  kIQ3_S,
  kF8E4M3,  // KV cache only: E4M3 bytes and one f16 scale per token and head
};
inline constexpr std::size_t kNDTypes = 24;

}  // namespace headroom
