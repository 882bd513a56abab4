// Numbers as kernels are given them, in words of 32 bits.
#pragma once

#include <bit>
#include <cstdint>

#include "base/check.h"

namespace headroom {

inline std::uint32_t word(float x) { return std::bit_cast<std::uint32_t>(x); }

inline std::uint32_t narrow(std::uint64_t x) {
  CHECK(x <= ~std::uint32_t{0}, "a number is too large for a kernel");
  return static_cast<std::uint32_t>(x);
}

}  // namespace headroom
