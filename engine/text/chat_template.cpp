#include "text/chat_template.h"

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>

#include "text/jinja/error.h"
#include "text/jinja/eval.h"
#include "text/jinja/parser.h"
#include "text/jinja/print.h"

namespace headroom {

namespace {

constexpr std::size_t kMaxSource = std::size_t{4} << 20;  // the largest template in public files is below 100 KiB

// One line per message, so that a model without any training on turns still sees who speaks.
constexpr std::string_view kPlainSource =
    "{% for message in messages %}{{ message.role }}: {{ message.content }}\n\n{% endfor %}{% if add_generation_prompt "
    "%}assistant:{% endif %}";

// The words for who speaks are the protocol's, and templates make control tokens of them ("<|" + role + "|>"). Any
// other role is somebody's text.
constexpr std::array<std::string_view, 5> kMessageRoles = {"system", "developer", "user", "assistant", "tool"};

TextOrigin origin_of_role(std::string_view role) {
  return std::find(kMessageRoles.begin(), kMessageRoles.end(), role) == kMessageRoles.end() ? TextOrigin::kMessage
                                                                                            : TextOrigin::kTemplate;
}

Error as_error(const jinja::Failure& failure) {
  if (failure.is_stopped) return {ErrorCode::kCancelled, Message::plain(failure.message)};
  if (failure.raised_by_template) return {ErrorCode::kUsage, Message::plain(failure.message)};
  return {failure.is_too_much ? ErrorCode::kDoesNotFit : ErrorCode::kUnsupported,
          Message::say("chat template, line {}: {}", failure.line, failure.message)};
}

// The interpreter throws inside; nothing that it throws comes out of here.
template <class T, class Work>
Result<T> guarded(Work work) {
  try {
    return work();
  } catch (const jinja::Failure& failure) {
    return as_error(failure);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kResource, Message::say("chat template: out of memory")};
  } catch (const std::exception& exception) {
    return Error{ErrorCode::kUnsupported, Message::say("chat template: {}", std::string(exception.what()))};
  }
}

std::vector<std::pair<std::string, jinja::Value>> variables_of(const ChatTemplateInputs& inputs) {
  using jinja::Value;
  std::vector<Value> messages;
  messages.reserve(inputs.messages.size());
  for (const ChatMessage& message : inputs.messages) {
    std::vector<std::pair<Value, Value>> fields = {
        {Value("role"), Value(TracedText(message.role, origin_of_role(message.role)))},
        {Value("content"), Value(TracedText::of_message(message.content))}};
    if (!inputs.thinking_field.empty() && !message.thinking.empty())
      fields.emplace_back(Value(inputs.thinking_field.c_str()), Value(TracedText::of_message(message.thinking)));
    messages.push_back(Value::dict(std::move(fields)));
  }
  std::vector<std::pair<std::string, Value>> variables = {
      {"messages", Value::list(std::move(messages))},
      {"add_generation_prompt", Value(inputs.add_generation_prompt)},
      {"bos_token", Value(TracedText::of_template(inputs.bos_token))},
      {"eos_token", Value(TracedText::of_template(inputs.eos_token))}};
  for (const auto& [name, value] : inputs.variables) {
    const bool* const flag = std::get_if<bool>(&value);
    variables.emplace_back(name, flag != nullptr ? Value(*flag) : Value(std::get<std::string>(value).c_str()));
  }
  if (!inputs.tools_json.empty())
    variables.emplace_back("tools", jinja::from_json(inputs.tools_json, TextOrigin::kMessage));
  return variables;
}

}  // namespace

struct ChatTemplate::Impl {
  jinja::Block block;
};

ChatTemplate::ChatTemplate(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;
ChatTemplate::~ChatTemplate() = default;

Result<ChatTemplate> ChatTemplate::parse(std::string_view source) {
  if (source.size() > kMaxSource)
    return Error{ErrorCode::kUnsupported,
                 Message::say("chat template: expected at most {} bytes, found {}", kMaxSource, source.size())};
  return guarded<ChatTemplate>([&]() -> Result<ChatTemplate> {
    auto impl = std::make_unique<Impl>();
    impl->block = jinja::parse(source);
    return ChatTemplate(std::move(impl));
  });
}

ChatTemplate ChatTemplate::plain() {
  auto parsed = parse(kPlainSource);
  CHECK(parsed.ok(), "the plain template is ours");
  return std::move(*parsed);
}

Result<TracedText> ChatTemplate::render(const ChatTemplateInputs& inputs) const {
  return guarded<TracedText>([&]() -> Result<TracedText> {
    jinja::Limits limits;
    limits.max_bytes = std::min(limits.max_bytes, inputs.most_bytes);
    limits.max_steps = std::min(limits.max_steps, inputs.most_steps);
    jinja::Runtime runtime(limits, inputs.now, inputs.stop);
    return jinja::render(impl_->block, variables_of(inputs), runtime);
  });
}

}  // namespace headroom
