#include "ui/chat/text_rows.h"

#include <gtest/gtest.h>

#include <QAbstractScrollArea>
#include <QSignalSpy>

#include "ui/chat/chat_selection.h"

namespace headroom::ui {
namespace {

MarkdownSegment segmentOf(const QString& text, bool isCode) {
  MarkdownSegment segment;
  segment.isCode = isCode;
  segment.text = text;
  segment.settled = isCode ? 0 : text.size();
  segment.closed = true;
  return segment;
}

class TextRowsTest : public testing::Test {
 protected:
  void show(TextRow& row) {
    row.resize(400, row.heightFor(400));
    row.show();
  }
  QPoint global(const TextRow& row, int x, int y) { return row.view()->viewport()->mapToGlobal(QPoint(x, y)); }

  Theme m_theme{ThemeChoice::Light};
};

TEST_F(TextRowsTest, a_part_of_prose_is_selected_and_told_as_plain_text) {
  ProseRow row(m_theme, CardPart::None, nullptr);
  row.showMarkdown(segmentOf("Some **bold** words.\n\n- one\n- two\n", false));
  show(row);
  QSignalSpy changed(&row, &TextRow::selectionChanged);
  EXPECT_EQ(row.textOf(5, 9), "bold");
  row.select(5, 9);
  EXPECT_EQ(changed.count(), 1);
  EXPECT_FALSE(row.isSelected());
  row.select(0, ChatSelection::kToEnd);
  EXPECT_TRUE(row.isSelected());
  row.selectNothing();
  EXPECT_FALSE(row.isSelected());
  EXPECT_EQ(row.textOf(0, ChatSelection::kToEnd), QString::fromUtf8("Some bold words.\n• one\n• two"));
}

TEST_F(TextRowsTest, above_a_text_is_its_beginning_and_below_it_its_end) {
  ProseRow prose(m_theme, CardPart::None, nullptr);
  prose.showPlain("first line\nsecond line");
  CodeRow code(m_theme, segmentOf("int a;\nint b;", true), {}, nullptr);
  for (TextRow* row : {static_cast<TextRow*>(&prose), static_cast<TextRow*>(&code)}) {
    show(*row);
    const int whole = static_cast<int>(row->textOf(0, ChatSelection::kToEnd).size());
    EXPECT_EQ(row->positionAt(global(*row, 200, -5)), 0);
    EXPECT_EQ(row->positionAt(global(*row, 0, 5000)), whole);
    EXPECT_EQ(row->positionAt(global(*row, 5000, 10)), static_cast<int>(row->textOf(0, whole).indexOf('\n')));
  }
}

}  // namespace
}  // namespace headroom::ui
