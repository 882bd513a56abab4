// From a conversation to the text that a model reads: the file's own chat template, or the plain form.
#pragma once

#include <array>
#include <ctime>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "file/model_file.h"
#include "text/chat_message.h"
#include "text/chat_template.h"
#include "text/thinking.h"
#include "text/thinking_marks.h"
#include "text/tokenizer.h"

namespace headroom {

struct ChatPrompt {
  TracedText text;       // what of it came from messages can give no control token
  bool add_bos = false;  // the tokenizer wants a beginning-of-sequence token and the text does not bring its own
  AnswerStart start = AnswerStart::kNew;  // of what is written behind it
};

struct ChatPromptOptions {
  bool add_generation_prompt = true;  // the header of the answer to come
  bool continue_last = false;  // the last message is the assistant's and goes on: it is written without its end marker
  bool allow_plain = false;    // use the plain form where the file's template is absent or cannot be rendered
  bool parse_control_tokens_in_messages = false;  // whoever writes a message may forge turns: only for trusted ones
  ThinkingChoice thinking = ThinkingChoice::kDefault;
  std::tm now{};  // what the template takes for the present
  // As ChatTemplateInputs has them.
  std::size_t most_bytes = std::numeric_limits<std::size_t>::max();
  std::uint64_t most_steps = std::numeric_limits<std::uint64_t>::max();
  StopToken stop{};
};

// Const after reading; any thread. Keeps no reference to the file.
class ChatPromptWriter {
 public:
  // Never fails: a template that is absent, or that this build can run for nothing that a chat sends (with and without
  // a system prompt, a first question and a later one), is a problem() to tell the user about. Once stopped, what it
  // says of the template is worth nothing.
  static ChatPromptWriter read(const ModelFile& file, const Tokenizer& tokenizer, const StopToken& stop = {});

  // Empty: the file's own template is used. Otherwise why it is not, in one sentence.
  const Message& problem() const { return problem_; }
  // What a usable template does not take although chats send it ("takes no system prompt: ..."); empty: nothing.
  const Message& limit() const { return limit_; }

  const ThinkingMarks& marks() const { return marks_; }
  // What the template lets its user choose: of a variable that it mentions and that changes a prompt, the values that
  // it renders.
  ThinkingChoices thinking_choices() const { return thinking_choices_; }

  // Tries the file's template with these very messages, whatever problem() says. Where it cannot be run, the plain form
  // if that is allowed, else kUnsupported with the reason; kUsage for what the template itself refuses, in its words,
  // and for continue_last without an answer to continue; kDoesNotFit for a conversation that is too long to be
  // rendered.
  Result<ChatPrompt> write(const std::vector<ChatMessage>& messages, const ChatPromptOptions& options) const;

 private:
  ChatPromptWriter() : template_(ChatTemplate::plain()) {}
  void try_conversations(const StopToken& stop);
  void find_thinking_choices(std::string_view source, const StopToken& stop);
  struct ThinkingTrial;
  bool take_what_renders(std::span<const ThinkingTrial> trials, const std::vector<TemplateVariable>& base,
                         const StopToken& stop);
  using ShortPrompts = std::array<std::optional<std::string>, 2>;  // absent: the template refuses
  ShortPrompts short_prompts(const std::vector<TemplateVariable>& variables, const StopToken& stop) const;
  Result<TracedText> render_with(const ChatTemplate& chat_template, std::vector<ChatMessage> messages,
                                 const ChatPromptOptions& options,
                                 const std::vector<TemplateVariable>& variables) const;
  Result<TracedText> render(const ChatTemplate& chat_template, std::vector<ChatMessage> messages,
                            const ChatPromptOptions& options) const;
  Result<TracedText> render_or_explain(const std::vector<ChatMessage>& messages,
                                       const ChatPromptOptions& options) const;

  ChatTemplate template_;
  bool is_plain_ = true;  // template_ is the plain form: the file has none that parses
  Message problem_, limit_;
  ThinkingMarks marks_;
  std::string thinking_field_;  // as ChatTemplateInputs has it
  ThinkingChoices thinking_choices_;
  std::array<std::vector<TemplateVariable>, kThinkingChoiceNames.size()> thinking_variables_;  // by ThinkingChoice
  std::string bos_text_, eos_text_;
  bool tokenizer_adds_bos_ = false;
};

// The prompt's tokens: markers that the template wrote become their ids, and no end-of-sequence token follows, because
// the answer does.
std::vector<TokenId> encode_prompt(const Tokenizer& tokenizer, const ChatPrompt& prompt);
void encode_prompt_to(TokenSink& sink, const Tokenizer& tokenizer, const ChatPrompt& prompt);

}  // namespace headroom
