#include "run/slot_cache.h"

#include <algorithm>

#include "base/check.h"

namespace headroom {

SlotCache::SlotCache(const ModelInfo& model, const PlanOptions& options, std::span<TokenId> tokens)
    : n_ctx_(options.n_ctx),
      tokens_(tokens),
      slots_(options.n_slots),
      n_checkpoints_(static_cast<std::uint32_t>(std::max(options.n_checkpoints, 0))),
      checkpoints_(options.n_slots),
      is_recurrent_(model.is_recurrent()) {
  for (std::vector<Checkpoint>& of_slot : checkpoints_) of_slot.reserve(2 * std::size_t{n_checkpoints_} + 1);
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

SlotCache::Resume SlotCache::resume_at(std::uint32_t slot, std::uint32_t n_tokens) const {
  const auto most = static_cast<std::uint32_t>(std::min<std::size_t>(n_tokens, slots_[slot].n_tokens));
  if (most == 0) return {};
  if (can_go_on_at(slot, most)) return {most, std::nullopt};
  Resume best;
  for (const Checkpoint& checkpoint : checkpoints_[slot]) {
    if (checkpoint.index && checkpoint.position <= most) best = {checkpoint.position, checkpoint.index};
  }
  return best;
}

std::uint32_t SlotCache::n_shared(std::uint32_t slot, std::span<const TokenId> prompt) const {
  if (prompt.empty()) return 0;
  const std::span<const TokenId> held = tokens(slot), all_but_one = prompt.first(prompt.size() - 1);
  return static_cast<std::uint32_t>(std::ranges::mismatch(held, all_but_one).in1 - held.begin());
}

SlotCache::Resume SlotCache::reusable(std::uint32_t slot, std::span<const TokenId> prompt) const {
  return resume_at(slot, n_shared(slot, prompt));
}

// Positions before n_written - rows are overwritten; the next token, at n_tokens, looks back to n_tokens - window + 1.
bool SlotCache::can_go_on_at(std::uint32_t slot, std::size_t n_tokens) const {
  if (slots_[slot].is_torn || (is_recurrent_ && n_tokens != slots_[slot].n_tokens)) return false;
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
  if (is_recurrent_) into.is_torn = true;
  if (into.n_tokens > 0) into.n_written = std::max<std::size_t>(into.n_written, position + std::size_t{1});
}

void SlotCache::resume(std::uint32_t slot, const Resume& at) {
  if (at.n_tokens == 0) return clear(slot);
  Slot& cut = slots_[slot];
  std::vector<Checkpoint>& own = checkpoints_[slot];
  if (at.checkpoint) {
    const auto taken_up = std::ranges::find(own, at.checkpoint, &Checkpoint::index);
    CHECK(taken_up != own.end() && taken_up->position == at.n_tokens, "a checkpoint that the slot does not have");
    cut.n_written = taken_up->n_written;
    cut.is_torn = false;
  }
  cut.n_tokens = at.n_tokens;
  std::erase_if(own, [&](const Checkpoint& one) { return !one.index || one.position > at.n_tokens; });
}

void SlotCache::clear(std::uint32_t slot) {
  slots_[slot] = {};
  checkpoints_[slot].clear();
}

void SlotCache::copy(std::uint32_t from_slot, std::uint32_t to_slot, const Resume& at) {
  const Slot& from = slots_[from_slot];
  CHECK(at.n_tokens <= from.n_tokens && from_slot != to_slot, "a slot is copied from tokens that it does not hold");
  std::ranges::copy(tokens(from_slot).first(at.n_tokens), room(to_slot).begin());
  clear(to_slot);
  slots_[to_slot] = {at.n_tokens, from.n_written, false};
  if (at.checkpoint) {
    slots_[to_slot].n_written =
        std::ranges::find(checkpoints_[from_slot], at.checkpoint, &Checkpoint::index)->n_written;
  }
}

// Borders that are nearer than this are one: a turn's end and the next one's beginning.
void SlotCache::plan_checkpoints(std::uint32_t slot, std::span<const TokenId> prompt,
                                 const std::function<bool(TokenId)>& is_control) {
  constexpr std::uint32_t kLeastApart = 4, kFarFromEnd = 64;
  std::vector<Checkpoint>& own = checkpoints_[slot];
  std::erase_if(own, [](const Checkpoint& one) { return !one.index; });
  for (Checkpoint& one : own) one.is_spare = false;
  if (n_checkpoints_ == 0) return;
  std::uint32_t last = own.empty() ? 0 : own.back().position;
  const auto add = [&](std::uint32_t position) {
    own.push_back({position});
    keep_best(own);
    last = position;
  };
  const auto n_prompt = static_cast<std::uint32_t>(prompt.size());
  const auto n_held = static_cast<std::uint32_t>(slots_[slot].n_tokens);
  for (std::uint32_t position = std::max(n_held, 1U); position < n_prompt; ++position) {
    if (position >= last + kLeastApart && is_control(prompt[position])) add(position);
  }
  if (n_prompt > last + kFarFromEnd && n_prompt - 1 > n_held) add(n_prompt - 1);
}

// The two newest stay: a message that is changed goes on from before it, and its answer, generated again, from behind
// it. Of the others the one that is nearest to the checkpoint before it is given up: without it only the tokens between
// the two are computed again. So a long system prompt keeps its checkpoint, and the rest thins out evenly. Example,
// four of borders at 199, 209, 219, 369, 379, 389, 409: those at 199, 369, 389 and 409 stay.
void SlotCache::keep_best(std::vector<Checkpoint>& of_slot) const {
  const auto n_kept =
      static_cast<std::uint32_t>(std::ranges::count_if(of_slot, [](const Checkpoint& one) { return !one.is_spare; }));
  if (n_kept <= n_checkpoints_) return;
  const std::uint32_t n_newest = std::min(2U, n_checkpoints_);
  auto given_up = of_slot.end();
  std::uint32_t least = UINT32_MAX, before = 0, nth = 0;
  for (auto one = of_slot.begin(); one != of_slot.end(); ++one) {
    if (one->is_spare) continue;
    if (++nth > n_kept - n_newest) break;
    if (one->position - before < least) {
      least = one->position - before;
      given_up = one;
    }
    before = one->position;
  }
  CHECK(given_up != of_slot.end(), "more checkpoints than are kept, and none to give up");
  if (given_up->index) {
    given_up->is_spare = true;
  } else {
    of_slot.erase(given_up);
  }
}

std::optional<std::uint32_t> SlotCache::next_checkpoint(std::uint32_t slot) const {
  for (const Checkpoint& one : checkpoints_[slot]) {
    if (!one.index && one.position >= slots_[slot].n_tokens) return one.position;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> SlotCache::due_checkpoint(std::uint32_t slot) const {
  if (next_checkpoint(slot) != slots_[slot].n_tokens) return std::nullopt;
  const std::vector<Checkpoint>& own = checkpoints_[slot];
  for (std::uint32_t index = 0; index < n_checkpoints_; ++index) {
    if (std::ranges::find(own, std::optional(index), &Checkpoint::index) == own.end()) return index;
  }
  const auto spare = std::ranges::find(own, true, &Checkpoint::is_spare);
  CHECK(spare != own.end(), "a checkpoint was planned for which there is no place");
  return spare->index;
}

void SlotCache::checkpoint_made(std::uint32_t slot, std::uint32_t index) {
  std::vector<Checkpoint>& own = checkpoints_[slot];
  std::erase_if(own, [&](const Checkpoint& one) { return one.index == index; });
  const auto planned = std::ranges::find_if(
      own, [&](const Checkpoint& one) { return !one.index && one.position == slots_[slot].n_tokens; });
  CHECK(planned != own.end(), "a checkpoint that was not planned");
  planned->index = index;
  planned->n_written = slots_[slot].n_written;
}

std::uint32_t SlotCache::n_checkpoints(std::uint32_t slot) const {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(checkpoints_[slot], [](const Checkpoint& one) { return one.index.has_value(); }));
}

}  // namespace headroom
