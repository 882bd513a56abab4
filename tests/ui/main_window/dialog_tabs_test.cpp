#include "ui/main_window/dialog_tabs.h"

#include <gtest/gtest.h>

#include <QMessageBox>
#include <QPushButton>
#include <QTest>

namespace headroom::ui {
namespace {

TEST(DialogTabsTest, tab_reaches_each_of_three_buttons_and_shift_tab_goes_back) {
  DialogTabs tabs;
  QMessageBox box(QMessageBox::Question, QStringLiteral("Title"), QStringLiteral("A question?"), QMessageBox::Cancel);
  box.addButton(QStringLiteral("One"), QMessageBox::DestructiveRole);
  box.addButton(QStringLiteral("Two"), QMessageBox::DestructiveRole);
  box.setDefaultButton(QMessageBox::Cancel);
  box.open();
  box.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&box));
  QList<QWidget*> forward{box.focusWidget()}, backward{box.focusWidget()};
  for (int i = 0; i < 3; ++i) {
    QTest::keyClick(box.focusWidget(), Qt::Key_Tab);
    forward.append(box.focusWidget());
  }
  EXPECT_EQ(QSet<QWidget*>(forward.begin(), forward.end()).size(), 3);
  EXPECT_EQ(forward.last(), forward.first()) << "around once";
  for (int i = 0; i < 3; ++i) {
    QTest::keyClick(box.focusWidget(), Qt::Key_Backtab, Qt::ShiftModifier);
    backward.append(box.focusWidget());
  }
  std::reverse(backward.begin(), backward.end());
  EXPECT_EQ(backward, forward);
}

}  // namespace
}  // namespace headroom::ui
