#include "ui/theme/accessible_role.h"

#include <gtest/gtest.h>

#include <QWidget>

namespace headroom::ui {
namespace {

TEST(AccessibleRole, a_widget_is_what_it_was_said_to_be_and_others_are_what_qt_says) {
  QWidget chart, plain;
  setAccessibleRole(&chart, QAccessible::Chart);
  chart.setAccessibleName(QStringLiteral("Memory"));
  const QAccessibleInterface* told = QAccessible::queryAccessibleInterface(&chart);
  EXPECT_EQ(told->role(), QAccessible::Chart);
  EXPECT_EQ(told->text(QAccessible::Name), "Memory");
  EXPECT_EQ(QAccessible::queryAccessibleInterface(&plain)->role(), QAccessible::Client);
}

}  // namespace
}  // namespace headroom::ui
