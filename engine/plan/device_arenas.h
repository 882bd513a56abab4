// What each device holds of a model, region by region: the one piece of memory arithmetic. A plan keeps the regions. A
// search asks for the sizes of many placements: what depends on the model and a device alone is computed once for all.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/arena_builder.h"
#include "plan/device_rules.h"
#include "plan/kv_regions.h"
#include "plan/memory_plan.h"
#include "plan/weight_stream.h"

namespace headroom {

class DeviceArenas {
 public:
  // `options` are resolved but for the numbers of layers. `model` and `devices` outlive this.
  DeviceArenas(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& options,
               DeviceIndex cpu);

  // Of the devices in use in the order in which a step comes to them, the CPU last; then the host's page-locked memory.
  // kUsage names a region that is larger than a device allocates or binds at once, or options beyond 64 bits.
  Result<std::vector<ArenaPlan>> arenas(const Placement& placement, const WeightStreaming& streaming, Keep keep) const;
  // What is asked of each device that holds an arena, against what it may use. No sum is beyond 64 bits: arenas() has
  // refused those.
  std::vector<DeviceBudget> budgets(std::span<const ArenaPlan> arenas) const;
  // What a device alone is asked for while the model runs; absent where arenas() refuses.
  std::optional<Bytes> asked_of(const Placement& placement, const WeightStreaming& streaming, DeviceIndex device) const;
  // The most that the parts of a step on a device hold at once: as build_program() lays them out.
  Bytes activation_bytes(const Placement& placement, const WeightStreaming& streaming, DeviceIndex device) const;

  const ModelInfo& model() const { return model_; }
  std::span<const DeviceInfo> devices() const { return devices_; }
  const PlanOptions& options() const { return options_; }
  DeviceIndex cpu() const { return cpu_; }
  Bytes buffer_alignment() const { return buffer_alignment_; }  // that programs are built with

 private:
  // Regions that follow each other and stand on the same device whatever the placement: the weights of one part of a
  // layer, or a layer's cache. Where an arena has room for all of them, their sum is as good as each.
  struct Block {
    std::size_t first = 0, end = 0;       // ModelInfo::weights
    std::optional<Bytes> sum = Bytes{0};  // whole regions; absent: beyond 64 bits
  };
  // Of one device.
  struct Sizes {
    DeviceIndex device = 0;
    std::vector<Bytes> weights;  // (ModelInfo::weights)
    std::vector<Block> blocks;   // of the weights
    std::vector<Block> caches;   // (n_layers): of caches and states
    Bytes scratch_computes = 0, scratch_embeds = 0, inputs = 0;
    std::optional<Bytes> scratch_at_once{};  // the largest part, where kernels see each by itself
    std::vector<StreamedRole> streamed;
  };
  // Of a layer's cache or state.
  struct CacheSize {
    Region region;  // but for what an arena gives it
    std::string_view name;
    std::optional<Bytes> bytes;
  };
  struct PartBytes {
    Bytes attention = 0, ffn = 0;
  };

  Sizes sizes_on(DeviceIndex device) const;
  void measure_activations();
  const Sizes& sizes_of(DeviceIndex device) const;
  Error too_large() const;
  Result<std::vector<ArenaPlan>> finish(ArenaBuilder&& builder) const;
  Result<std::vector<ArenaPlan>> weights(const Placement& placement, DeviceIndex device, Keep keep) const;
  Result<std::vector<ArenaPlan>> session(const Placement& placement, const WeightStreaming& streaming,
                                         DeviceIndex device, Keep keep) const;
  std::vector<CacheSize> cache_sizes(std::int32_t layer) const;
  void add_caches(const Placement& placement, DeviceIndex device, Keep keep, ArenaBuilder& builder) const;
  void add_host_staging(const Placement& placement, const WeightStreaming& streaming, ArenaBuilder& builder) const;
  Result<std::vector<ArenaPlan>> page_locked(const Placement& placement, const WeightStreaming& streaming,
                                             Lifetime lifetime, DeviceIndex device, Keep keep) const;

  const ModelInfo& model_;
  const std::span<const DeviceInfo> devices_;
  const PlanOptions options_;
  const DeviceIndex cpu_;
  const bool tied_head_;
  Bytes buffer_alignment_;
  std::vector<Sizes> sizes_;                    // of the devices that may be used
  std::vector<std::vector<CacheSize>> caches_;  // (n_layers)
  std::vector<PartBytes> activations_;          // (n_layers)
  Bytes embedding_activations_ = 0, input_activations_ = 0;
  Bytes panel_rows_ = 0;  // of a thread of the CPU
};

}  // namespace headroom
