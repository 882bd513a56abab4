#include "ui/chat/latex_symbols.h"

#include <gtest/gtest.h>

namespace headroom::ui {
namespace {

TEST(LatexSymbols, each_name_is_found_and_none_stands_twice) {
  const auto symbols = latexSymbols();
  ASSERT_GT(symbols.size(), 400U);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const LatexSymbol* found = findLatexSymbol(symbols[i].name);
    EXPECT_EQ(found, &symbols[i]) << symbols[i].name.toString().toStdString();
    EXPECT_TRUE(i == 0 || symbols[i - 1].name < symbols[i].name);
    const bool mayBeEmpty = symbols[i].kind == LatexKind::Space || symbols[i].kind == LatexKind::Style;
    EXPECT_TRUE(mayBeEmpty || !symbols[i].text.isEmpty()) << symbols[i].name.toString().toStdString();
  }
  EXPECT_EQ(findLatexSymbol(u"nosuchthing"), nullptr);
  EXPECT_EQ(findLatexSymbol(u""), nullptr);
}

TEST(LatexSymbols, letters_that_unicode_cannot_raise_or_lower_are_told) {
  EXPECT_EQ(raised(u'2'), QChar(u'²'));
  EXPECT_EQ(raised(u'z'), QChar(u'ᶻ'));
  EXPECT_EQ(lowered(u'k'), QChar(u'ₖ'));
  EXPECT_FALSE(raised(u'q') || raised(u'C') || lowered(u'b') || lowered(u'w'));
  EXPECT_EQ(blackboardLetter(u'R'), QChar(u'ℝ'));
  EXPECT_EQ(blackboardLetter(u'x'), QChar(u'x'));
  EXPECT_EQ(scriptLetter(u'L'), QChar(u'ℒ'));
}

}  // namespace
}  // namespace headroom::ui
