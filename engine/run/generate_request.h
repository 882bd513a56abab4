// What is asked of the engine for one answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/chat_message.h"
#include "text/sampler_settings.h"
#include "text/thinking.h"

namespace headroom {

// The text of a prompt, before it is tokens.
struct PromptText {
  std::vector<ChatMessage> messages{};  // rendered with the file's template, or
  std::string raw_text{};               // when messages is empty: tokenized as it stands, control tokens in it count
  bool allow_plain_template = false;    // the user agreed to the plain form
  bool continue_last = false;           // the last message is an assistant's and goes on
  ThinkingChoice thinking = ThinkingChoice::kDefault;
  bool parse_control_tokens_in_messages = false;  // whoever writes a message may then forge turns
};

// Chosen by whoever asks: requests of one conversation are answered in order, and it finds its cache again. 0: none.
using ConversationId = std::uint64_t;

inline constexpr std::uint32_t kMostTopLogprobs = 20;

struct GenerateRequest {
  PromptText prompt;
  ConversationId conversation = 0;
  std::uint32_t max_tokens = 0;  // 0: until the context is full
  SamplerSettings sampler;
  std::vector<std::string> stop_strings;
  // With each token of the answer so many of the likeliest and their probabilities are told; 0: none, not even that of
  // the token itself. At most kMostTopLogprobs.
  std::uint32_t n_top_logprobs = 0;
};

}  // namespace headroom
