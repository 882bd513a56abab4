#include "base/c_locale.h"

#include <gtest/gtest.h>

#include <array>
#include <cctype>

#include "support/comma_locale.h"

namespace headroom {
namespace {

TEST(CLocale, numbers_and_dates_are_those_of_c_under_every_locale) {
  const test::CommaLocale german;
  if (!german.is_there()) GTEST_SKIP() << test::kNoCommaLocale;
  char* end = nullptr;
  EXPECT_EQ(c_strtod("1.5", &end), 1.5);
  EXPECT_EQ(*end, '\0');
  EXPECT_EQ(c_strtod("1,5", &end), 1.0);
  EXPECT_EQ(*end, ',');
  std::tm march{};
  march.tm_mon = 2;
  march.tm_mday = 1;
  std::array<char, 32> text{};
  EXPECT_EQ(c_strftime(text.data(), text.size(), "%d %B", march), 8U);
  EXPECT_STREQ(text.data(), "01 March");
}

TEST(CLocale, ascii_letters_alone_become_small) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    EXPECT_EQ(ascii_lower(c), byte < 0x80 ? static_cast<char>(std::tolower(byte)) : c) << byte;
  }
}

}  // namespace
}  // namespace headroom
