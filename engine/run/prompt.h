// From the text of a prompt to the tokens that a model reads.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "run/event.h"
#include "run/generate_request.h"
#include "run/loaded_model.h"
#include "run/read_prompt.h"

namespace headroom {

// What became of a prompt: its tokens, of which a context of n_ctx holds one more at least. Errors: kUnsupported when
// the template cannot be used and the plain form was not agreed to, or when the file has no tokenizer; kUsage for what
// the template itself refuses; kDoesNotFit for more text than there is memory for (plan/prompt_memory.h); kCancelled.
using PromptOutcome = std::variant<ReadPrompt, PromptTooLong, Error>;

// The messages in the file's template, or the raw text as it stands. Any thread. Takes no more of the heap than
// prompt_memory() says.
PromptOutcome read_prompt(const TextParts& parts, const PromptText& prompt, const PlanOptions& options,
                          const StopToken& stop = {});

// What can be said of a prompt without reading it; absent: nothing, it is to be read. A raw text is too long when it
// has more bytes than n_ctx of the longest tokens stand for. Messages may be far longer than that, since their template
// may leave out most of them.
std::optional<PromptOutcome> refuse_by_bytes(const TextParts& parts, const PromptText& prompt,
                                             const PlanOptions& options);

Bytes text_bytes(const PromptText& prompt);

}  // namespace headroom
