#include "ui/main_window/shortcuts_dialog.h"

#include <QDir>
#include <QLineEdit>
#include <QPointer>
#include <QTreeWidget>

#include "tests/ui/main_window/whole_window.h"

namespace headroom::ui {
namespace {

class ShortcutsDialogTest : public WholeWindow {
 protected:
  void SetUp() override {
    WholeWindow::SetUp();
    addPlaces();
    m_window->activateWindow();
    ASSERT_TRUE(waitFor([&] { return m_window->isActiveWindow(); }));
    QTest::keyClick(m_window.get(), Qt::Key_F1);
    m_dialog = m_window->findChild<ShortcutsDialog*>();
    ASSERT_NE(m_dialog, nullptr);
    ASSERT_TRUE(waitFor([&] { return m_dialog->isActiveWindow(); }));
    m_list = m_dialog->findChild<QTreeWidget*>("shortcutList");
  }
  QStringList shown() const {
    QStringList texts;
    for (QTreeWidgetItem* item = m_list->topLevelItem(0); item != nullptr; item = m_list->itemBelow(item))
      if (!item->isHidden()) texts << item->text(0);
    return texts;
  }
  QPointer<ShortcutsDialog> m_dialog;
  QTreeWidget* m_list = nullptr;
};

TEST_F(ShortcutsDialogTest, f1_lists_all_that_has_keys_and_escape_closes_it) {
  QStringList expected;
  for (const ShortcutGroup& group : shortcutsOf(*m_window)) {
    expected << group.name;
    for (const Shortcut& shortcut : group.shortcuts) expected << shortcut.text;
  }
  EXPECT_EQ(shown(), expected);
  const QDir folder(QStringLiteral(HEADROOM_SCREENSHOTS));
  QDir().mkpath(folder.path());
  EXPECT_TRUE(m_dialog->grab().save(folder.filePath("shortcuts.png")));
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
  EXPECT_TRUE(waitFor([&] { return m_dialog == nullptr; }));
}

TEST_F(ShortcutsDialogTest, it_is_filtered_by_what_a_key_does_and_by_the_key) {
  auto* filter = m_dialog->findChild<QLineEdit*>("shortcutFilter");
  QTest::keyClicks(filter, "newer");
  EXPECT_EQ(shown(), QStringList());
  filter->clear();
  QTest::keyClicks(filter, "f3");
  EXPECT_EQ(shown(), (QStringList{"Finding text", "Next hit", "Previous hit"}));
  filter->clear();
  QTest::keyClicks(filter, "TRASH");
  EXPECT_EQ(shown(), (QStringList{"Library", "Move the chosen model to the trash"}));
}

}  // namespace
}  // namespace headroom::ui
