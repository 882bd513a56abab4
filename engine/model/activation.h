// What stands between the matrices of an FFN. Plain data: kernels of every instruction set and of CUDA include it.
#pragma once

#include <cstdint>

namespace headroom {

// Of the gate g and the up u.
enum class Activation : std::uint8_t {
  kSilu,     // silu(g) u
  kGelu,     // gelu(g) u, in its tanh form
  kClamped,  // g sigmoid(kClampedSlope g) (u + 1), with g at most kClampedLimit and u within that on both sides
};
inline constexpr float kClampedSlope = 1.702F, kClampedLimit = 7.0F;  // files of gpt-oss state neither

}  // namespace headroom
