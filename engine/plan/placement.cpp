#include "plan/placement.h"

#include <algorithm>

namespace headroom {
namespace {

template <DeviceIndex LayerPlacement::*part>
LayerRun run_of(const Placement& placement, DeviceIndex device) {
  LayerRun run;
  for (std::size_t i = 0; i < placement.layers.size(); ++i) {
    if (placement.layers[i].*part != device) continue;
    if (run.count() == 0) run.first = static_cast<std::int32_t>(i);
    run.last = static_cast<std::int32_t>(i);
  }
  return run;
}

}  // namespace

std::uint32_t LayerSplit::n_gpu_layers() const {
  std::uint32_t sum = 0;
  for (const Run& run : runs) sum += run.n_layers;
  return sum;
}

Placement place_layers(const ModelInfo& model, std::span<const DeviceInfo> devices, DeviceIndex cpu,
                       const LayerSplit& split) {
  Placement placement;
  placement.layers.assign(model.n_layers(), {cpu, cpu});
  std::uint32_t next = model.n_layers() - split.n_gpu_layers();
  const std::uint32_t first_whole = next + split.n_cpu_ffn;
  for (const LayerSplit::Run& run : split.runs) {
    for (const std::uint32_t end = next + run.n_layers; next < end; ++next)
      placement.layers[next] = {run.device, next < first_whole ? cpu : run.device};
  }
  placement.head_device = split.runs.empty() ? cpu : split.runs.back().device;
  const bool shares_all = split.runs.size() == 1 && devices[placement.head_device].has_unified_memory &&
                          split.n_gpu_layers() == model.n_layers() && split.n_cpu_ffn == 0;
  placement.embed_device = shares_all ? placement.head_device : cpu;
  return placement;
}

std::vector<DeviceIndex> devices_in_use(const Placement& placement) {
  std::vector<DeviceIndex> used;
  const auto add = [&](DeviceIndex device) {
    if (std::find(used.begin(), used.end(), device) == used.end()) used.push_back(device);
  };
  for (const LayerPlacement& layer : placement.layers) {
    add(layer.attention);
    add(layer.ffn);
  }
  add(placement.embed_device);
  add(placement.head_device);
  return used;
}

bool has_tied_head(const ModelInfo& model) {
  return std::none_of(model.weights.begin(), model.weights.end(),
                      [](const WeightTensor& w) { return w.role == TensorRole::kHead; });
}

bool weight_is_on(const WeightTensor& weight, DeviceIndex device, const Placement& placement, bool tied_head) {
  if (weight.layer >= 0) {
    const LayerPlacement& layer = placement.layers[static_cast<std::size_t>(weight.layer)];
    return (role_is_ffn(weight.role) ? layer.ffn : layer.attention) == device;
  }
  if (weight.role == TensorRole::kLayerEmbedding) return placement.embed_device == device;
  const bool is_of_inputs = weight.role == TensorRole::kInputProject || weight.role == TensorRole::kInputProjectNorm;
  if (is_of_inputs) return placement.layers.front().attention == device;
  if (weight.role != TensorRole::kTokenEmbedding) return placement.head_device == device;
  return placement.embed_device == device || (tied_head && placement.head_device == device);
}

bool is_lookup(const WeightTensor& weight, DeviceIndex device, const Placement& placement, bool tied_head) {
  return weight.role == TensorRole::kLayerEmbedding ||
         (weight.role == TensorRole::kTokenEmbedding && (!tied_head || placement.head_device != device));
}

LayerRun attention_run(const Placement& placement, DeviceIndex device) {
  return run_of<&LayerPlacement::attention>(placement, device);
}

LayerRun ffn_run(const Placement& placement, DeviceIndex device) {
  return run_of<&LayerPlacement::ffn>(placement, device);
}

Message layer_run_words(const LayerRun& run) {
  return run.first == run.last ? Message::say("layer {}", run.first)
                               : Message::say("layers {}-{}", run.first, run.last);
}

}  // namespace headroom
