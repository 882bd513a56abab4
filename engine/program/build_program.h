// The only forward pass.
#pragma once

#include <span>

#include "program/op.h"

namespace headroom {

// The device of each part of a layer.
struct LayerPlacement {
  DeviceIndex attention = 0;  // norm, q/k/v, the cache, attention and its output; or all of a delta net and its state
  DeviceIndex ffn = 0;
  bool operator==(const LayerPlacement&) const = default;
};

// Which device runs each part, the embedding and the head. Same indices as the devices given to plan_memory.
struct Placement {
  std::vector<LayerPlacement> layers;  // (n_layers)
  DeviceIndex embed_device = 0, head_device = 0;
  bool operator==(const Placement&) const = default;
};

// Steps of at least least_rows rows stream: they compute FFNs that stand on the CPU on a GPU (plan/weight_stream.h).
struct WeightStreaming {
  std::vector<DeviceIndex> ffn_device{};  // (n_layers): of a streamed step; empty: no step streams
  std::uint32_t least_rows = 0;
  bool is_used() const { return !ffn_device.empty(); }
  bool operator==(const WeightStreaming&) const = default;
};

// The forward pass of a model as ops in order, with its buffers laid out by liveness for `max_rows` rows. Where the
// next part of a layer is on another device, a transfer copies the residual there. Resident and streamed steps write
// the same logits; their other buffers share bytes, since no step is both. Pure; deterministic. `alignment` is a power
// of two.
Program build_program(const ModelInfo& model, const Placement& placement, std::uint32_t n_devices,
                      std::uint32_t max_rows, std::uint32_t max_logit_rows, Bytes alignment,
                      const WeightStreaming& streaming = {});

}  // namespace headroom
