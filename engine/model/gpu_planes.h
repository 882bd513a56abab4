// How many units the planes of a format's panels for GPUs have (model/gpu_panel.h says what stands in them). One table,
// which the host packs by and kernels of CUDA read by.
#pragma once

#include <cstdint>

#include "format/dtype.h"

namespace headroom {

struct GpuPlanes {
  std::uint32_t half_codes = 0;   // of a group of 32 elements, in half units: two of these groups may share a unit
  std::uint32_t highs = 0;        // units of a block of 256 elements
  std::uint32_t headers = 0;      // of 2^header_shift blocks
  std::uint32_t scale_shift = 0;  // 2^scale_shift blocks share a unit of scales; 0: there are none
  std::uint32_t header_shift = 0;
};

constexpr GpuPlanes gpu_planes(DType dtype) {
  switch (dtype) {
    case DType::kF32: return {.half_codes = 16};
    case DType::kF16:
    case DType::kBF16: return {.half_codes = 8};
    case DType::kQ8_0: return {.half_codes = 4, .headers = 1};
    case DType::kQ4_0:
    case DType::kIQ4_NL:
    case DType::kQ4_K: return {.half_codes = 2, .headers = 1};
    case DType::kQ4_1: return {.half_codes = 2, .headers = 2};
    case DType::kQ5_0:
    case DType::kQ5_K: return {.half_codes = 2, .highs = 2, .headers = 1};
    case DType::kQ5_1: return {.half_codes = 2, .highs = 2, .headers = 2};
    case DType::kQ2_K: return {.half_codes = 1, .headers = 1, .scale_shift = 2};
    case DType::kQ3_K: return {.half_codes = 1, .highs = 2, .headers = 1};
    case DType::kQ6_K: return {.half_codes = 2, .highs = 4, .headers = 1, .scale_shift = 3};
    case DType::kIQ4_XS:
    case DType::kMXFP4: return {.half_codes = 2, .scale_shift = 1};
    case DType::kIQ1_S: return {.highs = 2, .headers = 1, .scale_shift = 3};
    case DType::kIQ1_M: return {.highs = 2, .headers = 1, .scale_shift = 1};
    case DType::kIQ2_XXS: return {.half_codes = 1, .scale_shift = 3};
    case DType::kIQ2_XS: return {.half_codes = 1, .headers = 1, .scale_shift = 3, .header_shift = 1};
    case DType::kIQ2_S: return {.half_codes = 1, .headers = 1, .scale_shift = 3};
    case DType::kIQ3_XXS: return {.half_codes = 1, .highs = 2, .scale_shift = 3};
    case DType::kIQ3_S: return {.half_codes = 1, .highs = 2, .headers = 1};
    case DType::kF8E4M3: break;
  }
  return {};  // no weight has this format
}

}  // namespace headroom
