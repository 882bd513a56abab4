#include "run/slot_cache.h"

#include <algorithm>

namespace headroom {

SlotCache::SlotCache(const ModelInfo& model, const PlanOptions& options)
    : n_ctx_(options.n_ctx), slots_(options.n_slots) {
  for (Slot& slot : slots_) slot.tokens.reserve(n_ctx_);
  for (const LayerSpec& layer : model.layers) {
    const std::uint64_t rows = layer.kv_rows(options.n_ctx, options.n_batch);
    const auto is_same = [&](const Ring& ring) { return ring.rows == rows && ring.window == layer.window; };
    if (rows < n_ctx_ && std::none_of(rings_.begin(), rings_.end(), is_same)) rings_.push_back({rows, layer.window});
  }
}

std::uint32_t SlotCache::n_tokens_in_all() const {
  std::size_t n = 0;
  for (const Slot& slot : slots_) n += slot.tokens.size();
  return static_cast<std::uint32_t>(n);
}

std::uint32_t SlotCache::reusable(std::uint32_t slot, std::span<const TokenId> prompt) const {
  const std::vector<TokenId>& held = slots_[slot].tokens;
  const std::size_t n_written = slots_[slot].n_written;
  const std::size_t n_common = static_cast<std::size_t>(
      std::mismatch(held.begin(), held.end(), prompt.begin(), prompt.end()).first - held.begin());
  for (const Ring& ring : rings_) {
    // Positions before n_written - rows are overwritten; the next token, at n_common, looks back to n_common - window
    // + 1.
    if (n_written > ring.rows && n_written - n_common + ring.window > ring.rows) return 0;
  }
  return static_cast<std::uint32_t>(n_common);
}

void SlotCache::append(std::uint32_t slot, TokenId token) {
  Slot& into = slots_[slot];
  CHECK(into.tokens.size() < n_ctx_, "a token beyond the end of the context");
  into.tokens.push_back(token);
  into.n_written = std::max(into.n_written, into.tokens.size());
}

// Without a token before it no row of the slot is believed in, whatever was written there.
void SlotCache::note_written(std::uint32_t slot, std::uint32_t position) {
  Slot& into = slots_[slot];
  if (!into.tokens.empty()) into.n_written = std::max<std::size_t>(into.n_written, position + std::size_t{1});
}

void SlotCache::truncate(std::uint32_t slot, std::uint32_t n_tokens) {
  Slot& cut = slots_[slot];
  if (n_tokens < cut.tokens.size()) cut.tokens.resize(n_tokens);
  if (cut.tokens.empty()) cut.n_written = 0;
}

void SlotCache::copy(std::uint32_t from_slot, std::uint32_t to_slot, std::uint32_t n_tokens) {
  const Slot& from = slots_[from_slot];
  CHECK(n_tokens <= from.tokens.size() && from_slot != to_slot, "a slot is copied from tokens that it does not hold");
  slots_[to_slot].tokens.assign(from.tokens.begin(), from.tokens.begin() + n_tokens);
  slots_[to_slot].n_written = from.n_written;
}

}  // namespace headroom
