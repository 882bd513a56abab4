#include "text/utf8_stream.h"

#include <gtest/gtest.h>

#include "text/utf8.h"

namespace headroom {
namespace {

std::string streamed(std::string_view bytes, std::size_t first, std::size_t second) {
  Utf8Stream stream;
  std::string text = stream.push(bytes.substr(0, first));
  text += stream.push(bytes.substr(first, second - first));
  text += stream.push(bytes.substr(second));
  return text + stream.finish();
}

struct Case {
  const char* name;
  std::string_view bytes, text;
};

// The replacements follow the Unicode standard's practice of one U+FFFD per maximal subpart (section 3.9).
constexpr Case kCases[] = {
    {"ascii", "abc", "abc"},
    {"every length", "a\xC3\xA9\xE4\xBD\xA0\xF0\x9F\x8E\x89z", "a\xC3\xA9\xE4\xBD\xA0\xF0\x9F\x8E\x89z"},
    {"lone continuation bytes", "a\x80\xBF", "a\xEF\xBF\xBD\xEF\xBF\xBD"},
    {"overlong form", "\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD"},
    {"surrogate", "\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
    {"beyond the last code point", "\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
    {"cut sequence before text",
     "\xF0\x9F\x8E"
     "a",
     "\xEF\xBF\xBD"
     "a"},
    {"cut sequence before another", "\xE4\xBD\xF0\x9F\x8E\x89", "\xEF\xBF\xBD\xF0\x9F\x8E\x89"},
    {"cut at the end", "ok\xF0\x9F", "ok\xEF\xBF\xBD"},
    {"bytes that never occur", "\xFE\xFF", "\xEF\xBF\xBD\xEF\xBF\xBD"},
};

TEST(Utf8Stream, gives_the_same_text_however_the_bytes_are_split) {
  for (const Case& each : kCases)
    for (std::size_t first = 0; first <= each.bytes.size(); ++first)
      for (std::size_t second = first; second <= each.bytes.size(); ++second)
        EXPECT_EQ(streamed(each.bytes, first, second), each.text) << each.name;
}

TEST(Utf8Stream, never_ends_inside_a_code_point) {
  Utf8Stream stream;
  EXPECT_EQ(stream.push("\xF0\x9F"), "");
  EXPECT_EQ(stream.push("\x8E"), "");
  EXPECT_EQ(stream.push("\x89!"), "\xF0\x9F\x8E\x89!");
  EXPECT_EQ(stream.finish(), "");
}

TEST(Utf8, every_code_point_is_read_back_as_written) {
  for (char32_t value = 0; value <= 0x10FFFF; value += value < 0x3000 ? 1 : 7) {
    if (value >= 0xD800 && value <= 0xDFFF) continue;
    std::string text;
    append_code_point(text, value);
    const CodePoint point = read_code_point(text, 0);
    ASSERT_TRUE(point.valid && point.value == value && point.n_bytes == text.size())
        << static_cast<std::uint32_t>(value);
  }
}

}  // namespace
}  // namespace headroom
