// What reading prompts takes of the host's heap: bounds that the engine holds to, and the plan counts.
#pragma once

#include "model/model_info.h"
#include "plan/memory_plan.h"

namespace headroom {

// A prompt of n_ctx tokens has at most n_ctx times the bytes of the longest token. Everything follows from that.
// Example: Llama 3 has tokens of 128 bytes, so 4,096 tokens are at most 512 KiB of text. Of a vocabulary that has
// longer tokens than kMostTokenBytes no more is counted: a prompt of nothing but such tokens is refused.
inline constexpr std::uint32_t kMostTokenBytes = 256;
struct PromptMemory {
  // Of one prompt as the tokenizer reads it, with some for white space that tokens swallow.
  Bytes text = 0;
  // Of all messages and texts that wait to be read, together. A template may drop what messages have, such as
  // thoughts: 16 bytes a token more than a prompt.
  Bytes waiting = 0;
  Bytes rendering = 0;  // of the texts and lists that a template makes on its way
  Bytes tokens = 0;     // of all prompts that wait or are answered
  Bytes slice = 0;      // while a slice of a text is merged
  Bytes total() const;
};
inline constexpr std::uint32_t kMostWaitingRequests = 32;

PromptMemory prompt_memory(std::uint32_t longest_token_bytes, const PlanOptions& options);
// Of a model's prompts; 0 where it reads no text.
Bytes most_prompt_bytes(const ModelInfo& model, const PlanOptions& options);

}  // namespace headroom
