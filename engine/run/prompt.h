// From messages to the tokens that a model reads.
#pragma once

#include <vector>

#include "run/engine_thread.h"
#include "run/loaded_model.h"

namespace headroom {

// What a template sees: the messages, the file's own bos and eos texts, and the local time.
ChatTemplateInputs template_inputs(const Tokenizer& tokenizer, std::vector<ChatMessage> messages, bool add_generation_prompt);

// The prompt text of a request: rendered messages, or the raw prompt. kUnsupported when the file's template cannot be used and the plain form was not
// agreed to; kUsage when there is nothing to say.
Result<std::string> prompt_text(const LoadedModel& model, const GenerateRequest& request);

// Its tokens. A bos that the file asks for is added unless the template wrote it already.
std::vector<TokenId> prompt_tokens(const Tokenizer& tokenizer, const GenerateRequest& request, const std::string& text);

}  // namespace headroom
