#include "plan/speed.h"

#include "plan/device_rules.h"
#include "plan/kv_regions.h"
#include "plan/placement.h"

namespace headroom {
namespace {

// How often the residual changes device on its way from the embedding to the head.
std::uint32_t n_crossings(const Placement& placement) {
  std::uint32_t n = 0;
  DeviceIndex at = placement.embed_device;
  const auto go_to = [&](DeviceIndex device) {
    n += at == device ? 0 : 1;
    at = device;
  };
  for (const LayerPlacement& layer : placement.layers) {
    go_to(layer.attention);
    go_to(layer.ffn);
  }
  go_to(placement.head_device);
  return n;
}

}  // namespace

std::optional<double> estimate_tokens_per_s(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                            const Placement& placement, const PlanOptions& options) {
  const bool tied_head = has_tied_head(model);
  double seconds = 0;
  for (const DeviceIndex device : devices_in_use(placement)) {
    double touched_bytes = 0;
    for (const WeightTensor& weight : model.weights) {
      const bool is_lookup =
          weight.slot == WeightSlot::kTokenEmbedding && (!tied_head || placement.head_device != device);
      if (!is_lookup && weight_is_on(weight, device, placement, tied_head))
        touched_bytes += static_cast<double>(weight_bytes(weight, weight_layout(devices[device].kind)));
    }
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      if (placement.layers[i].attention != device) continue;
      const LayerSpec& layer = model.layers[i];
      touched_bytes += kv_bytes_read(layer, options, layer.kv_rows(options.n_ctx, options.n_batch));
    }
    if (touched_bytes == 0) continue;
    if (!(devices[device].read_bytes_per_s > 0)) return std::nullopt;
    seconds += touched_bytes / devices[device].read_bytes_per_s;
  }
  if (!(seconds > 0)) return std::nullopt;
  return 1.0 / (seconds + n_crossings(placement) * kCrossingSeconds);
}

std::optional<double> estimate_tokens_per_s(const ModelInfo& model, const MemoryPlan& plan) {
  return estimate_tokens_per_s(model, plan.devices, plan.placement, plan.options);
}

}  // namespace headroom
