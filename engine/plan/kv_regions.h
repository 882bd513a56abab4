// What the cache or the state of one layer consists of: the one place that the layout, its formulas, the speed estimate
// and the backends take it from.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "plan/memory_plan.h"

namespace headroom {

// One region of a layer: (n_slots, n_kv_heads, n_rows) rows of one head.
struct KvRegion {
  KvPart part = KvPart::kNone;
  DType dtype = DType::kF16;
  std::uint64_t n_rows = 0;  // positions per slot
};

// Keys, values, then the exact ends of those that are quantized; none of a recurrent layer.
std::vector<KvRegion> kv_regions(const LayerSpec& layer, const PlanOptions& options);

// One region of a recurrent layer: the states of all slots, one behind the other.
struct StateRegion {
  StatePart part = StatePart::kNone;
  std::optional<Bytes> bytes;  // absent when beyond 64 bits
};
std::vector<StateRegion> state_regions(const LayerSpec& layer, std::uint64_t n_slots);

// What a checkpoint holds of one part of a layer: all that one slot has of a state, or of a cache that does not hold
// the whole context. A checkpoint is a copy of these bytes, whatever is in them.
struct CheckpointRegion {
  KvPart kv_part = KvPart::kNone;
  StatePart state_part = StatePart::kNone;
  DType dtype = DType::kF32;
  std::optional<Bytes> bytes_of_slot;  // absent when beyond 64 bits
};
std::vector<CheckpointRegion> checkpoint_regions(const LayerSpec& layer, const PlanOptions& options);

// What one checkpoint of one slot takes of a region of checkpoints.
Bytes checkpoint_bytes(const ModelInfo& model, const PlanOptions& options, const Region& checkpoints);

// Whether a slot of this model cannot go back by itself to any of its positions. `options`: with n_ctx and n_batch.
bool needs_checkpoints(const ModelInfo& model, const PlanOptions& options);

// Whether the codes of this part are shifted by position: see value_shift().
bool has_value_shifts(KvPart part, const PlanOptions& options);

// Absent when beyond 64 bits.
std::optional<Bytes> kv_region_bytes(const LayerSpec& layer, const KvRegion& region, std::uint64_t n_slots);

// The exact ends of a layer's K (or V) of this type; none when it is not quantized, or kept plainly.
KvF16Rows kv_f16_rows_of(const LayerSpec& layer, DType dtype, const PlanOptions& options);

// Bytes of K and V, by DType, that a query reads when it sees n_seen positions.
std::array<double, kNDTypes> kv_bytes_read(const LayerSpec& layer, const PlanOptions& options, std::uint64_t n_seen);

}  // namespace headroom
