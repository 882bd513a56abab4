#include "run/slot_cache.h"

#include <algorithm>

#include "base/check.h"

namespace headroom {

SlotCache::SlotCache(const ModelInfo& model, const PlanOptions& options, std::span<TokenId> tokens)
    : n_ctx_(options.n_ctx), tokens_(tokens), slots_(options.n_slots), is_recurrent_(model.is_recurrent()) {
  CHECK(tokens_.size() >= std::size_t{n_ctx_} * slots_.size(), "too little room for the tokens of all slots");
  for (const LayerSpec& layer : model.layers) {
    if (!layer.has_cache()) continue;
    const std::uint64_t rows = layer.kv_rows(options.n_ctx, options.n_batch);
    const auto is_same = [&](const Ring& ring) { return ring.rows == rows && ring.window == layer.window; };
    if (rows < n_ctx_ && std::none_of(rings_.begin(), rings_.end(), is_same)) rings_.push_back({rows, layer.window});
  }
}

std::uint32_t SlotCache::n_tokens_in_all() const {
  std::size_t n = 0;
  for (const Slot& slot : slots_) n += slot.n_tokens;
  return static_cast<std::uint32_t>(n);
}

std::uint32_t SlotCache::reusable(std::uint32_t slot, std::span<const TokenId> prompt) const {
  const std::span<const TokenId> held = tokens(slot);
  const auto n_common = static_cast<std::size_t>(
      std::mismatch(held.begin(), held.end(), prompt.begin(), prompt.end()).first - held.begin());
  return can_go_on_at(slot, n_common) ? static_cast<std::uint32_t>(n_common) : 0;
}

// Positions before n_written - rows are overwritten; the next token, at n_tokens, looks back to n_tokens - window + 1.
bool SlotCache::can_go_on_at(std::uint32_t slot, std::size_t n_tokens) const {
  if (is_recurrent_ && n_tokens != slots_[slot].n_tokens) return false;
  const std::size_t n_written = slots_[slot].n_written;
  return std::ranges::all_of(rings_, [&](const Ring& ring) {
    return n_written <= ring.rows || n_written - n_tokens + ring.window <= ring.rows;
  });
}

std::span<const TokenId> SlotCache::stage(std::uint32_t slot, std::uint32_t position, TokenId token) {
  CHECK(position >= slots_[slot].n_tokens && position < n_ctx_,
        "a token is staged where the slot holds one, or beyond");
  room(slot)[position] = token;
  return room(slot).first(position + std::size_t{1});
}

void SlotCache::append(std::uint32_t slot, TokenId token) {
  Slot& into = slots_[slot];
  CHECK(into.n_tokens < n_ctx_, "a token beyond the end of the context");
  room(slot)[into.n_tokens++] = token;
  into.n_written = std::max(into.n_written, into.n_tokens);
}

// Without a token before it no row of the slot is believed in, whatever was written there.
void SlotCache::note_written(std::uint32_t slot, std::uint32_t position) {
  Slot& into = slots_[slot];
  if (is_recurrent_) return clear(slot);
  if (into.n_tokens > 0) into.n_written = std::max<std::size_t>(into.n_written, position + std::size_t{1});
}

std::uint32_t SlotCache::take_back(std::uint32_t slot, std::uint32_t n_tokens) {
  Slot& cut = slots_[slot];
  const std::size_t n_left = std::min<std::size_t>(cut.n_tokens, n_tokens);
  if (n_left == 0 || !can_go_on_at(slot, n_left)) {
    clear(slot);
  } else {
    cut.n_tokens = n_left;
  }
  return static_cast<std::uint32_t>(cut.n_tokens);
}

void SlotCache::copy(std::uint32_t from_slot, std::uint32_t to_slot, std::uint32_t n_tokens) {
  CHECK(n_tokens <= slots_[from_slot].n_tokens && from_slot != to_slot,
        "a slot is copied from tokens that it does not hold");
  std::ranges::copy(tokens(from_slot).first(n_tokens), room(to_slot).begin());
  slots_[to_slot] = {n_tokens, slots_[from_slot].n_written};
}

}  // namespace headroom
