#include "run/prompt.h"

#include <algorithm>
#include <ctime>

#include "plan/prompt_memory.h"

namespace headroom {
namespace {

std::tm local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return local;
}

PromptMemory memory_of(const TextParts& parts, const PlanOptions& options) {
  return prompt_memory(parts.tokenizer->longest_token_bytes(), options);
}

// Of a text as the tokenizer would read it.
std::optional<PromptOutcome> refuse_text(const TextParts& parts, std::string_view text, const PlanOptions& options) {
  if (text.size() < options.n_ctx) return std::nullopt;
  const std::size_t n_fewest = parts.tokenizer->fewest_tokens(text);
  if (n_fewest >= options.n_ctx) {
    return PromptTooLong{static_cast<std::uint32_t>(std::min<std::size_t>(n_fewest, UINT32_MAX)), options.n_ctx,
                         text.size(), Bytes{options.n_ctx} * parts.tokenizer->longest_token_bytes()};
  }
  const Bytes most = memory_of(parts, options).text;
  if (text.size() <= most) return std::nullopt;
  return Error{
      ErrorCode::kDoesNotFit,
      Message::say("the prompt has {} bytes of text: the context holds {} tokens, and memory is planned for {} bytes",
                   text.size(), options.n_ctx, most)};
}

PromptOutcome read_text(const TextParts& parts, const ChatPrompt& prompt, const PlanOptions& options,
                        const StopToken& stop) {
  if (std::optional<PromptOutcome> refused = refuse_text(parts, prompt.text.bytes(), options)) return *refused;
  TokenSink sink(options.n_ctx, stop);
  encode_prompt_to(sink, *parts.tokenizer, prompt);
  if (sink.is_stopped()) return Error{ErrorCode::kCancelled, Message::say("reading the prompt was stopped")};
  if (sink.n_tokens() >= options.n_ctx)
    return PromptTooLong{static_cast<std::uint32_t>(sink.n_tokens()), options.n_ctx};
  return ReadPrompt{sink.take(), prompt.start};
}

}  // namespace

Bytes text_bytes(const PromptText& prompt) {
  Bytes bytes = prompt.raw_text.size();
  for (const ChatMessage& message : prompt.messages)
    bytes += message.role.size() + message.content.size() + message.thinking.size();
  return bytes;
}

std::optional<PromptOutcome> refuse_by_bytes(const TextParts& parts, const PromptText& prompt,
                                             const PlanOptions& options) {
  if (parts.tokenizer == nullptr)
    return Error{ErrorCode::kUnsupported, Message::say("the model cannot read text: {}", parts.template_problem)};
  if (prompt.messages.empty()) return refuse_text(parts, prompt.raw_text, options);
  const Bytes bytes = text_bytes(prompt), most = memory_of(parts, options).waiting;
  if (bytes <= most) return std::nullopt;
  return Error{
      ErrorCode::kDoesNotFit,
      Message::say(
          "the messages have {} bytes of text: the context holds {} tokens, and memory is planned for {} bytes", bytes,
          options.n_ctx, most)};
}

PromptOutcome read_prompt(const TextParts& parts, const PromptText& prompt, const PlanOptions& options,
                          const StopToken& stop) {
  if (std::optional<PromptOutcome> refused = refuse_by_bytes(parts, prompt, options)) return *refused;
  if (prompt.messages.empty()) {
    const bool adds_bos = parts.tokenizer->special().add_bos;
    return read_text(parts, {TracedText::of_template(prompt.raw_text), adds_bos, AnswerStart::kUnmarked}, options,
                     stop);
  }
  ChatPromptOptions how;
  how.continue_last = prompt.continue_last;
  how.thinking = prompt.thinking;
  how.allow_plain = prompt.allow_plain_template;
  how.parse_control_tokens_in_messages = prompt.parse_control_tokens_in_messages;
  how.now = local_time();
  how.most_bytes = memory_of(parts, options).rendering;
  how.stop = stop;
  const Result<ChatPrompt> written = parts.chat_prompt->write(prompt.messages, how);
  if (!written) return written.error();
  return read_text(parts, *written, options, stop);
}

}  // namespace headroom
