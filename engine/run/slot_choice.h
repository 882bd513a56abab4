// Which slot answers a request.
#pragma once

#include <optional>

#include "run/generate_request.h"
#include "run/slot_cache.h"

namespace headroom {

// What the scheduler knows of a slot beside what its cache holds.
struct SlotUse {
  ConversationId conversation = 0;  // whose tokens it holds
  std::uint64_t used_at = 0;        // grows with every answer
  bool is_busy = false;
};

// The slot that a prompt goes on in, of those that are not busy; absent when all are. In this order:
//
// 1. the conversation's own slot;
// 2. of slots that belong to no conversation the one with the longest prefix in common, where that is at least half of
//    what the slot holds: a chat whose caller names no conversation goes on in its cache, and a prompt that only shares
//    a system prompt with a long chat does not push it out;
// 3. a slot that holds nothing;
// 4. the one that was not used for longest.
//
// A prefix that another slot holds is copied into the slot by Session::begin_prompt(), so what all conversations begin
// with is computed once.
std::optional<std::uint32_t> choose_slot(const SlotCache& cache, std::span<const SlotUse> slots,
                                         ConversationId conversation, std::span<const TokenId> prompt);

}  // namespace headroom
