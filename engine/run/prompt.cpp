#include "run/prompt.h"

#include <ctime>

namespace headroom {

ChatTemplateInputs template_inputs(const Tokenizer& tokenizer, std::vector<ChatMessage> messages, bool add_generation_prompt) {
  ChatTemplateInputs inputs;
  inputs.messages = std::move(messages);
  inputs.add_generation_prompt = add_generation_prompt;
  const SpecialTokens& special = tokenizer.special();
  if (special.bos) inputs.bos_token = tokenizer.token_bytes(*special.bos, true);
  if (special.eos) inputs.eos_token = tokenizer.token_bytes(*special.eos, true);
  const std::time_t now = std::time(nullptr);
  localtime_r(&now, &inputs.now);
  return inputs;
}

Result<std::string> prompt_text(const LoadedModel& model, const GenerateRequest& request) {
  if (request.messages.empty()) return request.raw_prompt;
  if (model.chat_template == nullptr && !request.allow_plain_template) {
    return Error{ErrorCode::kUnsupported, "the chat template cannot be used: " + model.template_problem};
  }
  std::vector<ChatMessage> messages = request.messages;
  std::string begun;  // of the answer that goes on
  if (request.continue_last && messages.back().role == "assistant") {
    begun = std::move(messages.back().content);
    messages.pop_back();
  }
  if (messages.empty()) return Error{ErrorCode::kUsage, "the conversation has no message to answer"};
  const ChatTemplateInputs inputs = template_inputs(*model.tokenizer, std::move(messages), true);
  // A template that renders one greeting can still refuse this conversation (roles that must alternate): the user may then agree to the plain form.
  Result<std::string> rendered = model.chat_template ? model.chat_template->render(inputs) : ChatTemplate::plain().render(inputs);
  if (!rendered && model.chat_template && request.allow_plain_template) rendered = ChatTemplate::plain().render(inputs);
  if (!rendered) return rendered;
  return std::move(*rendered) + begun;
}

std::vector<TokenId> prompt_tokens(const Tokenizer& tokenizer, const GenerateRequest& request, const std::string& text) {
  if (request.messages.empty()) return tokenizer.encode(text, true, true);
  std::vector<TokenId> tokens = tokenizer.encode(text, false, true);
  const SpecialTokens& special = tokenizer.special();
  if (special.add_bos && special.bos && (tokens.empty() || tokens.front() != *special.bos)) tokens.insert(tokens.begin(), *special.bos);
  return tokens;
}

}  // namespace headroom
