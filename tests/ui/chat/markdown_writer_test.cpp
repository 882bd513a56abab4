#include "ui/chat/markdown_writer.h"

#include <gtest/gtest.h>

#include <QTextBlock>
#include <QTextDocument>
#include <QTextTable>

#include "ui/chat/prose_view.h"

namespace headroom::ui {
namespace {

ProseStyle style() { return ProseStyle::of(lightTokens(), QFont()); }

QString plainTextOf(const QString& markdown) {
  QTextDocument document;
  appendMarkdown(document, markdown, style());
  return document.toPlainText();
}

QTextCharFormat formatAt(const QTextDocument& document, const QString& word) {
  QTextCursor cursor = document.find(word);
  return cursor.charFormat();
}

TEST(MarkdownWriter, emphasis_code_and_links_become_formats) {
  QTextDocument document;
  appendMarkdown(document, "plain *slanted* **heavy** ~~gone~~ `code` [site](https://example.org)", style());
  EXPECT_EQ(document.toPlainText(), "plain slanted heavy gone code site");
  EXPECT_TRUE(formatAt(document, "slanted").fontItalic());
  EXPECT_EQ(formatAt(document, "heavy").fontWeight(), QFont::Bold);
  EXPECT_TRUE(formatAt(document, "gone").fontStrikeOut());
  EXPECT_TRUE(formatAt(document, "code").fontFixedPitch());
  EXPECT_EQ(formatAt(document, "site").anchorHref(), "https://example.org");
}

TEST(MarkdownWriter, formulas_are_legible_and_no_backslash_of_theirs_is_eaten) {
  EXPECT_EQ(plainTextOf("So \\(a_1 + b_1\\) is $x^2$."), "So a₁ + b₁ is x².");
  EXPECT_EQ(plainTextOf("**The $n$th**: \\nosuch{x}, $\\nosuch\\{$"), "The nth: \\nosuch{x}, \\nosuch{");
  EXPECT_EQ(plainTextOf("It costs $5 and $6."), "It costs $5 and $6.");
  EXPECT_EQ(plainTextOf("| a | b |\n|---|---|\n| $|x|$ | \\(y\\) |\n").section('\n', -3, -2), "|x|\ny");
  EXPECT_EQ(plainTextOf("- one $a$\n- two\n  \\[b\\]\n- three"), "•\tone a\n•\ttwo \nb\n•\tthree");
}

TEST(MarkdownWriter, a_formula_of_its_own_stands_in_a_line_that_is_indented) {
  QTextDocument document;
  appendMarkdown(document, "Before\n\\[\na\n= b\n\\]\nand behind.\n\n$$c$$.\n\nEnd", style());
  EXPECT_EQ(document.toPlainText(), "Before \na = b\nand behind.\nc.\nEnd");
  const QTextBlock formula = document.begin().next();
  EXPECT_GT(formula.blockFormat().leftMargin(), document.begin().blockFormat().leftMargin());
  EXPECT_TRUE(formatAt(document, "= b").fontItalic()) << "a quantity";
  EXPECT_EQ(formula.next().blockFormat().leftMargin(), document.begin().blockFormat().leftMargin());
}

TEST(MarkdownWriter, rows_of_a_matrix_stand_below_each_other_in_letters_of_one_width) {
  QTextDocument document;
  appendMarkdown(document, "$$A = \\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}$$", style());
  EXPECT_EQ(document.toPlainText(), "A = ⎛1  2⎞\n    ⎝3  4⎠");
  EXPECT_TRUE(formatAt(document, "A").fontFixedPitch());
}

TEST(MarkdownWriter, code_and_addresses_keep_what_looks_like_a_formula) {
  EXPECT_EQ(plainTextOf("`$a_1$` and ``\\(b\\)``"), "$a_1$ and \\(b\\)");
  EXPECT_EQ(plainTextOf("> ```\n> \\[x\\]\n> ```").trimmed(), "\\[x\\]");
  QTextDocument document;
  appendMarkdown(document, "[site](https://example.org/?($x$))", style());
  EXPECT_EQ(formatAt(document, "site").anchorHref(), "https://example.org/?($x$)");
}

TEST(MarkdownWriter, a_formula_that_has_no_end_yet_is_shown_as_it_comes) {
  EXPECT_EQ(plainTextOf("See \\(a_1 + \\frac{b"), "See \\(a_1 + \\frac{b");
  EXPECT_EQ(plainTextOf("See \\[\\{x\n\nNext *one*"), "See \\[\\{x\nNext one");
}

TEST(MarkdownWriter, characters_that_no_text_has_do_no_harm) {
  const QString odd = QString(QChar(0xFDD0)) + QChar(0xFDD2) + QChar(0xFDD1);
  EXPECT_TRUE(plainTextOf("$a$ " + odd + " b").startsWith("a "));
}

TEST(MarkdownWriter, lists_keep_their_numbers) {
  EXPECT_EQ(plainTextOf("3. three\n4. four\n"), "3.\tthree\n4.\tfour");
  EXPECT_EQ(plainTextOf("- a\n  - b\n"), "•\ta\n◦\tb");
  EXPECT_EQ(plainTextOf("- [x] done\n- [ ] open\n"), "☑\tdone\n☐\topen");
}

TEST(MarkdownWriter, html_is_shown_as_text) {
  EXPECT_EQ(plainTextOf("<b>not bold</b> <script>x</script>"), "<b>not bold</b> <script>x</script>");
  EXPECT_EQ(plainTextOf("<div>\n\ntext\n\n</div>"), "<div>\ntext\n</div>");
}

TEST(MarkdownWriter, an_image_becomes_a_link_and_is_not_an_image) {
  QTextDocument document;
  appendMarkdown(document, "![a picture](https://example.org/x.png)", style());
  EXPECT_EQ(document.toPlainText(), "a picture");
  EXPECT_EQ(formatAt(document, "picture").anchorHref(), "https://example.org/x.png");
}

TEST(MarkdownWriter, tables_have_their_rows_and_alignments) {
  QTextDocument document;
  appendMarkdown(document, "Before\n\n| Name | Size |\n|---|--:|\n| weights | 6 GiB |\n| KV | 1 GiB |\n\nAfter",
                 style());
  QTextTable* table = nullptr;
  for (QTextFrame* frame : document.rootFrame()->childFrames()) table = qobject_cast<QTextTable*>(frame);
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->rows(), 3);
  EXPECT_EQ(table->columns(), 2);
  EXPECT_EQ(table->cellAt(2, 0).firstCursorPosition().block().text(), "KV");
  EXPECT_EQ(table->cellAt(1, 1).firstCursorPosition().blockFormat().alignment(), Qt::AlignRight);
  EXPECT_EQ(document.lastBlock().text(), "After");
}

TEST(MarkdownWriter, headings_are_larger_and_quotes_know_their_depth) {
  QTextDocument document;
  appendMarkdown(document, "# Big\n\n> quoted\n", style());
  EXPECT_GT(formatAt(document, "Big").fontPointSize(), formatAt(document, "quoted").fontPointSize());
  EXPECT_EQ(document.lastBlock().blockFormat().intProperty(kQuoteDepthProperty), 1);
}

// What the block-wise view rests on: writing in pieces and rewriting the tail looks the same as writing at once.
TEST(ProseView, text_that_arrives_in_pieces_looks_like_the_whole) {
  const QString text =
      "# Head\n\nA *b* c\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---\n\n> quote\n\n1. first\n\n   "
      "more\n\nEnd";
  MarkdownSegments whole;
  whole.append(text);
  whole.finish();
  ProseView expected(style());
  expected.showMarkdown(whole.segments().front());

  MarkdownSegments pieces;
  ProseView view(style());
  for (const QChar c : text) {
    pieces.append(QString(c));
    view.showMarkdown(pieces.segments().front());
  }
  pieces.finish();
  view.showMarkdown(pieces.segments().front());

  ASSERT_EQ(view.toPlainText().toStdString(), expected.toPlainText().toStdString());
  QTextBlock a = view.document()->begin(), b = expected.document()->begin();
  for (; a.isValid() && b.isValid(); a = a.next(), b = b.next()) {
    EXPECT_EQ(a.blockFormat(), b.blockFormat()) << a.text().toStdString();
    if (a.text().isEmpty()) continue;
    EXPECT_EQ(a.begin().fragment().charFormat(), b.begin().fragment().charFormat()) << a.text().toStdString();
  }
  EXPECT_EQ(view.heightFor(400), expected.heightFor(400));
}

}  // namespace
}  // namespace headroom::ui
