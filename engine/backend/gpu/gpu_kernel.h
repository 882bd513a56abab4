// The kernels of GPU backends by name. Vulkan has them in GLSL and CUDA in CUDA C++; both are given the same buffers,
// and the same constants and words (gpu_args.inl).
#pragma once

#include <cstdint>
#include <string_view>

#include "devices/device_info.h"

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
  kAttendRows,
  kAttendTiles,
  kAttendMerge,
  kConvMix,
  kDeltaMix,
  kDeltaPairs,
  kDeltaRule,
  kGateHeads,
  kGateInputs,
  kSharedGate,
  kReadRate,
  kPeakRate,
  kPeakRateInt8,
  kPeakRateHalf,
  kPeakMatrices,
  kRowMaxima,
  kTopTokens
};

std::string_view kernel_name(Kernel kernel);  // "matvec_int8", for messages

inline constexpr std::uint32_t kKernelBuffers = 8;  // of every kernel: see vulkan/shaders/lib/buffers.glsl

}  // namespace headroom
