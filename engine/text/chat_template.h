// Renders the chat template that a model file carries: a small Jinja interpreter.
#pragma once

#include <ctime>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "text/chat_message.h"
#include "text/traced_text.h"

namespace headroom {

struct TemplateVariable {
  std::string name;
  std::variant<bool, std::string> value;
};

struct ChatTemplateInputs {
  std::vector<ChatMessage> messages;
  std::string thinking_field;  // of a message: where the template looks for its thinking; empty: nowhere
  std::vector<TemplateVariable> variables;
  bool add_generation_prompt = true;
  std::string bos_token, eos_token;
  std::tm now{};           // what strftime_now() formats
  std::string tools_json;  // a JSON array of tool descriptions; empty: the template sees no `tools` at all
  // Of all texts and lists that are made on the way, together, and of what is done; no more than the interpreter's own
  // limits.
  std::size_t most_bytes = std::numeric_limits<std::size_t>::max();
  std::uint64_t most_steps = std::numeric_limits<std::uint64_t>::max();
  StopToken stop{};
};

// A parsed template; const after construction; any thread.
class ChatTemplate {
 public:
  // kUnsupported names the line and the construct. (trim_blocks and lstrip_blocks are on, as everywhere these templates
  // run.)
  static Result<ChatTemplate> parse(std::string_view source);

  // "role: content" lines, for a file without a template, or with one that cannot be rendered, when the user agrees.
  static ChatTemplate plain();

  ChatTemplate(ChatTemplate&&) noexcept;
  ChatTemplate& operator=(ChatTemplate&&) noexcept;
  ~ChatTemplate();

  // The text, which knows what of it came from messages and tools. kUnsupported names the line; a template's own
  // raise_exception gives kUsage with its message; kCancelled when stopped; kDoesNotFit past the bounds on steps and
  // bytes, within which a shorter conversation may stay.
  Result<TracedText> render(const ChatTemplateInputs& inputs) const;

 private:
  struct Impl;
  explicit ChatTemplate(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace headroom
