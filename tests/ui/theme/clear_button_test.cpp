#include "ui/theme/clear_button.h"

#include <gtest/gtest.h>

#include <QAccessible>
#include <QLineEdit>
#include <QTest>
#include <QToolButton>

namespace headroom::ui {
namespace {

TEST(ClearButtonTest, it_empties_the_field_and_a_screen_reader_can_name_and_press_it) {
  QLineEdit field;
  addClearButton(&field);
  field.show();
  QTest::keyClicks(&field, "text");
  auto* button = field.findChild<QToolButton*>();
  ASSERT_NE(button, nullptr);
  QAccessibleInterface* told = QAccessible::queryAccessibleInterface(button);
  EXPECT_EQ(told->text(QAccessible::Name), "Clear this field");
  told->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
  EXPECT_TRUE(QTest::qWaitFor([&] { return field.text().isEmpty(); }));
}

}  // namespace
}  // namespace headroom::ui
