#include "plan/choose_checkpoints.h"

#include <algorithm>

#include "plan/kv_regions.h"

namespace headroom {
namespace {

// Of one checkpoint of every slot on a device; absent when beyond 64 bits.
std::optional<Bytes> bytes_of_one(const ModelInfo& model, const DeviceInfo& device, const ArenaLayout& layout,
                                  DeviceIndex index) {
  std::optional<Bytes> sum = 0;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (layout.placement.layers[i].attention != index) continue;
    for (const CheckpointRegion& part : checkpoint_regions(model.layers[i], layout.options)) {
      const std::optional<Bytes> bytes =
          part.bytes_of_slot ? checked_mul(*part.bytes_of_slot, layout.options.n_slots) : std::nullopt;
      sum = sum && bytes ? checked_add(*sum, round_up(*bytes, device.alignment)) : std::nullopt;
    }
  }
  return sum;
}

}  // namespace

std::int32_t least_checkpoints(const ModelInfo& model, const PlanOptions& options) {
  if (!needs_checkpoints(model, options)) return 0;
  if (options.n_checkpoints != kAutoCheckpoints) return options.n_checkpoints;
  return model.is_recurrent() ? kLeastAutoCheckpoints : 0;
}

ArenaLayout choose_checkpoints(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& asked,
                               ArenaLayout least, const PlanWithCheckpoints& layout_with) {
  if (!needs_checkpoints(model, least.options)) return least;
  if (!least.fits()) {
    PlanOptions none = asked;
    none.n_checkpoints = 0;
    Result<ArenaLayout> without = layout_with(none);
    return without && without->fits() ? std::move(*without) : std::move(least);
  }
  PlanOptions options = least.options;
  Bytes n_more = static_cast<Bytes>((model.is_recurrent() ? kMostAutoCheckpoints : kMostAutoWindowCheckpoints) -
                                    options.n_checkpoints);
  for (const DeviceBudget& budget : least.budgets) {
    const std::optional<Bytes> one = bytes_of_one(model, devices[budget.device], least, budget.device);
    if (!one) return least;
    if (*one > 0) n_more = std::min(n_more, budget.spare() / kCheckpointShare / *one);
  }
  // Devices that share their memory see the same bytes free.
  for (; n_more > 0; n_more /= 2) {
    options.n_checkpoints = least.options.n_checkpoints + static_cast<std::int32_t>(n_more);
    Result<ArenaLayout> more = layout_with(options);
    if (!more || !more->fits()) continue;
    more->choices = least.choices;
    return std::move(*more);
  }
  return least;
}

}  // namespace headroom
