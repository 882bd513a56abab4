// Weights and activations for the check of products. Quantizing them, or unpacking them to the one scale per 256
// columns of a slab, loses nothing. So a correct product differs from the plain one by the rounding of sums alone, and
// one wrong bit of one code is seen.
#pragma once

#include <cstddef>
#include <vector>

#include "backend/cpu/kernel_probe.h"

namespace headroom {

inline constexpr std::uint32_t kCheckRows = 7;  // different activation rows; further rows repeat them

// Columns of the weights of a type: blocks in odd number and a slab that is not full, where the type allows it.
std::uint32_t check_cols(DType type);

// Bytes of a row of weights, as in a file.
std::vector<std::byte> check_weights(KernelProbe& probe, DType type, std::uint32_t n_cols);

// A row of activations in steps of a power of two: at most 127 of them, or 8191 where they become words; each group of
// 32 or 64 has one of the largest size. `off`: by how much of a step each is off, in turns above and below.
std::vector<float> check_activations(KernelProbe& probe, std::uint32_t n_cols, bool words, float off);

}  // namespace headroom
