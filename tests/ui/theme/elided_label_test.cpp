#include "ui/theme/elided_label.h"

#include <gtest/gtest.h>

namespace headroom::ui {
namespace {

TEST(ElidedLabelTest, a_text_without_room_ends_in_dots_and_is_whole_elsewhere) {
  ElidedLabel label("heading", Qt::AlignLeft);
  const QString text = QStringLiteral("A title of some length");
  label.setText(text);
  label.resize(label.fontMetrics().horizontalAdvance(text) + 1, 20);
  EXPECT_EQ(label.shownText(), text);
  label.resize(60, 20);
  EXPECT_TRUE(label.shownText().endsWith(QChar(0x2026))) << label.shownText().toStdString();
  EXPECT_EQ(label.accessibleName(), text);
  label.resize(0, 20);
  label.grab();
  EXPECT_LE(label.shownText().size(), 1);
}

TEST(ElidedLabelTest, it_asks_for_no_more_room_than_it_is_given) {
  ElidedLabel label("muted", Qt::AlignLeft);
  label.setText(QString(5000, QLatin1Char('x')));
  EXPECT_LE(label.sizeHint().width(), 100);
  EXPECT_EQ(label.sizePolicy().horizontalPolicy(), QSizePolicy::Ignored);
}

}  // namespace
}  // namespace headroom::ui
