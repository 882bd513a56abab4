// How many checkpoints each slot has where nobody said it. They make nothing faster that is asked for the first time,
// so they take what is free anyway, and never a layer's place on a device. Pure.
#pragma once

#include <functional>
#include <span>

#include "plan/layout.h"

namespace headroom {

// Of models with states, which without any can go on at their end alone: an answer that is generated again, and the
// message before it that is changed, each find theirs.
inline constexpr std::int32_t kLeastAutoCheckpoints = 2;
inline constexpr std::int32_t kMostAutoCheckpoints = 8;
// Of models whose windows alone cannot go back: they do so by a batch as they are, and their checkpoints are large.
inline constexpr std::int32_t kMostAutoWindowCheckpoints = 2;
// Further ones take at most this part of what the plan leaves free on their device.
inline constexpr Bytes kCheckpointShare = 8;

// What `options` say, with n_ctx and n_batch; of auto the least, and 0 where all can go back.
std::int32_t least_checkpoints(const ModelInfo& model, const PlanOptions& options);

// Lays the model out under these options, whose n_checkpoints is a number.
using PlanWithCheckpoints = std::function<Result<ArenaLayout>(const PlanOptions& options)>;

// The layout with as many as there is room for. `least` has least_checkpoints() of `asked`, the resolved options; where
// it does not fit and would without any, there are none. Layers stay where they are in `least`.
ArenaLayout choose_checkpoints(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& asked,
                               ArenaLayout least, const PlanWithCheckpoints& layout_with);

}  // namespace headroom
