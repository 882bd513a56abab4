// The sampler's random numbers: PCG-XSH-RR 64/32 (O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically
// Good Algorithms", 2014).
#pragma once

#include <bit>
#include <cstdint>

namespace headroom {

// Integer arithmetic only, so a seed gives the same numbers with every compiler and on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed + kIncrement) { next_u32(); }

  std::uint32_t next_u32() {
    const std::uint64_t old = state_;
    state_ = old * 6364136223846793005ULL + kIncrement;
    const auto mixed = static_cast<std::uint32_t>(((old >> 18U) ^ old) >> 27U);
    return std::rotr(mixed, static_cast<int>(old >> 59U));
  }

  // In [0, 1), a multiple of 2^-32.
  double next_unit() { return next_u32() * 0x1p-32; }

 private:
  static constexpr std::uint64_t kIncrement = 1442695040888963407ULL;  // odd: any odd number selects a stream
  std::uint64_t state_;
};

}  // namespace headroom
