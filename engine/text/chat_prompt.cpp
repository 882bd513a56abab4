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
void append_partial_answer(TracedText& prompt, std::string_view partial) {
  const std::size_t n_kept = without_trailing_space(prompt.bytes()).size();
  const bool is_open = std::string_view(prompt.bytes()).substr(0, n_kept).ends_with(kThinkTag);
  if (is_open && partial.starts_with(kThinkTag)) {
    prompt.truncate(n_kept);
    partial.remove_prefix(kThinkTag.size());
  }
  prompt.append(partial, TextOrigin::kMessage);
}

bool starts_with_system(const std::vector<ChatMessage>& messages) {
  return !messages.empty() && messages.front().role == "system";
}

// Whether the template itself wrote this at the beginning; a message that begins so does not count.
bool begins_with(const TracedText& text, std::string_view beginning) {
  const std::vector<TextPiece> pieces = text.pieces();
  return !pieces.empty() && pieces.front().origin == TextOrigin::kTemplate &&
         pieces.front().text.starts_with(beginning);
}

}  // namespace

ChatPromptWriter ChatPromptWriter::read(const ModelFile& file, const Tokenizer& tokenizer) {
  ChatPromptWriter writer;
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
  writer.is_plain_ = false;
  writer.try_conversations();
  return writer;
}

// What a template lacks or refuses often shows only when it runs: it is tried on what a chat sends. An answer that goes
// on is rendered up to its question, so the four conversations cover that too.
void ChatPromptWriter::try_conversations() {
  ChatPromptOptions options;
  options.now.tm_mday = 1;
  std::string cannot_run, refuses[2];
  bool renders[2] = {};  // without a system prompt, with one
  for (const bool with_system : {false, true}) {
    for (const bool is_later : {false, true}) {
      std::vector<ChatMessage> messages;
      if (with_system) messages.push_back({"system", "Be brief."});
      messages.push_back({"user", "Hello"});
      if (is_later) messages.insert(messages.end(), {{"assistant", "Hello!"}, {"user", "Go on."}});
      const auto trial = render(template_, std::move(messages), options);
      if (trial) {
        renders[with_system ? 1 : 0] = true;
        continue;
      }
      std::string& reason = trial.error().code == ErrorCode::kUsage ? refuses[with_system ? 1 : 0] : cannot_run;
      if (reason.empty()) reason = trial.error().message;
    }
  }
  if (!renders[0] && !renders[1]) {
    problem_ = cannot_run;  // empty where the template refuses all in its own words: it may take what comes
  } else if (!renders[0]) {
    limit_ = "needs a system prompt: " + (refuses[0].empty() ? cannot_run : refuses[0]);
  } else if (!renders[1]) {
    limit_ = "takes no system prompt: " + (refuses[1].empty() ? cannot_run : refuses[1]);
  }
}

Result<TracedText> ChatPromptWriter::render(const ChatTemplate& chat_template, std::vector<ChatMessage> messages,
                                            const ChatPromptOptions& options) const {
  ChatTemplateInputs inputs;
  inputs.messages = std::move(messages);
  inputs.add_generation_prompt = options.add_generation_prompt;
  inputs.bos_token = bos_text_;
  inputs.eos_token = eos_text_;
  inputs.now = options.now;
  inputs.most_bytes = options.most_bytes;
  inputs.stop = options.stop;
  return chat_template.render(inputs);
}

// Where the template fails, whether the system prompt is what it minds: nothing is dropped or moved behind the user's
// back, but the sentence says what helps.
Result<TracedText> ChatPromptWriter::render_or_explain(const std::vector<ChatMessage>& messages,
                                                       const ChatPromptOptions& options) const {
  auto text = render(template_, messages, options);
  if (text || text.error().code == ErrorCode::kResource || text.error().code == ErrorCode::kCancelled) return text;
  std::vector<ChatMessage> others = messages;
  const bool has_system = starts_with_system(messages);
  if (has_system) {
    others.erase(others.begin());
  } else {
    others.insert(others.begin(), {"system", "Be brief."});
  }
  const std::string& reason = text.error().message;
  if (!others.empty() && render(template_, std::move(others), options)) {
    const char* const help = has_system ? "takes no system prompt. Leave it empty, or put it into the first message"
                                        : "needs a system prompt. Write one";
    return Error{ErrorCode::kUsage, fmt::format("The chat template of this model {} ({}).", help, reason)};
  }
  const bool refuses = text.error().code == ErrorCode::kUsage;
  return Error{text.error().code, fmt::format("The chat template of this model {} this conversation: {}",
                                              refuses ? "refuses" : "cannot render", reason)};
}

Result<ChatPrompt> ChatPromptWriter::write(const std::vector<ChatMessage>& messages,
                                           const ChatPromptOptions& options) const {
  if (is_plain_ && !options.allow_plain) return Error{ErrorCode::kUnsupported, problem_};
  if (options.continue_last && (messages.empty() || messages.back().role != "assistant"))
    return Error{ErrorCode::kUsage,
                 fmt::format("expected an assistant message to continue, found {}",
                             messages.empty() ? "no message" : fmt::format("one of role '{}'", messages.back().role))};
  std::vector<ChatMessage> rendered_messages = messages;
  ChatPromptOptions rendered_options = options;
  if (options.continue_last) {
    rendered_messages.pop_back();
    rendered_options.add_generation_prompt = true;
  }
  auto text = render_or_explain(rendered_messages, rendered_options);
  if (!text && text.error().code == ErrorCode::kUnsupported && options.allow_plain)
    text = render(ChatTemplate::plain(), std::move(rendered_messages), rendered_options);
  if (!text) return text.error();
  ChatPrompt prompt;
  prompt.text = std::move(*text);
  if (options.continue_last) append_partial_answer(prompt.text, messages.back().content);
  if (options.parse_control_tokens_in_messages) prompt.text = TracedText::of_template(prompt.text.bytes());
  prompt.add_bos = tokenizer_adds_bos_ && (bos_text_.empty() || !begins_with(prompt.text, bos_text_));
  return prompt;
}

std::vector<TokenId> encode_prompt(const Tokenizer& tokenizer, const ChatPrompt& prompt) {
  TokenSink sink;
  encode_prompt_to(sink, tokenizer, prompt);
  return sink.take();
}

void encode_prompt_to(TokenSink& sink, const Tokenizer& tokenizer, const ChatPrompt& prompt) {
  if (prompt.add_bos && tokenizer.special().bos) sink.push(*tokenizer.special().bos);
  tokenizer.encode_to(sink, prompt.text.pieces(), false);
}

}  // namespace headroom
