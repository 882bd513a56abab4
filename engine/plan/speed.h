// How fast a plan would decode, from the bytes that a token touches.
#pragma once

#include <optional>
#include <span>

#include "plan/memory_plan.h"

namespace headroom {

// What it costs a step that its residual goes from one device to another: two devices wait for one another, the bytes
// of a token are next to nothing. An assumption of the size that a launch and a wake take together.
inline constexpr double kCrossingSeconds = 20e-6;

// Tokens per second of one request at the end of its context: all weights but the embedding's rows, and the whole cache
// of one slot, read once per token, one device after the other, and what it costs to go between them. An upper bound: a
// machine that is short of compute is slower. Absent when a device's read_bytes_per_s is unknown.
std::optional<double> estimate_tokens_per_s(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                            const Placement& placement, const PlanOptions& options);
std::optional<double> estimate_tokens_per_s(const ModelInfo& model, const MemoryPlan& plan);

}  // namespace headroom
