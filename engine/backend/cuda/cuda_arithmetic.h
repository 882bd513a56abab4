// What the products of an NVIDIA card are computed in.
#pragma once

#include "backend/cuda/cuda_cards.h"
#include "backend/gpu/gpu_arithmetic.h"

namespace headroom {

// Prompts in f16 or int8, whichever the card has more instructions for; kCudaPromptsVariable decides otherwise.
GpuArithmetic cuda_arithmetic(const CudaCard& card);
inline constexpr const char* kCudaPromptsVariable = "HEADROOM_CUDA_PROMPTS";  // "f16" or "int8"

}  // namespace headroom
