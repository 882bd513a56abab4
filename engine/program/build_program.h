// The only forward pass.
#pragma once

#include <span>

#include "program/op.h"

namespace headroom {

// Which device runs each layer, the embedding and the head. Same indices as the devices given to plan_memory.
struct Placement {
  std::vector<DeviceIndex> layer_device;  // (n_layers)
  DeviceIndex embed_device = 0, head_device = 0;
  bool operator==(const Placement&) const = default;
};

// Ops in order, buffers laid out by liveness for `max_rows` rows. Pure; deterministic. `alignment` is a power of two.
Program build_program(const ModelInfo& model, const Placement& placement, std::uint32_t n_devices,
                      std::uint32_t max_rows, std::uint32_t max_logit_rows, Bytes alignment);

// The same ops on the same offsets for steps of at most `max_rows` rows: the decode program, which shares the
// activations region of the prefill one.
Program narrow_program(const Program& program, std::uint32_t max_rows, Bytes alignment);

}  // namespace headroom
