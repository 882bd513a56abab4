#include "run/slot_choice.h"

#include <algorithm>

namespace headroom {

std::optional<std::uint32_t> choose_slot(const SlotCache& cache, std::span<const SlotUse> slots,
                                         ConversationId conversation, std::span<const TokenId> prompt) {
  std::optional<std::uint32_t> longest, empty, oldest;
  std::uint32_t n_longest = 0;
  for (std::uint32_t slot = 0; slot < slots.size(); ++slot) {
    const SlotUse& use = slots[slot];
    if (use.is_busy) continue;
    const auto n_held = static_cast<std::uint32_t>(cache.tokens(slot).size());
    if (conversation != 0 && use.conversation == conversation) return slot;
    if (!empty && n_held == 0) empty = slot;
    if (!oldest || use.used_at < slots[*oldest].used_at) oldest = slot;
    const std::uint32_t n_common = use.conversation == 0 ? cache.reusable(slot, prompt).n_tokens : 0;
    if (n_common > n_longest && 2 * n_common >= n_held) {
      longest = slot;
      n_longest = n_common;
    }
  }
  if (longest) return longest;
  return empty ? empty : oldest;
}

}  // namespace headroom
