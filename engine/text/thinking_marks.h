// How a model marks what it thinks before it answers, as its chat template and its vocabulary tell.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"
#include "text/traced_text.h"

namespace headroom {

inline constexpr std::string_view kWhiteSpace = " \t\r\n";
std::string_view without_trailing_space(std::string_view text);

// What an answer begins with, behind its prompt.
enum class AnswerStart : std::uint8_t {
  kUnmarked,         // a text without turns: nothing in it is a mark
  kNew,              // it may open a thought itself
  kThinking,         // the template has opened one
  kGoesOnThinking,   // a stopped answer is continued inside its thought,
  kGoesOnAnswering,  // or behind it
};

struct ThinkingMarks {
  enum class Kind : std::uint8_t {
    kNone,
    kTags,      // "<think>thought</think>answer", once and before the answer
    kChannels,  // messages with headers of control tokens: "<|channel|>analysis<|message|>thought<|end|>"
  };
  Kind kind = Kind::kNone;
  std::string open, close;                              // of a thought
  std::string behind_open, before_close, behind_close;  // white space that stands there, of tags
  std::string answer_open, answer_close;  // of the answer behind it: tags that a template writes, or its channel
  // Tokens that marks are made of and that a text does not show, ascending. kChannels: all of them.
  std::vector<TokenId> tokens;

  // Marks that the template mentions, else tags that the vocabulary has as tokens of their own.
  static ThinkingMarks find(std::string_view template_source, const Tokenizer& tokenizer);

  bool is_mark(TokenId token) const;
  // Of what is written behind this prompt.
  AnswerStart start_behind(std::string_view prompt) const;
  // A thought of an earlier turn with its answer, as one text that templates look into. The answer alone where the
  // marks are control tokens, which no message can hold.
  std::string as_text(std::string_view thinking, std::string_view answer) const;
  // Writes a stopped answer behind a prompt that waits for one. Marks are of the template, the rest is a message's.
  AnswerStart append_partial(TracedText& prompt, std::string_view thinking, std::string_view answer) const;

 private:
  AnswerStart append_partial_tags(TracedText& prompt, std::string_view thinking, std::string_view answer) const;
};

}  // namespace headroom
