// Which tokens the KV cache of each slot holds; the keys and values themselves live in the plan's KV regions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
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

  // Where a slot can be taken up: at a position that it can go back to by itself, or at one of its checkpoints, which
  // is then to be copied back. Of no tokens: at the beginning, from nothing.
  struct Resume {
    std::uint32_t n_tokens = 0;
    std::optional<std::uint32_t> checkpoint{};  // its index
  };
  // The furthest of `n_tokens` and before. A slot cannot go back by itself when a sliding window has already
  // overwritten rows that the next token would see, or when a layer has a state, which stands behind the slot's last
  // token.
  Resume resume_at(std::uint32_t slot, std::uint32_t n_tokens) const;
  // How many tokens of the slot `prompt` begins with: at most all of it but one, so that the last is computed and has
  // logits.
  std::uint32_t n_shared(std::uint32_t slot, std::span<const TokenId> prompt) const;
  // The furthest of these and before: so many need no computing.
  Resume reusable(std::uint32_t slot, std::span<const TokenId> prompt) const;

  // What the slot will hold when `token` is at `position`: its tokens so far, those that were staged behind them one
  // after the other, and this one. The slot does not hold them yet. Valid until the slot changes in another way than by
  // append().
  std::span<const TokenId> stage(std::uint32_t slot, std::uint32_t position, TokenId token);
  void append(std::uint32_t slot, TokenId token);  // the slot has room
  // The rows of this position may hold something else than before, and the slot does not hold its token. A slot with
  // states has only its checkpoints then: where they stand is not known.
  void note_written(std::uint32_t slot, std::uint32_t position);
  bool is_torn(std::uint32_t slot) const { return slots_[slot].is_torn; }
  // Forgets the tokens from there on, the checkpoints behind it, and those that were to come.
  void resume(std::uint32_t slot, const Resume& at);
  void clear(std::uint32_t slot);
  // `at` is of the first slot. The second has no checkpoints then.
  void copy(std::uint32_t from_slot, std::uint32_t to_slot, const Resume& at);

  // Decides where a slot that goes on with the rest of `prompt` is to have its checkpoints: of those that it has and
  // the borders before which it stands, n_checkpoints that serve best (slot_cache.cpp). A border is a control token:
  // turns of a conversation begin and end with one; and the last token of a prompt that ends without.
  void plan_checkpoints(std::uint32_t slot, std::span<const TokenId> prompt,
                        const std::function<bool(TokenId)>& is_control);
  // Where the slot is to have the next one, behind its tokens or right there: a step should end there. Absent: nowhere.
  std::optional<std::uint32_t> next_checkpoint(std::uint32_t slot) const;
  // Which is to be made now that the slot stands where one was planned, and the place that it takes; absent: none. It
  // counts once it is made.
  std::optional<std::uint32_t> due_checkpoint(std::uint32_t slot) const;
  void checkpoint_made(std::uint32_t slot, std::uint32_t index);
  std::uint32_t n_checkpoints(std::uint32_t slot) const;  // that it has

 private:
  // A window layer keeps its newest `rows` positions; a query sees `window` of them.
  struct Ring {
    std::uint64_t rows = 0, window = 0;
  };
  struct Slot {
    std::size_t n_tokens = 0;
    std::size_t n_written = 0;  // highest position ever written since the slot was empty, and one: going back does not
                                // bring overwritten rows back
    bool is_torn = false;       // its states stand nowhere that is known
  };
  // A checkpoint of a slot, or one that is planned.
  struct Checkpoint {
    std::uint32_t position = 0;
    std::size_t n_written = 0;             // of the slot when it was made
    std::optional<std::uint32_t> index{};  // absent: planned
    bool is_spare = false;                 // given up as soon as a planned one needs its place
  };
  bool can_go_on_at(std::uint32_t slot, std::size_t n_tokens) const;
  void keep_best(std::vector<Checkpoint>& of_slot) const;
  std::span<TokenId> room(std::uint32_t slot) const { return tokens_.subspan(std::size_t{slot} * n_ctx_, n_ctx_); }

  std::uint32_t n_ctx_;
  std::span<TokenId> tokens_;
  std::vector<Slot> slots_;
  std::uint32_t n_checkpoints_;
  std::vector<std::vector<Checkpoint>> checkpoints_;  // of each slot, ascending; room for twice n_checkpoints_ and one
  const bool is_recurrent_;
  std::vector<Ring> rings_;  // only layers that hold fewer rows than n_ctx; equal ones once
};

}  // namespace headroom
