#include "text/jinja/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "text/jinja/error.h"
#include "text/utf8.h"

namespace headroom::jinja {

void fail(std::string message, std::uint32_t line) { throw Failure{std::move(message), line}; }
void fail_too_much(std::string message) { throw Failure{.message = std::move(message), .is_too_much = true}; }

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

// "\r\n" and "\r" count as "\n", and one line end at the end does not count at all.
std::string with_plain_line_ends(std::string_view source) {
  std::string text;
  text.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] != '\r') {
      text += source[i];
    } else {
      text += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    }
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

constexpr std::array<std::string_view, 6> kLongOperators = {"**", "//", "==", "!=", ">=", "<="};
constexpr std::string_view kShortOperators = "+-*/%~[](){}<>=.:|,;";

class Lexer {
 public:
  explicit Lexer(std::string_view source) : text_(with_plain_line_ends(source)) {}

  std::vector<Token> run() {
    while (pos_ < text_.size()) read_data();
    add(TokenKind::kEnd, "");
    return std::move(tokens_);
  }

 private:
  void add(TokenKind kind, std::string token_text) { tokens_.push_back({kind, std::move(token_text), line_}); }

  bool at(std::string_view what) const { return std::string_view(text_).substr(pos_, what.size()) == what; }
  char peek(std::size_t ahead = 0) const { return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0'; }

  void advance(std::size_t n_bytes) {
    const auto from = text_.begin() + static_cast<std::ptrdiff_t>(pos_);
    line_ += static_cast<std::uint32_t>(std::count(from, from + static_cast<std::ptrdiff_t>(n_bytes), '\n'));
    pos_ += n_bytes;
  }

  // Where the next tag of any kind opens, or the end.
  std::size_t next_tag() const {
    for (std::size_t at = text_.find('{', pos_); at != std::string::npos; at = text_.find('{', at + 1)) {
      const char kind = at + 1 < text_.size() ? text_[at + 1] : '\0';
      if (kind == '{' || kind == '%' || kind == '#') return at;
    }
    return text_.size();
  }

  // Text up to the next tag, and that tag.
  void read_data() {
    const std::size_t tag = next_tag();
    std::string_view data = std::string_view(text_).substr(pos_, tag - pos_);
    const char kind = tag < text_.size() ? text_[tag + 1] : '\0';
    const char sign = tag + 2 < text_.size() ? text_[tag + 2] : '\0';
    if (sign == '-' && kind != '\0') {
      while (!data.empty() && is_space(data.back())) data.remove_suffix(1);
    } else if (sign != '+' && (kind == '%' || kind == '#')) {
      strip_indent(data);
    }
    if (!data.empty()) add(TokenKind::kData, std::string(data));
    advance(tag - pos_);
    if (kind == '\0') return;
    const bool has_sign = sign == '-' || sign == '+';
    if (kind == '#') {
      read_comment(has_sign);
    } else if (kind == '%') {
      read_block(has_sign);
    } else {
      advance(has_sign ? 3 : 2);
      add(TokenKind::kVariableBegin, "{{");
      read_expression(TokenKind::kVariableEnd);
    }
  }

  // lstrip_blocks: blanks between the start of a line and a block or comment go.
  void strip_indent(std::string_view& data) const {
    const std::size_t line_end = data.rfind('\n');
    const std::size_t line_start = line_end == std::string_view::npos ? 0 : line_end + 1;
    const bool starts_a_line = line_end != std::string_view::npos || pos_ == 0 || text_[pos_ - 1] == '\n';
    if (starts_a_line && std::all_of(data.begin() + static_cast<std::ptrdiff_t>(line_start), data.end(), is_space))
      data = data.substr(0, line_start);
  }

  // After the two closing characters of a tag: "-" takes all white space along, "+" none, and otherwise trim_blocks
  // takes one line end.
  void finish_tag(char sign, bool trims) {
    advance(2);
    if (sign == '-') {
      while (pos_ < text_.size() && is_space(text_[pos_])) advance(1);
    } else if (trims && sign != '+' && peek() == '\n') {
      advance(1);
    }
  }

  void read_comment(bool has_sign) {
    const std::size_t end = text_.find("#}", pos_ + (has_sign ? 3 : 2));
    if (end == std::string::npos) fail("a comment '{#' that never ends", line_);
    const char sign = text_[end - 1];
    advance(end - pos_);
    finish_tag(sign == '-' || sign == '+' ? sign : '\0', true);
  }

  void read_block(bool has_sign) {
    const std::size_t start = pos_;
    const std::uint32_t start_line = line_;
    advance(has_sign ? 3 : 2);
    if (read_raw()) return;
    pos_ = start;
    line_ = start_line;
    advance(has_sign ? 3 : 2);
    add(TokenKind::kBlockBegin, "{%");
    read_expression(TokenKind::kBlockEnd);
  }

  void skip_space() {
    while (is_space(peek())) advance(1);
  }

  // The rest of "{% name %}", when that is what stands here: its sign, or nothing read.
  bool read_plain_tag(std::string_view name, char& sign) {
    skip_space();
    if (!at(name)) return false;
    advance(name.size());
    skip_space();
    sign = '\0';
    if ((peek() == '-' || peek() == '+') && std::string_view(text_).substr(pos_ + 1, 2) == "%}") {
      sign = peek();
      advance(1);
    }
    return at("%}");
  }

  // {% raw %} ... {% endraw %}: text in which nothing is a tag.
  bool read_raw() {
    char sign = '\0';
    const std::uint32_t start_line = line_;
    if (!read_plain_tag("raw", sign)) return false;
    finish_tag(sign, true);
    const std::size_t from = pos_;
    for (std::size_t tag = text_.find("{%", pos_); tag != std::string::npos; tag = text_.find("{%", tag + 2)) {
      advance(tag - pos_);
      std::string_view data = std::string_view(text_).substr(from, tag - from);
      const char open_sign = peek(2);
      advance(open_sign == '-' || open_sign == '+' ? 3 : 2);
      if (!read_plain_tag("endraw", sign)) {
        pos_ = tag + 2;
        continue;
      }
      if (open_sign == '-')
        while (!data.empty() && is_space(data.back())) data.remove_suffix(1);
      if (!data.empty()) tokens_.push_back({TokenKind::kData, std::string(data), start_line});
      finish_tag(sign, true);
      return true;
    }
    fail("'{% raw %}' without '{% endraw %}'", start_line);
  }

  // Tokens up to the end of the tag. A closing bracket that is still owed wins over the end of the tag: {{ {'a': {}}
  // }}.
  void read_expression(TokenKind end_kind) {
    const std::string_view end = end_kind == TokenKind::kBlockEnd ? "%}" : "}}";
    const std::uint32_t start_line = line_;
    std::string owed;
    while (true) {
      skip_space();
      if (pos_ >= text_.size()) fail(fmt::format("a tag that never ends with '{}'", end), start_line);
      if (owed.empty()) {
        const char sign = peek();
        const bool signed_end = (sign == '-' || (sign == '+' && end_kind == TokenKind::kBlockEnd)) &&
                                std::string_view(text_).substr(pos_ + 1, 2) == end;
        if (signed_end || at(end)) {
          add(end_kind, std::string(end));
          if (signed_end) advance(1);
          finish_tag(signed_end ? sign : '\0', end_kind == TokenKind::kBlockEnd);
          return;
        }
      }
      read_token(owed);
    }
  }

  void read_token(std::string& owed) {
    const char c = peek();
    if (starts_name(c)) {
      std::size_t n_bytes = 1;
      while (starts_name(peek(n_bytes)) || is_digit(peek(n_bytes))) ++n_bytes;
      add(TokenKind::kName, text_.substr(pos_, n_bytes));
      advance(n_bytes);
    } else if (is_digit(c)) {
      read_number();
    } else if (c == '"' || c == '\'') {
      read_string(c);
    } else {
      read_operator(owed);
    }
  }

  void read_operator(std::string& owed) {
    const std::string_view two = std::string_view(text_).substr(pos_, 2);
    const auto is_long = std::find(kLongOperators.begin(), kLongOperators.end(), two) != kLongOperators.end();
    const char c = peek();
    if (!is_long && kShortOperators.find(c) == std::string_view::npos)
      fail(fmt::format("unexpected character '{}'", c), line_);
    if (c == '(' || c == '[' || c == '{') {
      owed += c == '(' ? ')' : c == '[' ? ']' : '}';
    } else if (c == ')' || c == ']' || c == '}') {
      if (owed.empty() || owed.back() != c) fail(fmt::format("unexpected '{}'", c), line_);
      owed.pop_back();
    }
    add(TokenKind::kOperator, is_long ? std::string(two) : std::string(1, c));
    advance(is_long ? 2 : 1);
  }

  void read_number() {
    std::string digits;
    bool is_float = false;
    const auto take_digits = [&] {
      while (is_digit(peek()) || (peek() == '_' && is_digit(peek(1)))) {
        if (peek() != '_') digits += peek();
        advance(1);
      }
    };
    take_digits();
    if (peek() == '.' && is_digit(peek(1))) {
      is_float = true;
      digits += '.';
      advance(1);
      take_digits();
    }
    const bool signed_exponent = (peek(1) == '+' || peek(1) == '-') && is_digit(peek(2));
    if ((peek() == 'e' || peek() == 'E') && (is_digit(peek(1)) || signed_exponent)) {
      is_float = true;
      digits += text_.substr(pos_, signed_exponent ? 2 : 1);
      advance(signed_exponent ? 2 : 1);
      take_digits();
    }
    add(is_float ? TokenKind::kFloat : TokenKind::kInteger, digits);
  }

  void read_string(char quote) {
    const std::uint32_t start_line = line_;
    advance(1);
    std::string value;
    while (peek() != quote) {
      if (pos_ >= text_.size()) fail("a string that never ends", start_line);
      if (peek() == '\\' && pos_ + 1 < text_.size()) {
        read_escape(value);
      } else {
        value += peek();
        advance(1);
      }
    }
    tokens_.push_back({TokenKind::kString, std::move(value), start_line});
    advance(1);
  }

  // Python's escapes; one that Python does not know stays as it is written.
  void read_escape(std::string& value) {
    static constexpr std::string_view kNames = "abfnrtv\\'\"";
    static constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\'\"";
    const char c = peek(1);
    if (const std::size_t known = kNames.find(c); known != std::string_view::npos) {
      value += kValues[known];
      advance(2);
    } else if (c == '\n') {
      advance(2);
    } else if (c == 'x' || c == 'u' || c == 'U') {
      read_number_escape(value, c == 'x' ? 2 : c == 'u' ? 4 : 8, 16, 2);
    } else if (c >= '0' && c <= '7') {
      std::size_t n_digits = 1;
      while (n_digits < 3 && peek(1 + n_digits) >= '0' && peek(1 + n_digits) <= '7') ++n_digits;
      read_number_escape(value, n_digits, 8, 1);
    } else {
      value += '\\';
      advance(1);
    }
  }

  void read_number_escape(std::string& value, std::size_t n_digits, char32_t base, std::size_t prefix) {
    char32_t number = 0;
    for (std::size_t i = 0; i < n_digits; ++i) {
      const char digit = peek(prefix + i);
      if (!std::isxdigit(static_cast<unsigned char>(digit))) fail("an unfinished escape in a string", line_);
      const int digit_value = digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;
      number = number * base + static_cast<char32_t>(digit_value);
    }
    if (number > 0x10FFFF) fail("an escape beyond U+10FFFF in a string", line_);
    append_code_point(value, number);
    advance(prefix + n_digits);
  }

  std::string text_;
  std::size_t pos_ = 0;
  std::uint32_t line_ = 1;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source) { return Lexer(source).run(); }

}  // namespace headroom::jinja
