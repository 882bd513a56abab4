#include <gtest/gtest.h>

#include <random>

#include "ui/chat/latex_text.h"

namespace headroom::ui {
namespace {

// "i:x" for an inline formula, "d:x" for one on a line of its own, "o:\(x" for one without an end; parted by "|".
std::string found(const char* markdown) {
  const QString text = QString::fromUtf8(markdown);
  std::string all;
  for (const LatexSpan& span : findLatex(text)) {
    const bool isOpen = span.kind == LatexSpan::Kind::Open;
    all += all.empty() ? "" : "|";
    all += isOpen ? "o:" : span.kind == LatexSpan::Kind::Display ? "d:" : "i:";
    all += (isOpen ? text.mid(span.start, span.length) : span.body).toStdString();
  }
  return all;
}

TEST(LatexSpans, each_pair_of_delimiters_is_found) {
  EXPECT_EQ(found("So \\(a_1\\), $b$ and \\[c\\] or $$d$$."), "i:a_1|i:b|d:c|d:d");
  EXPECT_EQ(found("$$\na\n= b\n$$"), "d:\na\n= b\n");
  EXPECT_EQ(found("\\begin{align*}a &= b\\end{align*}"), "d:\\begin{align*}a &= b\\end{align*}");
  EXPECT_EQ(found("> $$\n> a\n> b\n> $$"), "d:\na\nb\n") << "without the marks of the quote";
  EXPECT_EQ(found("the $n$th, ($x$) and **$y$**"), "i:n|i:x|i:y");
  EXPECT_EQ(found("$a \\$ b$"), "i:a \\$ b");
}

TEST(LatexSpans, money_is_no_formula) {
  for (const char* text : {"$5 and $6", "from $5 to $6.50", "US$5 or $x", "It is $5.", "$ x $", "$5 or US$ more",
                           "a $ b $ c", "\\$5 and $6", "$", "Use $$ for the *number*.", "$5 and $6 with 7$", "a$b$c"})
    EXPECT_EQ(found(text), "") << text;
  EXPECT_EQ(found("$5 and $6 with $x$"), "i:x");
  EXPECT_EQ(found("$2$ and $2 + 2$ and $0.5$"), "i:2|i:2 + 2|i:0.5");
}

TEST(LatexSpans, code_is_never_looked_into) {
  EXPECT_EQ(found("`$a$` and ``\\(b\\) ` $c$`` then $d$"), "i:d");
  EXPECT_EQ(found("> ```\n> $a$\n> ```\n> $b$"), "i:b");
  EXPECT_EQ(found("a ` alone and $x$"), "i:x");
}

TEST(LatexSpans, none_goes_over_an_empty_line) {
  EXPECT_EQ(found("\\[a\n\nb\\]"), "o:\\[a");
  EXPECT_EQ(found("$a\n\nb$"), "");
  EXPECT_EQ(found("$$a\n \nb$$"), "o:$$a|o:$$");
}

TEST(LatexSpans, what_has_no_end_yet_is_open_and_what_is_escaped_begins_nothing) {
  EXPECT_EQ(found("See \\(a + b"), "o:\\(a + b");
  EXPECT_EQ(found("See \\[a + b\nc"), "o:\\[a + b\nc");
  EXPECT_EQ(found("\\\\(a\\\\) \\\\[b\\\\]"), "");
  EXPECT_EQ(found("\\begin{itemize}$x$"), "i:x");
}

TEST(LatexSpans, any_text_gives_spans_in_order_that_lie_in_it) {
  const QString parts[] = {"$",
                           "$$",
                           "\\(",
                           "\\)",
                           "\\[",
                           "\\]",
                           "`",
                           "``",
                           "\n",
                           "\n\n",
                           "\\",
                           "a",
                           " ",
                           "5",
                           "> ",
                           "{",
                           "}",
                           "_",
                           "\\begin{align}",
                           "\\end{align}"};
  std::mt19937 random(3);
  for (int i = 0; i < 4000; ++i) {
    QString text;
    for (unsigned n = random() % 30; n > 0; --n) text += parts[random() % std::size(parts)];
    qsizetype at = 0;
    for (const LatexSpan& span : findLatex(text)) {
      ASSERT_GE(span.start, at);
      ASSERT_GT(span.length, 0);
      at = span.start + span.length;
      ASSERT_LE(at, text.size());
    }
  }
}

}  // namespace
}  // namespace headroom::ui
