// Finds which layers fit on which device by trying splits in sizes alone: a try is what a plan of that split would ask
// for.
#pragma once

#include <optional>

#include "plan/device_arenas.h"
#include "plan/placement.h"

namespace headroom {

// A split fits here when every device that is not the CPU, and every pool of shared memory (plan/memory_pool.h), has
// what it is asked for. The splitter does not hold a host that shares with nobody to its limit: it has what is left,
// and the most layers elsewhere leave the least to it.
class LayerSplitter {
 public:
  // Over `gpus` in their order. `sizes` outlives this. `stream_rows` is what a placement has of it.
  LayerSplitter(const DeviceArenas& sizes, std::uint32_t stream_rows, std::vector<DeviceIndex> gpus);

  // The last `n_gpu_layers` layers over the devices, the FFN of the first `n_cpu_ffn` of them on the CPU: each device
  // takes as many as fit before the next one takes any, and the fewest devices are used that hold them all with the
  // head. When none do, the split that lacks the least. Layers that stand together (ModelInfo::n_layers_together()) are
  // on one device: where `n_gpu_layers` are fewer, none are on a GPU.
  LayerSplit split(std::uint32_t n_gpu_layers, std::uint32_t n_cpu_ffn) const;
  bool fits(std::uint32_t n_gpu_layers, std::uint32_t n_cpu_ffn) const;  // whether that split does

  // The most layers whose split fits, found by halving the range: every layer more takes more bytes of its device. Of a
  // pool all layers may take less than all but one, since the host then keeps next to nothing: they are tried first.
  std::uint32_t most_layers(std::uint32_t n_cpu_ffn) const;
  // The fewest FFNs on the CPU with which all layers fit; absent when not even all of them are enough.
  std::optional<std::uint32_t> least_cpu_ffn() const;

 private:
  // How many layers are on GPUs where so many were asked for: those that stand together, or none of them.
  std::uint32_t allowed(std::uint32_t n_gpu_layers) const { return n_gpu_layers < n_together_ ? 0 : n_gpu_layers; }
  Placement place(const LayerSplit& split) const;
  WeightStreaming stream(const Placement& placement) const;
  Bytes lacks(const LayerSplit& split) const;
  bool has_room(const LayerSplit& split, DeviceIndex device) const;
  std::uint32_t most_before(const LayerSplit& before, DeviceIndex device, DeviceIndex next, std::uint32_t n) const;
  std::pair<LayerSplit, Bytes> best_split(std::uint32_t n_gpu_layers, std::uint32_t n_cpu_ffn) const;

  const DeviceArenas& sizes_;
  const std::uint32_t stream_rows_, n_layers_, n_together_;
  const std::vector<DeviceIndex> gpus_;
};

}  // namespace headroom
