// What a kernel is given: its buffers, then its arguments of backend/gpu/gpu_args.inl, constants first. On Vulkan the
// constants are compiled in; here they are read, and what is worth a kernel of its own is one (cuda_launch.cpp).
#pragma once

#include "backend/gpu/gpu_args.h"
#include "format/dtype.h"
#include "lib/device.cuh"

namespace headroom::cuda {

using u32 = std::uint32_t;

template <class Words>
struct Params {
  std::uint64_t buffers[8];
  Words words;
};

template <class T, class Words>
DEVICE T* buffer(const Params<Words>& p, u32 index) {
  return reinterpret_cast<T*>(p.buffers[index]);
}

// The inputs of a step (see plan/gpu_rules.h) are buffer 0 of every kernel.
inline constexpr u32 kRowWords = 4;
template <class Words>
DEVICE const u32* inputs_of(const Params<Words>& p) {
  return buffer<const u32>(p, 0);
}
DEVICE u32 step_rows(const u32* inputs) { return inputs[0]; }
DEVICE u32 step_logit_rows(const u32* inputs) { return inputs[1]; }

// A row of the step: GpuInputs::rows_at.
struct StepRow {
  u32 token, slot, position;
};
DEVICE StepRow step_row(const u32* inputs, u32 rows_at, u32 row) {
  const u32* at = inputs + rows_at + row * kRowWords;
  return {at[0], at[1], at[2]};
}

inline constexpr u32 kF32 = static_cast<u32>(DType::kF32), kF16 = static_cast<u32>(DType::kF16),
                     kBF16 = static_cast<u32>(DType::kBF16), kQ8_0 = static_cast<u32>(DType::kQ8_0),
                     kQ4_0 = static_cast<u32>(DType::kQ4_0), kQ4_1 = static_cast<u32>(DType::kQ4_1),
                     kQ5_0 = static_cast<u32>(DType::kQ5_0), kQ5_1 = static_cast<u32>(DType::kQ5_1),
                     kQ2_K = static_cast<u32>(DType::kQ2_K), kQ3_K = static_cast<u32>(DType::kQ3_K),
                     kQ4_K = static_cast<u32>(DType::kQ4_K), kQ5_K = static_cast<u32>(DType::kQ5_K),
                     kQ6_K = static_cast<u32>(DType::kQ6_K), kIQ4_NL = static_cast<u32>(DType::kIQ4_NL),
                     kIQ4_XS = static_cast<u32>(DType::kIQ4_XS), kMXFP4 = static_cast<u32>(DType::kMXFP4),
                     kIQ1_S = static_cast<u32>(DType::kIQ1_S), kIQ1_M = static_cast<u32>(DType::kIQ1_M),
                     kIQ2_XXS = static_cast<u32>(DType::kIQ2_XXS), kIQ2_XS = static_cast<u32>(DType::kIQ2_XS),
                     kIQ2_S = static_cast<u32>(DType::kIQ2_S), kIQ3_XXS = static_cast<u32>(DType::kIQ3_XXS),
                     kIQ3_S = static_cast<u32>(DType::kIQ3_S), kFp8 = static_cast<u32>(DType::kF8E4M3);

DEVICE constexpr u32 divide_up(u32 n, u32 by) { return (n + by - 1) / by; }
DEVICE constexpr u32 smaller(u32 a, u32 b) { return a < b ? a : b; }

}  // namespace headroom::cuda
