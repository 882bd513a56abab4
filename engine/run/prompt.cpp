#include "run/prompt.h"

#include <ctime>

namespace headroom {
namespace {

std::tm local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return local;
}

}  // namespace

Result<std::vector<TokenId>> prompt_tokens(const LoadedModel& model, const PromptText& prompt) {
  if (model.tokenizer == nullptr)
    return Error{ErrorCode::kUnsupported, "the model cannot read text: " + model.template_problem};
  if (prompt.messages.empty())
    return encode_prompt(*model.tokenizer,
                         {TracedText::of_template(prompt.raw_text), model.tokenizer->special().add_bos});
  ChatPromptOptions options;
  options.continue_last = prompt.continue_last;
  options.allow_plain = prompt.allow_plain_template;
  options.parse_control_tokens_in_messages = prompt.parse_control_tokens_in_messages;
  options.now = local_time();
  const Result<ChatPrompt> written = model.chat_prompt->write(prompt.messages, options);
  if (!written) return written.error();
  return encode_prompt(*model.tokenizer, *written);
}

PromptOutcome read_prompt(const LoadedModel& model, const PromptText& prompt, std::uint32_t n_ctx) {
  Result<std::vector<TokenId>> tokens = prompt_tokens(model, prompt);
  if (!tokens) return tokens.error();
  if (tokens->size() >= n_ctx) return PromptTooLong{static_cast<std::uint32_t>(tokens->size()), n_ctx};
  return std::move(*tokens);
}

}  // namespace headroom
