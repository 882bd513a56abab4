#include "text/chat_prompt.h"

#include <algorithm>

#include "text/thinking_splitter.h"

namespace headroom {

namespace {

constexpr std::string_view kTemplateKey = "tokenizer.chat_template";

// Where a template looks for the thinking of an earlier turn, by the names that published ones have for it.
std::string thinking_field_of(std::string_view source) {
  const auto mentions = [&](std::string_view text) { return source.find(text) != std::string_view::npos; };
  if (mentions("reasoning_content")) return "reasoning_content";
  for (const std::string_view form : {".thinking", "'thinking'", "\"thinking\""})
    if (mentions(form)) return "thinking";
  return {};
}

// A thought that stands in the text of an answer, in its marks, taken apart.
ChatMessage with_thinking_apart(const ThinkingMarks& marks, const ChatMessage& message) {
  if (!message.thinking.empty() || marks.kind != ThinkingMarks::Kind::kTags) return message;
  ChatMessage apart{message.role, {}, {}};
  ThinkingSplitter splitter(marks, AnswerStart::kNew);
  const auto add = [&](const std::vector<TextSpan>& spans) {
    for (const auto& [kind, text] : spans) (kind == TextKind::kThinking ? apart.thinking : apart.content) += text;
  };
  add(splitter.push(message.content, false));
  add(splitter.finish());
  return apart;
}

// A load renders some twenty short conversations. What published templates take for one is below a hundredth of this,
// and a template that takes more is no reason to wait.
ChatPromptOptions trial_options(const StopToken& stop) {
  ChatPromptOptions options;
  options.now.tm_mday = 1;
  options.most_bytes = std::size_t{8} << 20;
  options.most_steps = 200'000;
  options.stop = stop;
  return options;
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

ChatPromptWriter ChatPromptWriter::read(const ModelFile& file, const Tokenizer& tokenizer, const StopToken& stop) {
  ChatPromptWriter writer;
  const SpecialTokens& special = tokenizer.special();
  if (special.bos) writer.bos_text_ = tokenizer.token_bytes(*special.bos, true);
  if (special.eos) writer.eos_text_ = tokenizer.token_bytes(*special.eos, true);
  writer.tokenizer_adds_bos_ = special.add_bos;

  const auto source = file.find_string(kTemplateKey);
  const std::string_view text = source && source->has_value() ? std::string_view(**source) : std::string_view();
  writer.marks_ = ThinkingMarks::find(text, tokenizer);
  if (!source || !source->has_value()) {
    writer.problem_ = source ? Message::say("The file has no chat template ({}).", std::string_view(kTemplateKey))
                             : source.error().message;
    return writer;
  }
  auto parsed = ChatTemplate::parse(**source);
  if (!parsed) {
    writer.problem_ = parsed.error().message;
    return writer;
  }
  writer.template_ = std::move(*parsed);
  writer.is_plain_ = false;
  writer.thinking_field_ = thinking_field_of(text);
  writer.try_conversations(stop);
  writer.find_thinking_choices(text, stop);
  return writer;
}

// What a template lacks or refuses often shows only when it runs: it is tried on what a chat sends. An answer that goes
// on is rendered up to its question, so the four conversations cover that too.
void ChatPromptWriter::try_conversations(const StopToken& stop) {
  const ChatPromptOptions options = trial_options(stop);
  Message cannot_run, refuses[2];
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
      Message& reason = trial.error().code == ErrorCode::kUsage ? refuses[with_system ? 1 : 0] : cannot_run;
      if (reason.empty()) reason = trial.error().message;
    }
  }
  if (!renders[0] && !renders[1]) {
    problem_ = cannot_run;  // empty where the template refuses all in its own words: it may take what comes
  } else if (!renders[0]) {
    limit_ = Message::say("needs a system prompt: {}", refuses[0].empty() ? cannot_run : refuses[0]);
  } else if (!renders[1]) {
    limit_ = Message::say("takes no system prompt: {}", refuses[1].empty() ? cannot_run : refuses[1]);
  }
}

// What a template may be given for a choice.
struct ChatPromptWriter::ThinkingTrial {
  ThinkingChoice choice = ThinkingChoice::kDefault;
  std::vector<TemplateVariable> variables;
};

// Some templates have a switch and an effort. An effort is given with the switch on, for models that do not think
// unless told to. Qwen's highest effort is "xhigh", and its template refuses "high".
void ChatPromptWriter::find_thinking_choices(std::string_view source, const StopToken& stop) {
  using Choice = ThinkingChoice;
  const auto mentions = [&](std::string_view name) { return source.find(name) != std::string_view::npos; };
  for (const char* const name : {"enable_thinking", "thinking"}) {
    if (!mentions(name)) continue;
    const std::array trials = {ThinkingTrial{Choice::kOff, {{name, false}}},
                               ThinkingTrial{Choice::kOn, {{name, true}}}};
    if (take_what_renders(trials, {}, stop)) break;
  }
  constexpr const char* kEffort = "reasoning_effort";
  if (!mentions(kEffort)) return;
  const std::vector<TemplateVariable> on = thinking_variables_[static_cast<std::size_t>(Choice::kOn)];
  std::vector<ThinkingTrial> trials;
  for (const auto& [choice, word] : {std::pair(Choice::kLow, "low"), std::pair(Choice::kMedium, "medium"),
                                     std::pair(Choice::kHigh, "high"), std::pair(Choice::kHigh, "xhigh")}) {
    ThinkingTrial& trial = trials.emplace_back();
    trial.choice = choice;
    trial.variables = on;
    trial.variables.push_back({kEffort, word});
  }
  take_what_renders(trials, on, stop);
}

// Takes the trials that render, of several for one choice the first, if any of them changes what is written with `base`
// alone.
bool ChatPromptWriter::take_what_renders(std::span<const ThinkingTrial> trials,
                                         const std::vector<TemplateVariable>& base, const StopToken& stop) {
  const ShortPrompts unset = short_prompts(base, stop);
  std::vector<const ThinkingTrial*> rendered;
  bool changes = false;
  for (const ThinkingTrial& trial : trials) {
    const auto is_same = [&](const ThinkingTrial* other) { return other->choice == trial.choice; };
    if (std::ranges::any_of(rendered, is_same)) continue;
    const ShortPrompts prompts = short_prompts(trial.variables, stop);
    bool renders = prompts[0] || prompts[1];
    for (std::size_t i = 0; i < prompts.size(); ++i) renders = renders && (prompts[i] || !unset[i]);
    if (!renders) continue;
    rendered.push_back(&trial);
    changes = changes || prompts != unset;
  }
  if (!changes) return false;
  for (const ThinkingTrial* const trial : rendered) {
    thinking_choices_.add(trial->choice);
    thinking_variables_[static_cast<std::size_t>(trial->choice)] = trial->variables;
  }
  return true;
}

// Granite's template asks for thoughts in its own system prompt, and so where a chat has none.
ChatPromptWriter::ShortPrompts ChatPromptWriter::short_prompts(const std::vector<TemplateVariable>& variables,
                                                               const StopToken& stop) const {
  const ChatPromptOptions options = trial_options(stop);
  ShortPrompts prompts;
  for (const bool with_system : {false, true}) {
    std::vector<ChatMessage> messages;
    if (with_system) messages.push_back({"system", "Be brief."});
    messages.push_back({"user", "Hello"});
    if (const auto text = render_with(template_, std::move(messages), options, variables))
      prompts[with_system ? 1 : 0] = text->bytes();
  }
  return prompts;
}

Result<TracedText> ChatPromptWriter::render(const ChatTemplate& chat_template, std::vector<ChatMessage> messages,
                                            const ChatPromptOptions& options) const {
  return render_with(chat_template, std::move(messages), options,
                     thinking_variables_[static_cast<std::size_t>(options.thinking)]);
}

Result<TracedText> ChatPromptWriter::render_with(const ChatTemplate& chat_template, std::vector<ChatMessage> messages,
                                                 const ChatPromptOptions& options,
                                                 const std::vector<TemplateVariable>& variables) const {
  ChatTemplateInputs inputs;
  inputs.messages = std::move(messages);
  inputs.thinking_field = thinking_field_;
  inputs.variables = variables;
  for (ChatMessage& message : inputs.messages) {
    if (thinking_field_.empty() && !message.thinking.empty())
      message.content = marks_.as_text(message.thinking, message.content);
  }
  inputs.add_generation_prompt = options.add_generation_prompt;
  inputs.bos_token = bos_text_;
  inputs.eos_token = eos_text_;
  inputs.now = options.now;
  inputs.most_bytes = options.most_bytes;
  inputs.most_steps = options.most_steps;
  inputs.stop = options.stop;
  return chat_template.render(inputs);
}

// Where the template fails, whether the system prompt is what it minds: nothing is dropped or moved behind the user's
// back, but the sentence says what helps.
Result<TracedText> ChatPromptWriter::render_or_explain(const std::vector<ChatMessage>& messages,
                                                       const ChatPromptOptions& options) const {
  auto text = render(template_, messages, options);
  if (text || text.error().code == ErrorCode::kResource || text.error().code == ErrorCode::kCancelled) return text;
  if (text.error().code == ErrorCode::kDoesNotFit)
    return Error{
        ErrorCode::kDoesNotFit,
        Message::say("This conversation is too long for the chat template of this model: {}", text.error().message)};
  std::vector<ChatMessage> others = messages;
  const bool has_system = starts_with_system(messages);
  if (has_system) {
    others.erase(others.begin());
  } else {
    others.insert(others.begin(), {"system", "Be brief."});
  }
  const Message& reason = text.error().message;
  if (!others.empty() && render(template_, std::move(others), options)) {
    return Error{ErrorCode::kUsage,
                 has_system
                     ? Message::say("The chat template of this model takes no system prompt. Leave it empty, or put it "
                                    "into the first message ({}).",
                                    reason)
                     : Message::say("The chat template of this model needs a system prompt. Write one ({}).", reason)};
  }
  const bool refuses = text.error().code == ErrorCode::kUsage;
  return Error{text.error().code,
               refuses ? Message::say("The chat template of this model refuses this conversation: {}", reason)
                       : Message::say("The chat template of this model cannot render this conversation: {}", reason)};
}

Result<ChatPrompt> ChatPromptWriter::write(const std::vector<ChatMessage>& messages,
                                           const ChatPromptOptions& options) const {
  if (is_plain_ && !options.allow_plain) return Error{ErrorCode::kUnsupported, problem_};
  if (options.continue_last && (messages.empty() || messages.back().role != "assistant"))
    return Error{ErrorCode::kUsage,
                 Message::say("expected an assistant message to continue, found {}",
                              messages.empty() ? Message::say("no message")
                                               : Message::say("one of role '{}'", messages.back().role))};
  std::vector<ChatMessage> rendered_messages = messages;
  ChatPromptOptions rendered_options = options;
  if (options.continue_last) {
    rendered_messages.pop_back();
    rendered_options.add_generation_prompt = true;
  }
  auto text = render_or_explain(rendered_messages, rendered_options);
  // Too long is no fault of the template, unless it was too much for the shortest conversation.
  const bool is_template_at_fault = !text && (text.error().code == ErrorCode::kUnsupported ||
                                              (text.error().code == ErrorCode::kDoesNotFit && !problem_.empty()));
  if (is_template_at_fault && options.allow_plain)
    text = render(ChatTemplate::plain(), std::move(rendered_messages), rendered_options);
  if (!text) return text.error();
  ChatPrompt prompt;
  prompt.text = std::move(*text);
  if (options.continue_last) {
    const ChatMessage partial = with_thinking_apart(marks_, messages.back());
    prompt.start = marks_.append_partial(prompt.text, partial.thinking, partial.content);
  } else {
    prompt.start = marks_.start_behind(prompt.text.bytes());
  }
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
