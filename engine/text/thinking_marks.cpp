#include "text/thinking_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace headroom {

namespace {

struct Tags {
  std::string_view open, close;
  std::string_view behind_open = {}, before_close = {}, behind_close = {};  // white space that models write there
};
// Of Qwen, DeepSeek, GLM, SmolLM, MiniMax, LFM2, Granite and others; of Gemma; of Mistral.
constexpr std::array kTags = {Tags{"<think>", "</think>", "\n", "\n", "\n\n"},
                              Tags{"<|channel>thought", "<channel|>", "\n"}, Tags{"[THINK]", "[/THINK]"}};
// Around the answer behind a thought: Granite and Ernie, Hunyuan.
constexpr std::array kAnswerTags = {Tags{"<response>", "</response>"}, Tags{"<answer>", "</answer>"}};
// A tag of answers counts where a template names it within so many bytes behind the end of a thought: Granite's does 41
// bytes behind </think>. MiniMax's has <response> 1,700 bytes behind, around what a tool returned.
constexpr std::size_t kNearBytes = 100;

// gpt-oss: an answer is several messages, each with a header that names its channel.
constexpr std::string_view kAnalysis = "<|channel|>analysis<|message|>", kFinal = "<|channel|>final<|message|>",
                           kEndOfMessage = "<|end|>", kNextMessage = "<|start|>assistant";
constexpr std::array<std::string_view, 4> kChannelTokens = {"<|start|>", "<|channel|>", "<|message|>", "<|end|>"};

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool stands_near_behind(std::string_view source, std::string_view close, std::string_view tag) {
  for (std::size_t at = source.find(close); at != std::string_view::npos; at = source.find(close, at + 1)) {
    if (contains(source.substr(at, kNearBytes), tag)) return true;
  }
  return false;
}

// The token that an added token's text is; absent: the vocabulary has none.
std::optional<TokenId> added_token(const Tokenizer& tokenizer, std::string_view text) {
  const std::vector<TokenId> ids = tokenizer.encode(text, false, true);
  if (ids.size() != 1 || tokenizer.token_bytes(ids.front(), true) != text) return std::nullopt;
  return ids.front();
}

bool has_channels(std::string_view source, const Tokenizer& tokenizer) {
  return contains(source, "<|channel|>") && std::ranges::all_of(kChannelTokens, [&](std::string_view text) {
           return added_token(tokenizer, text).has_value();
         });
}

void add_control_tokens(std::vector<TokenId>& tokens, const Tokenizer& tokenizer, std::string_view mark) {
  for (const TokenId id : tokenizer.encode(mark, false, true)) {
    if (tokenizer.is_control(id) && contains(mark, tokenizer.token_bytes(id, true))) tokens.push_back(id);
  }
}

ThinkingMarks channels(const Tokenizer& tokenizer) {
  ThinkingMarks marks;
  marks.kind = ThinkingMarks::Kind::kChannels;
  marks.open = kAnalysis;
  marks.close = kEndOfMessage;
  marks.answer_open = kFinal;
  for (const std::string_view text : kChannelTokens) marks.tokens.push_back(*added_token(tokenizer, text));
  std::ranges::sort(marks.tokens);
  return marks;
}

ThinkingMarks tags(const Tags& found, std::string_view source, const Tokenizer& tokenizer) {
  ThinkingMarks marks;
  marks.kind = ThinkingMarks::Kind::kTags;
  marks.open = found.open;
  marks.close = found.close;
  marks.behind_open = found.behind_open;
  marks.before_close = found.before_close;
  marks.behind_close = found.behind_close;
  for (const Tags& answer : kAnswerTags) {
    if (!stands_near_behind(source, found.close, answer.open)) continue;
    marks.answer_open = answer.open;
    marks.answer_close = answer.close;
    break;
  }
  for (const std::string& mark : {marks.open, marks.close, marks.answer_open, marks.answer_close})
    add_control_tokens(marks.tokens, tokenizer, mark);
  std::ranges::sort(marks.tokens);
  return marks;
}

}  // namespace

std::string_view without_trailing_space(std::string_view text) {
  const std::size_t last = text.find_last_not_of(kWhiteSpace);
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

ThinkingMarks ThinkingMarks::find(std::string_view template_source, const Tokenizer& tokenizer) {
  if (has_channels(template_source, tokenizer)) return channels(tokenizer);
  for (const Tags& each : kTags) {
    if (contains(template_source, each.open) || contains(template_source, each.close))
      return tags(each, template_source, tokenizer);
  }
  for (const Tags& each : kTags) {
    if (added_token(tokenizer, each.open) && added_token(tokenizer, each.close))
      return tags(each, template_source, tokenizer);
  }
  return {};
}

bool ThinkingMarks::is_mark(TokenId token) const { return std::ranges::binary_search(tokens, token); }

AnswerStart ThinkingMarks::start_behind(std::string_view prompt) const {
  if (kind == Kind::kNone) return AnswerStart::kNew;
  if (kind == Kind::kChannels && prompt.ends_with(answer_open)) return AnswerStart::kGoesOnAnswering;
  return without_trailing_space(prompt).ends_with(open) ? AnswerStart::kThinking : AnswerStart::kNew;
}

std::string ThinkingMarks::as_text(std::string_view thinking, std::string_view answer) const {
  if (kind != Kind::kTags || !tokens.empty()) return std::string(answer);
  return fmt::format("{}{}{}{}{}{}{}", open, behind_open, thinking, before_close, close, behind_close, answer);
}

AnswerStart ThinkingMarks::append_partial_tags(TracedText& prompt, std::string_view thinking,
                                               std::string_view answer) const {
  const auto mark = [&](std::string_view text) { prompt.append(text, TextOrigin::kTemplate); };
  const std::size_t n_kept = without_trailing_space(prompt.bytes()).size();
  const std::string_view kept = std::string_view(prompt.bytes()).substr(0, n_kept);
  // The template may have opened the thought, or have closed it where it is told not to think.
  const bool is_open = kept.ends_with(open), is_closed = kept.ends_with(close);
  const bool has_thought = is_open || (!thinking.empty() && !(is_closed && !answer.empty()));
  if (has_thought) {
    if (is_open) {
      prompt.truncate(n_kept);
    } else {
      mark(open);
    }
    prompt.append(behind_open, TextOrigin::kMessage);
    prompt.append(thinking, TextOrigin::kMessage);
    if (answer.empty()) return thinking.empty() ? AnswerStart::kThinking : AnswerStart::kGoesOnThinking;
    mark(before_close + close + behind_close);
  }
  prompt.append(answer, TextOrigin::kMessage);
  return answer.empty() ? AnswerStart::kNew : AnswerStart::kGoesOnAnswering;
}

AnswerStart ThinkingMarks::append_partial(TracedText& prompt, std::string_view thinking,
                                          std::string_view answer) const {
  if (kind == Kind::kTags) return append_partial_tags(prompt, thinking, answer);
  if (kind == Kind::kNone) {
    prompt.append(answer, TextOrigin::kMessage);
    return answer.empty() ? AnswerStart::kNew : AnswerStart::kGoesOnAnswering;
  }
  if (!thinking.empty()) {
    prompt.append(open, TextOrigin::kTemplate);
    prompt.append(thinking, TextOrigin::kMessage);
    if (answer.empty()) return AnswerStart::kGoesOnThinking;
    prompt.append(close, TextOrigin::kTemplate);
    prompt.append(kNextMessage, TextOrigin::kTemplate);
  }
  if (answer.empty()) return AnswerStart::kNew;
  prompt.append(answer_open, TextOrigin::kTemplate);
  prompt.append(answer, TextOrigin::kMessage);
  return AnswerStart::kGoesOnAnswering;
}

}  // namespace headroom
