// Template text to tokens, with white space control already applied.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::jinja {

enum class TokenKind : std::uint8_t {
  kData,
  kVariableBegin,
  kVariableEnd,
  kBlockBegin,
  kBlockEnd,
  kName,
  kString,
  kInteger,
  kFloat,
  kOperator,
  kEnd
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;  // of strings: what they mean; of operators: as written
  std::uint32_t line = 1;

  bool is(TokenKind other_kind, std::string_view other_text) const { return kind == other_kind && text == other_text; }
};

// trim_blocks and lstrip_blocks are on; one line end at the end of the source is dropped, as Jinja does. Throws
// Failure. The last token is kEnd.
std::vector<Token> tokenize(std::string_view source);

}  // namespace headroom::jinja
