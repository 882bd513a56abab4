#include "text/chat_prompt.h"

#include <fmt/format.h>

#include <algorithm>

namespace headroom {

namespace {

constexpr std::string_view kTemplateKey = "tokenizer.chat_template";
constexpr std::string_view kThinkTag = "<think>";

std::string_view without_trailing_space(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
  return text;
}

// Reasoning models' templates may open the thought in the header of the answer. A partial answer that opens it itself
// must not open it twice.
void append_partial_answer(std::string& prompt, std::string_view partial) {
  const std::string_view trimmed = without_trailing_space(prompt);
  if (partial.starts_with(kThinkTag) && trimmed.ends_with(kThinkTag)) prompt.resize(trimmed.size() - kThinkTag.size());
  prompt.append(partial);
}

}  // namespace

ChatPromptWriter ChatPromptWriter::read(const ModelFile& file, const Tokenizer& tokenizer) {
  ChatPromptWriter writer(ChatTemplate::plain(), {});
  const SpecialTokens& special = tokenizer.special();
  if (special.bos) writer.bos_text_ = tokenizer.token_bytes(*special.bos, true);
  if (special.eos) writer.eos_text_ = tokenizer.token_bytes(*special.eos, true);
  writer.tokenizer_adds_bos_ = special.add_bos;

  const auto source = file.find_string(kTemplateKey);
  if (!source || !source->has_value()) {
    writer.problem_ =
        source ? fmt::format("The file has no chat template ({}).", kTemplateKey) : source.error().message;
    return writer;
  }
  auto parsed = ChatTemplate::parse(**source);
  if (!parsed) {
    writer.problem_ = parsed.error().message;
    return writer;
  }
  writer.template_ = std::move(*parsed);
  // What a template lacks often shows only when it runs: try it on the smallest conversation there is.
  std::tm some_day{};
  some_day.tm_mday = 1;
  const auto trial = writer.render({{"user", "Hello"}}, true, some_day);
  if (!trial && trial.error().code != ErrorCode::kUsage) {
    writer.problem_ = trial.error().message;
    writer.template_ = ChatTemplate::plain();
  }
  return writer;
}

Result<std::string> ChatPromptWriter::render(std::vector<ChatMessage> messages, bool add_generation_prompt,
                                             const std::tm& now) const {
  ChatTemplateInputs inputs;
  inputs.messages = std::move(messages);
  inputs.add_generation_prompt = add_generation_prompt;
  inputs.bos_token = bos_text_;
  inputs.eos_token = eos_text_;
  inputs.now = now;
  return template_.render(inputs);
}

Result<ChatPrompt> ChatPromptWriter::write(const std::vector<ChatMessage>& messages,
                                           const ChatPromptOptions& options) const {
  if (!problem_.empty() && !options.allow_plain) return Error{ErrorCode::kUnsupported, problem_};
  if (options.continue_last && (messages.empty() || messages.back().role != "assistant"))
    return Error{ErrorCode::kUsage,
                 fmt::format("expected an assistant message to continue, found {}",
                             messages.empty() ? "no message" : fmt::format("one of role '{}'", messages.back().role))};
  std::vector<ChatMessage> rendered_messages = messages;
  if (options.continue_last) rendered_messages.pop_back();
  auto text = render(std::move(rendered_messages), options.add_generation_prompt || options.continue_last, options.now);
  if (!text) return text.error();
  ChatPrompt prompt;
  prompt.text = std::move(*text);
  if (options.continue_last) append_partial_answer(prompt.text, messages.back().content);
  prompt.add_bos = tokenizer_adds_bos_ && (bos_text_.empty() || !prompt.text.starts_with(bos_text_));
  return prompt;
}

std::vector<TokenId> encode_prompt(const Tokenizer& tokenizer, const ChatPrompt& prompt) {
  std::vector<TokenId> ids = tokenizer.encode(prompt.text, false, true);
  if (prompt.add_bos && tokenizer.special().bos) ids.insert(ids.begin(), *tokenizer.special().bos);
  return ids;
}

}  // namespace headroom
