// A model in memory, ready for sessions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "run/backends.h"
#include "run/loaded_balance.h"
#include "text/chat_prompt.h"
#include "text/tokenizer.h"

namespace headroom {

// What reads and writes text for a model.
struct TextParts {
  std::shared_ptr<const Tokenizer> tokenizer;           // null when the file has none
  std::shared_ptr<const ChatPromptWriter> chat_prompt;  // null without a tokenizer
  Message template_problem;  // why the file's own chat template cannot be used; empty when it can
};

// Constant after loading. Backends and balance are the exceptions: their thread is the one that loads, opens sessions
// and steps.
struct LoadedModel {
  Backends backends;  // declared first: the arenas below are returned to them
  std::shared_ptr<const ModelInfo> info;
  std::shared_ptr<const MemoryPlan> plan;      // what the weight arenas were mapped from
  std::vector<std::shared_ptr<Arena>> arenas;  // one per arena of the plan; null for those of the session
  std::shared_ptr<LoadedBalance> balance;      // shared by sessions; null of a model without a file
  std::shared_ptr<const Tokenizer> tokenizer;  // as of TextParts
  std::shared_ptr<const ChatPromptWriter> chat_prompt;
  Message template_problem;
  double seconds = 0;    // that loading took
  Bytes heap_bytes = 0;  // that loading left on the heap, measured
  TextParts text() const { return {tokenizer, chat_prompt, template_problem}; }
  Bytes text_bytes = 0;  // of these, tokenizer and template: they go with the model, what drivers keep may stay
};

}  // namespace headroom
