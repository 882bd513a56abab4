// How many tokens of a prompt a step reads where nobody said it. A step reads every weight once and starts every kernel
// once, however many rows it has, so a GPU reads long prompts faster in larger steps; but the rows take memory. Pure.
#pragma once

#include <functional>
#include <span>

#include "plan/layout.h"

namespace headroom {

inline constexpr std::uint32_t kMostAutoBatch = 2048;

// Lays the model out under these options, whose n_batch is a number. Handed in, because laying out is what calls
// choose_batch().
using PlanWithBatch = std::function<Result<ArenaLayout>(const PlanOptions& options)>;

// The layout with the best batch. `least` is the one with kLeastAutoBatch, and it fits. A larger batch is taken where
// it fits too, a long prompt is predicted to be read clearly faster and an answer to take no longer. Layers stay where
// they are in `least`, unless larger steps may stream weights. Example: an 8B with 8,192 positions on a card that is
// fast and has room: 2,048 tokens take 227 MiB more than 256, and 4,096 tokens are read in 0.16 s instead of 0.21 s.
// `least` is returned where no GPU has layers, where a device in use was not measured for prompts, and where a step
// would take over a second.
ArenaLayout choose_batch(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& asked,
                         ArenaLayout least, const PlanWithBatch& layout_with);

// What the steps of a prompt take beside those of an answer, on all devices: the plan's bytes less those of the same
// plan with steps of one token.
Bytes batch_bytes(const ModelInfo& model, const MemoryPlan& plan);

}  // namespace headroom
