// The grids of weights as kernels of Vulkan read them: they stand in the inputs of a step, since a driver takes minutes
// to compile what has them as constants.
#pragma once

#include <cstdint>
#include <span>

#include "model/model_info.h"

namespace headroom {

// One grid behind the other, where shaders/lib/grids.glsl expects them, in words of 32 bits: of four elements a word
// has the values of a point, a byte each; of eight it has two points as they stand in format/grids.h.
inline constexpr std::uint32_t kGpuGridWords = 2688;

bool has_grids(const ModelInfo& model);
void write_gpu_grids(std::span<std::uint32_t, kGpuGridWords> words);

}  // namespace headroom
