// One value in its field: what both of Python's ways to put values into a text share.
#pragma once

#include <string>
#include <string_view>

#include "text/jinja/runtime.h"

namespace headroom::jinja {

inline constexpr std::size_t kMaxWidth = 10'000;  // of one field, far above any real one

// How one value is to look, in either language.
struct Spec {
  std::string fill = " ";
  char align = '\0';  // < > ^ =, or 0 for the default of the value's kind
  char sign = '-';    // - + or blank
  bool alternate = false;
  char grouping = '\0';  // , or _
  std::size_t width = 0;
  int precision = -1;  // none
  char type = '\0';
};

// The parts of a number: padding with "=" goes between them.
struct NumberText {
  std::string head, digits;  // "-0x", "1f"
};

// "-", or for others what `sign` asks for.
std::string sign_text(bool is_negative, char sign);
// Separators between groups of the leading digits; '\0' for none.
std::string grouped(std::string digits, char separator, std::size_t n_in_group);
NumberText integer_text(std::int64_t number, const Spec& spec, char type);
// `type`: one of e E f F g G.
NumberText float_text(double number, const Spec& spec, char type);

// The text of a value in its field. `origin`: of the format, which the padding and the digits come from.
TracedText padded(const TracedText& text, const Spec& spec, char default_align, TextOrigin origin);
TracedText padded_number(NumberText number, const Spec& spec, TextOrigin origin);
TracedText first_characters(const TracedText& text, int n_characters);  // all of them when below zero

// The value as str() (s), repr() (r) or ascii() (a) has it.
TracedText converted(Runtime& runtime, const Value& value, char conversion);
TracedText code_point_text(std::int64_t number, TextOrigin origin);
// Digits as a width, precision or index; throws Failure beyond kMaxWidth.
int bounded_number(std::string_view digits);

}  // namespace headroom::jinja
