// Reading code points from bytes that may not be UTF-8 at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headroom {

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";  // U+FFFD

struct CodePoint {
  char32_t value = 0;         // U+FFFD when not valid
  std::uint32_t n_bytes = 0;  // not valid: the maximal subpart (Unicode 15, section 3.9, table 3-8), at least 1
  bool valid = false;
  bool truncated = false;  // not valid, because the text ends before the sequence does
};

// The code point at `pos`, which is before the end of `text`.
CodePoint read_code_point(std::string_view text, std::size_t pos);

// Whether a text is one code point and nothing else.
bool is_one_character(std::string_view text);

// `value` is at most U+10FFFF; surrogates are written as U+FFFD.
void append_code_point(std::string& text, char32_t value);

}  // namespace headroom
