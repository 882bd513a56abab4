// How many tokens of a prompt a step reads where nobody said it. A step reads every weight once and starts every kernel
// once, whatever it has rows, so a GPU reads long prompts faster in larger steps; their rows take memory. Pure.
#pragma once

#include <functional>
#include <span>

#include "plan/layout.h"

namespace headroom {

inline constexpr std::uint32_t kMostAutoBatch = 2048;

// Makes a layout under options in which only n_batch differs from what was asked for, or also from what was chosen.
using PlanWithBatch = std::function<Result<ArenaLayout>(const PlanOptions& options)>;

// `least`: the layout with kLeastAutoBatch, which fits. The same layers with a larger batch, where that fits too and a
// long prompt is predicted to be read clearly faster; `least` else: without a GPU that has layers, where a device in
// use was not measured for prompts, and where a step would take so long that nobody sees it go on.
ArenaLayout choose_batch(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& asked,
                         ArenaLayout least, const PlanWithBatch& layout_with);

// What the steps of a prompt take beside those of an answer, on all devices: the plan's bytes less those of the same
// plan with steps of one token.
Bytes batch_bytes(const ModelInfo& model, const MemoryPlan& plan);

}  // namespace headroom
