// The layouts of weights in the memory of devices, and their sizes. Pure: the planner counts with them, backends load
// with them.
#pragma once

#include "model/tensor_roles.h"

namespace headroom {

// Vectors are F32 in every layout.
enum class WeightLayout : std::uint8_t {
  kRows,       // matrices row by row, as in the file
  kPanels,     // matrices as panels of kPanelRows interleaved rows, the last one filled up
  kGpuPanels,  // likewise of kGpuPanelRows: model/gpu_panel.h
};

// Rows of a CPU's panel: a row is one of the sixteen 32-bit lanes of a 512-bit register.
inline constexpr std::uint32_t kPanelRows = 16;
// Rows of a GPU's panel: a row is one thread of a warp.
inline constexpr std::uint32_t kGpuPanelRows = 32;

// Rows for which one matrix of a weight takes memory: those of the file, or those of whole panels.
std::uint64_t weight_rows(const WeightTensor& weight, WeightLayout layout);
Bytes weight_bytes(const WeightTensor& weight, WeightLayout layout);

}  // namespace headroom
