// Which device runs what.
#pragma once

#include <span>
#include <vector>

#include "plan/memory_plan.h"

namespace headroom {

// How many of the last layers each device that is not the CPU has, one run behind the other in this order, and how many
// of them, from the first on, have their FFN on the CPU.
struct LayerSplit {
  struct Run {
    DeviceIndex device = 0;
    std::uint32_t n_layers = 0;  // not 0
  };
  std::vector<Run> runs;
  std::uint32_t n_cpu_ffn = 0;

  std::uint32_t n_gpu_layers() const;
};

// The last layers as the split says, and the head where the very last one is; the rest goes to `cpu`. So the residual
// crosses once per device and step, and the head, which every token reads whole, is never left on the slower side while
// layers of the same bytes are on the faster one. The embedding is one row per token: it stays on the CPU, except where
// all layers are whole on one device that shares the CPU's memory.
Placement place_layers(const ModelInfo& model, std::span<const DeviceInfo> devices, DeviceIndex cpu,
                       const LayerSplit& split);

// Devices that compute anything, in the order in which a step comes to them for their first layer; those with the
// embedding or the head alone behind them.
std::vector<DeviceIndex> devices_in_use(const Placement& placement);

// visit(from, to) wherever the residual changes device on its way from the embedding to the head, in steps that do not
// stream: for those that do, ask with placement_of() (plan/weight_stream.h).
template <class Visit>
void for_each_crossing(const Placement& placement, Visit visit) {
  DeviceIndex at = placement.embed_device;
  const auto go_to = [&](DeviceIndex device) {
    if (at != device) visit(at, device);
    at = device;
  };
  for (const LayerPlacement& layer : placement.layers) {
    go_to(layer.attention);
    go_to(layer.ffn);
  }
  go_to(placement.head_device);
}

// True when the head reads the embedding: the model has no head tensor of its own.
bool has_tied_head(const ModelInfo& model);

// True when `weight` stands on `device`. A tied embedding may stand on two.
bool weight_is_on(const WeightTensor& weight, DeviceIndex device, const Placement& placement, bool tied_head);

// True when `device` reads rows of `weight` alone: an embedding that it does not multiply.
bool is_lookup(const WeightTensor& weight, DeviceIndex device, const Placement& placement, bool tied_head);

// Layers first..last of a device, by part; empty: first > last. Every placement of place_layers has one run of each.
struct LayerRun {
  std::int32_t first = 0, last = -1;
  std::int32_t count() const { return last - first + 1; }
  bool operator==(const LayerRun&) const = default;
};
LayerRun attention_run(const Placement& placement, DeviceIndex device);
LayerRun ffn_run(const Placement& placement, DeviceIndex device);
// "layer 3", "layers 4-20".
Message layer_run_words(const LayerRun& run);

}  // namespace headroom
