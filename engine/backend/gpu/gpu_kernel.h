// The kernels that GPU backends have, each in a language of its own. What one is given stands in the same order
// everywhere: buffers, constants that decide what is compiled, and words of one dispatch.
#pragma once

#include <cstdint>
#include <string_view>

namespace headroom {

enum class Kernel : std::uint8_t {
  kEmbed,
  kNorm,
  kEncode,
  kEncodeHalf,
  kMatvec,
  kMatvecInt8,
  kMatmul,
  kMatmulInt8,
  kMatmulHalf,
  kMatmulMatrices,
  kRoute,
  kGroupExperts,
  kAddExperts,
  kQueryHeads,
  kCacheHeads,
  kAttend,
  kAttendTiles,
  kAttendMerge,
  kReadRate,
  kPeakRate,
  kPeakRateInt8,
  kPeakRateHalf,
  kPeakMatrices,
  kRowMaxima,
  kTopTokens
};

std::string_view kernel_name(Kernel kernel);  // as its file or function is called

inline constexpr std::uint32_t kKernelBuffers = 8;   // of every kernel: see vulkan/shaders/lib/buffers.glsl
inline constexpr std::uint32_t kMostGroups = 65535;  // workgroups that every driver takes in one dimension

}  // namespace headroom
