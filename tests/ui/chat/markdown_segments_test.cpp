#include "ui/chat/markdown_segments.h"

#include <gtest/gtest.h>

#include <QTextDocument>
#include <QTextTable>

#include "ui/chat/markdown_writer.h"

namespace headroom::ui {
namespace {

MarkdownSegments parse(const QString& text) {
  MarkdownSegments segments;
  segments.append(text);
  segments.finish();
  return segments;
}

const QString kMixed = QStringLiteral(
    "# Title\n\nA paragraph\nover two lines.\n\n1. one\n\n   still one\n2. two\n\n```python\ndef f():\n\n    return "
    "1\n```\nAfter.\n\n> "
    "quote\n\n~~~~\n```\n"
    "~~~~\n\nLast line without an end");

TEST(MarkdownSegments, prose_and_code_become_segments_of_their_own) {
  const MarkdownSegments parsed = parse(kMixed);
  const auto& segments = parsed.segments();
  ASSERT_EQ(segments.size(), 5U);
  EXPECT_FALSE(segments[0].isCode);
  EXPECT_TRUE(segments[1].isCode);
  EXPECT_EQ(segments[1].language, "python");
  EXPECT_EQ(segments[1].text, "def f():\n\n    return 1");
  EXPECT_EQ(segments[2].text, "After.\n\n> quote\n\n");
  EXPECT_EQ(segments[3].text, "```");
  EXPECT_EQ(segments[4].text, "Last line without an end\n");
}

TEST(MarkdownSegments, text_that_arrives_in_pieces_gives_the_same_segments_as_the_whole) {
  const MarkdownSegments whole = parse(kMixed);
  for (const qsizetype step : {1, 2, 3, 7, 50}) {
    MarkdownSegments pieces;
    for (qsizetype at = 0; at < kMixed.size(); at += step) pieces.append(kMixed.mid(at, step));
    pieces.finish();
    ASSERT_EQ(pieces.segments().size(), whole.segments().size()) << "step " << step;
    for (std::size_t i = 0; i < whole.segments().size(); ++i) {
      EXPECT_EQ(pieces.segments()[i].text, whole.segments()[i].text) << "step " << step << ", segment " << i;
      EXPECT_EQ(pieces.segments()[i].isCode, whole.segments()[i].isCode);
    }
  }
}

TEST(MarkdownSegments, settled_text_never_changes_while_more_arrives) {
  MarkdownSegments segments;
  QString settled;
  for (const QChar c : kMixed) {
    segments.append(QString(c));
    const MarkdownSegment& first = segments.segments().front();
    ASSERT_TRUE(first.text.startsWith(settled));
    settled = first.text.left(first.settled);
  }
  EXPECT_TRUE(settled.contains("over two lines."));
}

TEST(MarkdownSegments, a_list_with_blank_lines_between_its_items_stays_one_block) {
  MarkdownSegments segments;
  segments.append("1. one\n\n2. two\n\n3. three\n\n");
  EXPECT_EQ(segments.segments().front().settled, 0);
  segments.append("Text after the list\n");
  EXPECT_EQ(segments.segments().front().settled, QString("1. one\n\n2. two\n\n3. three\n\n").size());
}

TEST(MarkdownSegments, backticks_that_may_open_a_fence_are_held_back) {
  MarkdownSegments segments;
  segments.append("Text\n``");
  EXPECT_EQ(segments.segments().back().text, "Text\n");
  segments.append("`cpp");
  EXPECT_EQ(segments.segments().back().text, "Text\n");
  segments.append("\nint x;");
  EXPECT_EQ(segments.segments().back().text, "int x;");
  segments.append("\n``");
  EXPECT_EQ(segments.segments().back().text, "int x;\n");
}

TEST(MarkdownSegments, inline_code_at_the_start_of_a_line_is_prose) {
  const MarkdownSegments parsed = parse("`code` and text\n```not a fence``` here\n");
  ASSERT_EQ(parsed.segments().size(), 1U);
  EXPECT_EQ(parsed.segments().front().text, "`code` and text\n```not a fence``` here\n");
}

TEST(MarkdownSegments, a_fence_inside_a_list_loses_its_indent_in_the_code) {
  const MarkdownSegments parsed = parse("1. Do this:\n   ```sh\n   ls\n     -l\n   ```\n2. Done\n");
  ASSERT_EQ(parsed.segments().size(), 3U);
  EXPECT_EQ(parsed.segments()[1].text, "ls\n  -l");
}

TEST(MarkdownSegments, an_unclosed_fence_is_code_to_the_end) {
  const MarkdownSegments parsed = parse("```\na\nb");
  ASSERT_EQ(parsed.segments().size(), 1U);
  EXPECT_TRUE(parsed.segments().front().closed);
  EXPECT_EQ(parsed.segments().front().text, "a\nb\n");
}

TEST(MarkdownSegments, prose_without_any_border_is_cut_into_bounded_segments) {
  MarkdownSegments segments;
  for (int i = 0; i < 20'000; ++i) segments.append("word ");
  segments.finish();
  EXPECT_GT(segments.segments().size(), 10U);
  qsizetype chars = 0;
  for (const MarkdownSegment& segment : segments.segments()) {
    EXPECT_LE(segment.text.size(), 2 * MarkdownSegments::kSegmentChars + 2);
    chars += QString(segment.text).remove('\n').size();
  }
  EXPECT_EQ(chars, 100'000);
}

// As the widget does: a segment is laid out by itself, so each piece of a table must be a table by itself.
TEST(MarkdownSegments, a_long_table_stays_a_table_in_each_of_its_segments_and_no_row_is_lost) {
  for (const QString head : {"| Name | Value |\n|---|--:|\n", "| | |\n|---|---|\n"}) {
    QString text = "Before.\n\n" + head;
    for (int i = 0; i < 400; ++i) text += QStringLiteral("| row %1 | a value of some length %1 |\n").arg(i);
    text += "\nAfter.\n";
    ASSERT_GT(text.size(), 4 * MarkdownSegments::kSegmentChars);
    const MarkdownSegments parsed = parse(text);
    ASSERT_GT(parsed.segments().size(), 2U);
    int rows = 0;
    QString written;
    for (const MarkdownSegment& segment : parsed.segments()) {
      EXPECT_LE(segment.text.size(), 2 * MarkdownSegments::kSegmentChars + head.size() + 2);
      QTextDocument document;
      appendMarkdown(document, segment.text, ProseStyle::of(lightTokens(), QFont()));
      for (QTextFrame* frame : document.rootFrame()->childFrames())
        rows += qobject_cast<QTextTable*>(frame)->rows() - 1;
      EXPECT_FALSE(document.toPlainText().contains('|')) << "raw text of a table";
      written += document.toPlainText();
    }
    EXPECT_EQ(rows, 400);
    for (int i = 0; i < 400; ++i) EXPECT_TRUE(written.contains(QStringLiteral("row %1\n").arg(i))) << i;
    EXPECT_TRUE(written.contains("Before.") && written.contains("After."));
  }
}

TEST(MarkdownSegments, a_long_table_inside_a_list_stays_a_table_in_each_of_its_segments) {
  QString text = "1. First:\n\n   | Name | Value |\n   |---|--:|\n";
  for (int i = 0; i < 400; ++i) text += QStringLiteral("   | row %1 | a value of some length %1 |\n").arg(i);
  text += "2. Second.\n";
  const MarkdownSegments parsed = parse(text);
  ASSERT_GT(parsed.segments().size(), 2U);
  QString written;
  for (const MarkdownSegment& segment : parsed.segments()) {
    QTextDocument document;
    appendMarkdown(document, segment.text, ProseStyle::of(lightTokens(), QFont()));
    EXPECT_FALSE(document.toPlainText().contains('|')) << "raw text of a table";
    written += document.toPlainText() + '\n';
  }
  for (int i = 0; i < 400; ++i) EXPECT_TRUE(written.contains(QStringLiteral("row %1\n").arg(i))) << i;
  EXPECT_TRUE(written.contains("First:") && written.contains("Second."));
}

TEST(MarkdownSegments, a_long_list_is_cut_between_its_items) {
  QString text;
  for (int i = 1; i <= 300; ++i) text += QStringLiteral("%1. an item of some length\n   that goes on\n").arg(i);
  const MarkdownSegments parsed = parse(text);
  ASSERT_GT(parsed.segments().size(), 1U);
  for (const MarkdownSegment& segment : parsed.segments()) EXPECT_TRUE(segment.text.front().isDigit());
}

TEST(MarkdownSegments, long_code_is_cut_into_pieces_that_copy_as_one) {
  QString code;
  for (int i = 0; i < 500; ++i) code += QStringLiteral("line %1\n").arg(i);
  const MarkdownSegments parsed = parse("```cpp\n" + code + "```\n");
  ASSERT_GT(parsed.segments().size(), 3U);
  EXPECT_FALSE(parsed.segments()[0].continuesCode);
  EXPECT_TRUE(parsed.segments()[1].continuesCode);
  EXPECT_EQ(parsed.segments()[1].language, "cpp");
  EXPECT_EQ(parsed.codeBlockFrom(0) + '\n', code);
}

}  // namespace
}  // namespace headroom::ui
