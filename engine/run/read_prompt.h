// A prompt as the model reads it.
#pragma once

#include <vector>

#include "text/thinking_marks.h"
#include "text/token_sink.h"

namespace headroom {

struct ReadPrompt {
  std::vector<TokenId> tokens;
  AnswerStart start = AnswerStart::kUnmarked;  // of what is written behind it
};

}  // namespace headroom
