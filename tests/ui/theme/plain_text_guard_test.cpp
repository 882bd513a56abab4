#include "ui/theme/plain_text_guard.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QLabel>
#include <QMessageBox>
#include <QTest>
#include <QToolTip>

namespace headroom::ui {
namespace {

const QString kMarkup = QStringLiteral("<b>x</b> & <img src=y>");

const QLabel* shownTip() {
  for (QWidget* window : QApplication::topLevelWidgets()) {
    if (window->inherits("QTipLabel") && window->isVisible()) return qobject_cast<QLabel*>(window);
  }
  return nullptr;
}

TEST(PlainTextGuard, a_label_a_tool_tip_and_a_message_box_show_markup_as_it_is) {
  const PlainTextGuard guard;
  QLabel label(kMarkup);
  label.show();
  EXPECT_EQ(label.textFormat(), Qt::PlainText);
  QToolTip::showText({10, 10}, kMarkup, &label);
  const QLabel* tip = shownTip();
  ASSERT_NE(tip, nullptr);
  EXPECT_EQ(tip->textFormat(), Qt::PlainText);
  EXPECT_EQ(tip->text(), kMarkup);
  EXPECT_GE(tip->height(), tip->heightForWidth(tip->width())) << "it has the room of the whole text";
  QMessageBox box;
  box.setText(kMarkup);
  box.show();
  const auto* text = box.findChild<QLabel*>(QStringLiteral("qt_msgbox_label"));
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(text->textFormat(), Qt::PlainText);
  QToolTip::hideText();
  EXPECT_TRUE(QTest::qWaitFor([] { return shownTip() == nullptr; }, 60'000));
}

TEST(PlainTextGuard, what_is_meant_to_be_formatted_says_so) {
  const PlainTextGuard guard;
  QLabel label(kMarkup);
  label.setTextFormat(Qt::RichText);
  label.show();
  EXPECT_EQ(label.textFormat(), Qt::RichText);
}

}  // namespace
}  // namespace headroom::ui
