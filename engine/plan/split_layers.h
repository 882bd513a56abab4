// Finds which layers fit on which device, without laying out a plan for each try: what a device takes is a sum over its
// layers.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plan/device_layers.h"
#include "plan/placement.h"

namespace headroom {

// Holds each device to its own limit, and those that share the CPU's memory together with the host to their pool
// (plan/memory_pool.h), to the byte as a plan does. Two things are the plan's alone to check: a host that shares with
// nobody, and what only the load holds (a plan that runs takes more, but where a device with memory of its own is
// loaded through the host's and little else is planned).
class LayerSplitter {
 public:
  // `options` are resolved but for the numbers of layers. `buffer_alignment` is the one that programs are built with,
  // `stream_rows` what a placement has of it.
  LayerSplitter(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& options,
                DeviceIndex cpu, Bytes buffer_alignment, std::uint32_t stream_rows);
  LayerSplitter(const LayerSplitter&) = delete;
  LayerSplitter& operator=(const LayerSplitter&) = delete;

  // The last `n_gpu_layers` layers over the devices, the FFN of the first `n_cpu_ffn` of them on the CPU: each device
  // takes as many as fit before the next one takes any, and the fewest devices are used that hold them all with the
  // head. When none do, the split that lacks the least.
  LayerSplit split(std::uint32_t n_gpu_layers, std::uint32_t n_cpu_ffn) const;
  bool fits(std::uint32_t n_gpu_layers, std::uint32_t n_cpu_ffn) const;  // whether that split does

  // The most layers whose split fits, found by halving the range: every layer more takes more bytes of its device. Of a
  // pool all layers may take less than all but one, since the host then keeps next to nothing: they are tried first.
  std::uint32_t most_layers(std::uint32_t n_cpu_ffn) const;
  // The fewest FFNs on the CPU with which all layers fit; absent when not even all of them are enough.
  std::optional<std::uint32_t> least_cpu_ffn() const;

 private:
  struct Candidate {
    DeviceIndex device = 0;
    DeviceLayers layers;
    Bytes limit = 0;
  };
  // Layers first_gpu.. on devices, the FFNs before first_ffn on the CPU.
  struct Borders {
    std::uint32_t first_gpu = 0, first_ffn = 0;
  };
  // Devices that hold layers, and what those of them that share the CPU's memory ask for.
  struct Holders {
    std::vector<DeviceIndex> devices{};
    std::vector<std::uint32_t> first_layers{};  // of each
    Bytes shared = 0;
    bool has_embedding = false;
  };

  Bytes asked(const Candidate& on, const LayerParts& parts) const;
  LayerParts run_of(const Candidate& on, std::uint32_t first, std::uint32_t end, const Borders& borders) const;
  std::uint32_t most_from(const Candidate& on, std::uint32_t first, std::uint32_t end, const Borders& borders) const;
  Bytes host_bytes(const Borders& borders, const Holders& holders) const;
  Bytes pool_missing(const Borders& borders, const Holders& holders) const;
  std::pair<LayerSplit, Bytes> best_split(std::uint32_t n_gpu_layers, std::uint32_t n_cpu_ffn) const;

  const ModelInfo& model_;
  const std::span<const DeviceInfo> all_;
  const PlanOptions options_;
  const DeviceIndex cpu_;
  const bool streams_;
  const LiveBytes live_;
  std::vector<Candidate> devices_;    // those that are not the CPU, in the user's order
  std::optional<DeviceLayers> host_;  // where a device shares its memory
};

}  // namespace headroom
