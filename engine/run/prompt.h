// From the text of a prompt to the tokens that a model reads.
#pragma once

#include <variant>
#include <vector>

#include "run/event.h"
#include "run/generate_request.h"
#include "run/loaded_model.h"

namespace headroom {

// The messages in the file's template, or the raw text as it stands. kUnsupported when the template cannot be used and
// the plain form was not agreed to, or when the file has no tokenizer; kUsage for what the template itself refuses.
Result<std::vector<TokenId>> prompt_tokens(const LoadedModel& model, const PromptText& prompt);

// What became of a prompt: its tokens, of which a context of n_ctx holds one more at least.
using PromptOutcome = std::variant<std::vector<TokenId>, PromptTooLong, Error>;
PromptOutcome read_prompt(const LoadedModel& model, const PromptText& prompt, std::uint32_t n_ctx);

}  // namespace headroom
