// Where the prompt of an answer left what the cache had of its conversation, and why.
#pragma once

#include <string>
#include <vector>

#include "ui/chat/conversation.h"
#include "ui/engine_port.h"

namespace headroom::ui {

// What is remembered of a prompt that was sent, to be compared with the next one. An answer that goes on in the prompt
// is none of its messages: the next prompt has it with what was added.
struct SentPrompt {
  struct Message {
    bool isSystem = false, hasThinking = false;
    std::size_t hash = 0;  // of its role and its text
  };
  std::vector<Message> messages;  // empty: nothing is known
  // What the engine counted; 0 until it has answered.
  quint32 promptTokens = 0, contextUsed = 0;
  // That the cache holds behind those: of a title that was asked for since.
  quint32 asideTokens = 0;
};
SentPrompt sentPrompt(const ChatRequest& request);

// `before` is the newest prompt of the conversation that the same loaded model answered. Losses of a few tokens, as at
// the end of a turn, are none.
PrefixBreak findPrefixBreak(const ChatFigures& figures, const SentPrompt& before, const SentPrompt& now);

// The end of a sentence that says how much was reused; empty: nothing is to be said.
QString prefixBreakText(const PrefixBreak& found);

}  // namespace headroom::ui
