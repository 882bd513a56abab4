// Finds which layers fit on which device, without laying out a plan for each try: what a device takes is a sum over its
// layers.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plan/placement.h"

namespace headroom {

class LayerSplitter {
 public:
  // `options` are resolved but for the numbers of layers. `buffer_alignment` is the one that programs are built with.
  LayerSplitter(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& options,
                Bytes buffer_alignment);

  // The last `n_gpu_layers` layers over the devices, the FFN of the first `n_cpu_ffn` of them on the CPU: each device
  // takes as many as fit before the next one takes any, and the fewest devices are used that hold them all with the
  // head. When none do, the split that lacks the least.
  LayerSplit split(std::uint32_t n_gpu_layers, std::uint32_t n_cpu_ffn) const;

  // The most layers whose split fits. Every layer more takes more bytes, so halving the range finds it.
  std::uint32_t most_layers(std::uint32_t n_cpu_ffn) const;
  // The fewest FFNs on the CPU with which all layers fit; absent when not even all of them are enough.
  std::optional<std::uint32_t> least_cpu_ffn() const;

 private:
  // Sums of all layers before one, in bytes of whole regions.
  struct DeviceLayers {
    DeviceIndex device = 0;
    std::vector<Bytes> attention{}, ffn{}, cache{};  // (n_layers + 1)
    // logits: with what finds the likeliest of them
    Bytes head_weights = 0, logits = 0, scratch = 0;
    Bytes driver = 0, limit = 0, granularity = 1;
  };
  // A run of layers on one device; the FFNs of those before `first_ffn` stand on the CPU.
  struct Span {
    std::uint32_t first, end, first_ffn;
    bool has_head;
  };

  DeviceLayers measure(const DeviceInfo& info, DeviceIndex device) const;
  Bytes missing(const DeviceLayers& on, const Span& span) const;
  std::uint32_t most_from(const DeviceLayers& on, std::uint32_t first, std::uint32_t end,
                          std::uint32_t first_ffn) const;
  bool fits(std::uint32_t n_gpu_layers, std::uint32_t n_cpu_ffn) const;
  std::pair<LayerSplit, Bytes> best_split(std::uint32_t n_gpu_layers, std::uint32_t n_cpu_ffn) const;

  const ModelInfo& model_;
  const PlanOptions& options_;
  std::vector<Bytes> live_attention_, live_ffn_;  // (n_layers)
  std::vector<DeviceLayers> devices_;             // those that are not the CPU, in the user's order
};

}  // namespace headroom
