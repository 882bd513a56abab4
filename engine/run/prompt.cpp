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

Result<std::vector<TokenId>> request_tokens(const LoadedModel& model, const GenerateRequest& request) {
  if (model.tokenizer == nullptr)
    return Error{ErrorCode::kUnsupported, "the model cannot read text: " + model.template_problem};
  if (request.messages.empty())
    return encode_prompt(*model.tokenizer,
                         {TracedText::of_template(request.raw_prompt), model.tokenizer->special().add_bos});
  ChatPromptOptions options;
  options.continue_last = request.continue_last;
  options.allow_plain = request.allow_plain_template;
  options.parse_control_tokens_in_messages = request.parse_control_tokens_in_messages;
  options.now = local_time();
  const Result<ChatPrompt> prompt = model.chat_prompt->write(request.messages, options);
  if (!prompt) return prompt.error();
  return encode_prompt(*model.tokenizer, *prompt);
}

}  // namespace headroom
