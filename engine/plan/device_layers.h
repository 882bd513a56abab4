// What one device takes for parts of a model: the sizes that a plan lays out there, without laying it out.
#pragma once

#include <limits>
#include <vector>

#include "plan/arena_packer.h"
#include "plan/memory_plan.h"

namespace headroom {

// Sums that leave 64 bits, and regions that no arena can hold: no device has room for them.
inline constexpr Bytes kNoRoom = std::numeric_limits<Bytes>::max();

// Parts of a model on one device: attention with its cache of some layers, the FFN of some, the embedding, the head.
struct LayerParts {
  std::uint32_t first_attention = 0, end_attention = 0;
  std::uint32_t first_ffn = 0, end_ffn = 0;  // when empty, first == end
  bool has_embedding = false, has_head = false;
  std::uint32_t first_streamed = 0, end_streamed = 0;  // FFNs that are computed here with weights that are brought
  Bytes staging = 0;                                   // in the arenas of the session
  Bytes panel_rows = 0;                                // likewise, of the host
  bool streams() const { return first_streamed < end_streamed; }
};

// Bytes that a device's activations have at once.
struct LiveBytes {
  std::vector<Bytes> attention{}, ffn{};  // (n_layers)
  Bytes embedding = 0;
};
LiveBytes live_bytes(const ModelInfo& model, std::uint32_t max_rows, Bytes buffer_alignment);

class DeviceLayers {
 public:
  // `options` are resolved but for the numbers of layers. `live` outlives this.
  DeviceLayers(const ModelInfo& model, const DeviceInfo& info, const PlanOptions& options, const LiveBytes& live);

  // Of the arenas of the model and of the session that hold these parts, and of what a plan puts beside them on the
  // device whatever its parts; without page-locked memory, driver and heap.
  Bytes bytes(const LayerParts& parts) const;

 private:
  enum class Part : std::uint8_t { kAttention, kFfn, kEmbedding, kHead };
  struct Weight {
    Part part = Part::kHead;
    std::uint32_t layer = 0;
    Bytes bytes = 0;
  };
  struct Cache {
    std::uint32_t layer = 0;
    Bytes bytes = 0;
  };

  void measure_weights(const ModelInfo& model, const DeviceInfo& info);
  void measure_caches(const ModelInfo& model, const PlanOptions& options);
  bool is_of(const Weight& weight, const LayerParts& parts) const;
  Bytes weights(const LayerParts& parts) const;
  Bytes session(const LayerParts& parts) const;
  Bytes live(const LayerParts& parts) const;

  ArenaRules rules_;
  const LiveBytes& live_;
  bool tied_head_;
  // Regions in the order of the arenas, for a device whose arenas have a limit.
  std::vector<Weight> weights_;
  std::vector<Cache> caches_;
  // Whole regions of all layers before one, (n_layers + 1): without a limit the sums suffice.
  std::vector<Bytes> attention_, ffn_, cache_;
  Bytes embedding_ = 0, head_ = 0;
  Bytes scratch_computes_ = 0, scratch_embeds_ = 0;
  Bytes logits_ = 0, candidates_ = 0;
  std::vector<Bytes> streamed_;     // regions of weights that are brought
  Bytes sampler_ = 0, tokens_ = 0;  // of the host
};

}  // namespace headroom
