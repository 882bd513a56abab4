#include "run/kv_rings.h"

#include <algorithm>

#include "plan/kv_regions.h"

namespace headroom {

KvRings::KvRings(const ModelInfo& model, const PlanOptions& options)
    : n_slots_(options.n_slots), n_draft_(options.n_draft), exact_from_(model.layers.size() * n_slots_) {
  for (const LayerSpec& layer : model.layers) {
    ring_rows_.push_back(std::max(kv_f16_rows_of(layer, options.kv_k, options).n_ring,
                                  kv_f16_rows_of(layer, options.kv_v, options).n_ring));
  }
}

void KvRings::advance(std::span<const StepRow> rows) {
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t last = first + 1;
    while (last < rows.size() && rows[last].slot == rows[first].slot) ++last;
    advance(rows[first].slot, rows[first].position, rows[last - 1].position + 1);
    first = last;
  }
}

// A ring loses what its new rows replace. Rows that follow an earlier position supersede all behind it, whatever was
// there before: a prompt that goes back behind the ring fills it afresh.
void KvRings::advance(std::uint32_t slot, std::uint32_t first, std::uint32_t last) {
  last = std::max(last, first + 1 + n_draft_);
  for (std::size_t layer = 0; layer < ring_rows_.size(); ++layer) {
    if (ring_rows_[layer] == 0) continue;
    std::uint32_t& from = exact_from_[layer * n_slots_ + slot];
    const auto held = static_cast<std::uint32_t>(std::min<std::uint64_t>(last, ring_rows_[layer]));
    from = std::max(std::min(from, first), last - held);
  }
}

void KvRings::copy(std::uint32_t from_slot, std::uint32_t to_slot) {
  for (std::size_t layer = 0; layer < ring_rows_.size(); ++layer)
    exact_from_[layer * n_slots_ + to_slot] = exact_from_[layer * n_slots_ + from_slot];
}

}  // namespace headroom
