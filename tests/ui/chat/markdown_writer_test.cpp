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
