#include "plan/prompt_memory.h"

#include <algorithm>

#include "text/slices.h"

namespace headroom {

PromptMemory prompt_memory(std::uint32_t longest_token_bytes, const PlanOptions& options) {
  constexpr Bytes kTokenBytes = 4;
  const Bytes n_ctx = options.n_ctx;
  longest_token_bytes = std::min(longest_token_bytes, kMostTokenBytes);
  PromptMemory memory;
  memory.text = n_ctx * longest_token_bytes + 64 * kKiB;
  memory.waiting = memory.text + 16 * n_ctx + 192 * kKiB;
  // A copy of the messages, the prompt, and as much again for what is cut and joined.
  memory.rendering = 2 * memory.waiting + kMiB;
  memory.tokens = kTokenBytes * n_ctx * (kMostWaitingRequests + options.n_slots + 1);
  // Symbols and pairs of them, in vectors that grow by doubling.
  memory.slice = 128 * kSliceBytes;
  return memory;
}

// The template's messages stand beside those that wait; a tokenizer reads a copy of the rendered text.
Bytes PromptMemory::total() const { return 2 * waiting + rendering + 2 * text + tokens + slice; }

Bytes most_prompt_bytes(const ModelInfo& model, const PlanOptions& options) {
  return model.longest_token_bytes == 0 ? 0 : prompt_memory(model.longest_token_bytes, options).total();
}

}  // namespace headroom
