// Which positions of each slot a query reads as F16 in a quantized cache.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/memory_plan.h"
#include "program/step.h"

namespace headroom {

// A quantized cache keeps the newest positions of a slot as F16, in a ring beside it. Which positions those are follows
// from the steps alone: this class follows the steps, and each step tells the backends. One state for a model, whatever
// devices its layers stand on. Allocates when made only.
//
// A decode step may write up to n_draft rows that are taken back afterwards. Such rows push older ones out of the ring,
// so every step of few rows reads the ring as if it had all its drafts: what a query reads depends on its position and
// not on how many drafts stood behind it.
class KvRings {
 public:
  KvRings(const ModelInfo& model, const PlanOptions& options);

  // Before a step: its rows will be written. Rows of one slot stand together, ascending in position.
  void advance(std::span<const StepRow> rows);

  // The second slot becomes what the first is.
  void copy(std::uint32_t from_slot, std::uint32_t to_slot);

  // (n_layers, n_slots), as StepInputs has it. Valid until the next call of another method.
  std::span<const std::uint32_t> exact_from() const { return exact_from_; }
  std::uint32_t exact_from(std::uint32_t layer, std::uint32_t slot) const {
    return exact_from_[layer * n_slots_ + slot];
  }

 private:
  void advance(std::uint32_t slot, std::uint32_t first, std::uint32_t last);

  std::uint32_t n_slots_, n_draft_;
  std::vector<std::uint64_t> ring_rows_;   // (n_layers); 0: the layer has no ring
  std::vector<std::uint32_t> exact_from_;  // (n_layers, n_slots)
};

}  // namespace headroom
