#include "ui/calculator/help_label.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QTest>
#include <QToolButton>

namespace headroom::ui {
namespace {

const QString kHelp = QStringLiteral("How much it is. More of it costs more.");

TEST(HelpLabelTest, the_field_has_the_help_for_the_keyboard_and_screen_readers) {
  QWidget window;
  auto* field = new QLineEdit(&window);
  const auto* label = new HelpLabel("&Amount", kHelp, field, &window);
  EXPECT_EQ(field->whatsThis(), kHelp);
  EXPECT_EQ(field->accessibleDescription(), kHelp);
  EXPECT_EQ(label->findChild<QLabel*>()->buddy(), field);
  EXPECT_EQ(label->findChild<QToolButton*>()->accessibleName(), QStringLiteral("What is this: Amount"));
  EXPECT_EQ(label->findChild<QToolButton*>()->focusPolicy(), Qt::NoFocus);
}

TEST(HelpLabelTest, a_click_on_its_question_mark_shows_it) {
  QWidget window;
  auto* field = new QLineEdit(&window);
  auto* label = new HelpLabel("&Amount", kHelp, field, &window);
  window.show();
  label->findChild<QToolButton*>()->click();
  EXPECT_TRUE(QTest::qWaitFor([] {
    for (const QWidget* widget : QApplication::topLevelWidgets()) {
      if (widget->isVisible() && widget->inherits("QWhatsThat")) return true;
    }
    return false;
  }));
}

}  // namespace
}  // namespace headroom::ui
