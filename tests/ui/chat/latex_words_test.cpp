#include "ui/chat/latex_words.h"

#include <gtest/gtest.h>

namespace headroom::ui {
namespace {

TEST(LatexWords, words_are_told_from_products_of_quantities) {
  for (const char16_t* word : {u"sin", u"log", u"if", u"even", u"argmax"}) EXPECT_TRUE(isLatexWord(word));
  for (const char16_t* product : {u"x", u"ac", u"mc", u"abc"}) EXPECT_FALSE(isLatexWord(product));
}

TEST(LatexWords, a_text_is_enclosed_by_one_pair_alone) {
  EXPECT_TRUE(isEnclosed(u"(a + (b))"));
  EXPECT_FALSE(isEnclosed(u"(a) + (b)") || isEnclosed(u"(a") || isEnclosed(u"a"));
}

TEST(LatexWords, only_one_factor_needs_no_parentheses_below_a_bar) {
  for (const char16_t* factor : {u"", u"2", u"10.5", u"x", u"x₁²", u"n!", u"dx", u"∂t", u"√2", u"P(B)", u"(a + b)"})
    EXPECT_TRUE(isLatexFactor(factor)) << QStringView(factor).toString().toStdString();
  for (const char16_t* other : {u"2a", u"a + b", u"ab", u"(a)(b)", u"−1", u"√(2)a"})
    EXPECT_FALSE(isLatexFactor(other)) << QStringView(other).toString().toStdString();
  for (const char16_t* product : {u"2ab", u"n(n + 1)", u"P(B|A)P(A)"}) EXPECT_TRUE(isLatexProduct(product));
  for (const char16_t* other : {u"a + b", u"a−b", u"sin x"}) EXPECT_FALSE(isLatexProduct(other));
}

TEST(LatexWords, lines_go_over_every_letter_and_other_marks_over_the_first) {
  EXPECT_EQ(withLatexMark(QStringLiteral("ab"), u"\u0305"), QString::fromUtf16(u"a\u0305b\u0305"));
  EXPECT_EQ(withLatexMark(QStringLiteral("ab"), u"\u0302"), QString::fromUtf16(u"a\u0302b"));
  EXPECT_EQ(withLatexMark({}, u"\u0302"), QString());
}

}  // namespace
}  // namespace headroom::ui
