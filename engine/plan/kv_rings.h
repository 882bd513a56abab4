// What the exact rings of a quantized cache hold. One state for a model, whatever devices its layers stand on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/memory_plan.h"
#include "program/step.h"

namespace headroom {

// A ring keeps the newest positions of a slot as F16. Which those are follows from the steps alone: this class follows
// it, and backends read it with each step. Layers with rings of one length share a state. Allocates when made only.
class KvRings {
 public:
  KvRings(const ModelInfo& model, const PlanOptions& options);

  // Before a step: its rows will be written. Rows of one slot stand together, ascending in position.
  void advance(std::span<const StepRow> rows);

  // The second slot becomes what the first is.
  void copy(std::uint32_t from_slot, std::uint32_t to_slot);

  // Of the positions of a slot, the ring of a layer holds those from this one on; 0 for a layer without one.
  std::uint32_t exact_from(std::uint32_t layer, std::uint32_t slot) const {
    return exact_from_[ring_of_[layer] * n_slots_ + slot];
  }

 private:
  void advance(std::uint32_t slot, std::uint32_t first, std::uint32_t last);

  std::uint32_t n_slots_;
  std::vector<std::uint64_t> ring_rows_;   // of each different ring; the first is of layers without one
  std::vector<std::uint32_t> ring_of_;     // (n_layers) index into ring_rows_
  std::vector<std::uint32_t> exact_from_;  // (rings, n_slots)
};

}  // namespace headroom
