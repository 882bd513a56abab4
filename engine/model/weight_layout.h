// How a weight stands in the memory of a device, and its bytes there. Pure: the planner counts with it, backends load
// with it.
#pragma once

#include "model/tensor_roles.h"

namespace headroom {

// Vectors are F32 in every layout.
enum class WeightLayout : std::uint8_t {
  kRows,       // matrices row by row, as in the file
  kPanels,     // matrices as panels of kPanelRows interleaved rows, the last one filled up
  kGpuPanels,  // likewise of kGpuPanelRows: model/gpu_panel.h
};

// Rows that are interleaved in one panel: one 32-bit lane of a 512-bit register each.
inline constexpr std::uint32_t kPanelRows = 16;
// One thread of a GPU each.
inline constexpr std::uint32_t kGpuPanelRows = 32;

// Rows of memory that a weight, or one of its matrices, takes: those of the file, or of whole panels.
std::uint64_t weight_rows(const WeightTensor& weight, WeightLayout layout);
Bytes weight_bytes(const WeightTensor& weight, WeightLayout layout);

}  // namespace headroom
