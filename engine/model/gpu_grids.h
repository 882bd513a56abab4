// The grids of weights as kernels of Vulkan read them: they stand in the inputs of a step, since a driver takes minutes
// to compile what has them as constants.
#pragma once

#include <cstdint>
#include <span>

#include "model/model_info.h"

namespace headroom {

// All grids, one behind the other in the order of shaders/lib/grids.glsl: IQ3_XXS, IQ3_S, IQ2_XXS, IQ2_XS, IQ2_S, IQ1.
// A word of IQ3 is one point, its four values as signed bytes. A word of the others is two points of eight elements, as
// format/grids.h has them.
inline constexpr std::uint32_t kGpuGridWords = 2688;

bool has_grids(const ModelInfo& model);
void write_gpu_grids(std::span<std::uint32_t, kGpuGridWords> words);

}  // namespace headroom
