// Which device runs what.
#pragma once

#include <span>

#include "plan/memory_plan.h"

namespace headroom {

// The last `n_gpu_layers` layers and, as soon as there is one, the head go to `device`; the rest to `cpu`. So the
// residual crosses once per step, and the head, which every token reads whole, is never left on the slower side while
// layers of the same bytes are on the faster one. The embedding is one row per token: it stays on the CPU, except where
// all layers are on a device that shares the CPU's memory.
Placement place_layers(const ModelInfo& model, std::span<const DeviceInfo> devices, DeviceIndex device, DeviceIndex cpu,
                       std::uint32_t n_gpu_layers);

// True when the head reads the embedding: the model has no head tensor of its own.
bool has_tied_head(const ModelInfo& model);

// True when `weight` stands on `device`. A tied embedding may stand on two.
bool weight_is_on(const WeightTensor& weight, DeviceIndex device, const Placement& placement, bool tied_head);

}  // namespace headroom
