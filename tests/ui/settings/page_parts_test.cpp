#include "ui/settings/page_parts.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QVBoxLayout>

namespace headroom::ui {
namespace {

TEST(PagePartsTest, a_note_is_plain_text_that_wraps_and_only_later_headings_stand_apart) {
  QWidget page;
  QVBoxLayout* layout = layOutPage(&page);
  addHeading(layout, "First");
  QLabel* note = addNote(layout, "<b>kept</b> in /a/b");
  addHeading(layout, "Second");
  EXPECT_EQ(note->textFormat(), Qt::PlainText);
  EXPECT_TRUE(note->wordWrap());
  const auto topOf = [&](int at) { return layout->itemAt(at)->widget()->contentsMargins().top(); };
  EXPECT_EQ(topOf(0), 0);
  EXPECT_GT(topOf(2), 0);
}

}  // namespace
}  // namespace headroom::ui
