#include "plan/placement.h"

#include <algorithm>

namespace headroom {

Placement place_layers(const ModelInfo& model, std::span<const DeviceInfo> devices, DeviceIndex device, DeviceIndex cpu,
                       std::uint32_t n_gpu_layers) {
  Placement placement;
  placement.layer_device.assign(model.n_layers(), cpu);
  std::fill(placement.layer_device.end() - static_cast<std::ptrdiff_t>(n_gpu_layers), placement.layer_device.end(),
            device);
  placement.head_device = n_gpu_layers > 0 ? device : cpu;
  const bool shares_all = devices[device].has_unified_memory && n_gpu_layers == model.n_layers();
  placement.embed_device = shares_all ? device : cpu;
  return placement;
}

bool has_tied_head(const ModelInfo& model) {
  return std::none_of(model.weights.begin(), model.weights.end(),
                      [](const WeightTensor& w) { return w.slot == WeightSlot::kHead; });
}

bool weight_is_on(const WeightTensor& weight, DeviceIndex device, const Placement& placement, bool tied_head) {
  if (weight.layer >= 0) return placement.layer_device[static_cast<std::size_t>(weight.layer)] == device;
  if (weight.slot != WeightSlot::kTokenEmbedding) return placement.head_device == device;
  return placement.embed_device == device || (tied_head && placement.head_device == device);
}

}  // namespace headroom
