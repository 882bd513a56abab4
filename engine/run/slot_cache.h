// Which tokens the KV cache of each slot holds; the keys and values themselves live in the plan's KV regions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/memory_plan.h"
#include "text/tokenizer.h"

namespace headroom {

class SlotCache {
 public:
  // `tokens` is (n_slots, n_ctx), the plan's region of that name, and outlives the cache: no method allocates.
  SlotCache(const ModelInfo& model, const PlanOptions& options, std::span<TokenId> tokens);

  std::uint32_t n_ctx() const { return n_ctx_; }
  std::uint32_t n_slots() const { return static_cast<std::uint32_t>(slots_.size()); }
  std::span<const TokenId> tokens(std::uint32_t slot) const { return room(slot).first(slots_[slot].n_tokens); }
  std::uint32_t n_tokens_in_all() const;

  // How many first tokens of `prompt` need no computing: its longest common prefix with the slot that the cache can go
  // back to. 0 when a sliding window has already overwritten rows that the first new token would see, or when a layer
  // has a state and stands behind that prefix.
  std::uint32_t reusable(std::uint32_t slot, std::span<const TokenId> prompt) const;

  // What the slot will hold when `token` is at `position`: its tokens so far, those that were staged behind them one
  // after the other, and this one. The slot does not hold them yet. Valid until the slot changes in another way than by
  // append().
  std::span<const TokenId> stage(std::uint32_t slot, std::uint32_t position, TokenId token);
  void append(std::uint32_t slot, TokenId token);  // the slot has room
  // The rows of this position may hold something else than before, and the slot does not hold its token. A slot with
  // states is empty then: where they stand is not known.
  void note_written(std::uint32_t slot, std::uint32_t position);
  // Forgets the tokens from `n_tokens` on, or all of them where a window layer no longer has what the next token would
  // see, or a state stands elsewhere; returns how many are left.
  std::uint32_t take_back(std::uint32_t slot, std::uint32_t n_tokens);
  void clear(std::uint32_t slot) { slots_[slot] = {}; }
  void copy(std::uint32_t from_slot, std::uint32_t to_slot, std::uint32_t n_tokens);

 private:
  // A window layer keeps its newest `rows` positions; a query sees `window` of them.
  struct Ring {
    std::uint64_t rows = 0, window = 0;
  };
  struct Slot {
    std::size_t n_tokens = 0;
    std::size_t n_written = 0;  // highest position ever written since the slot was empty, and one: going back does not
                                // bring overwritten rows back
  };
  bool can_go_on_at(std::uint32_t slot, std::size_t n_tokens) const;
  std::span<TokenId> room(std::uint32_t slot) const { return tokens_.subspan(std::size_t{slot} * n_ctx_, n_ctx_); }

  std::uint32_t n_ctx_;
  std::span<TokenId> tokens_;
  std::vector<Slot> slots_;
  const bool is_recurrent_;
  std::vector<Ring> rings_;  // only layers that hold fewer rows than n_ctx; equal ones once
};

}  // namespace headroom
