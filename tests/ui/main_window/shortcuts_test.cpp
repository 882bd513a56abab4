#include "ui/main_window/shortcuts.h"

#include <QAbstractButton>
#include <QAction>
#include <QShortcut>

#include "tests/ui/main_window/whole_window.h"
#include "ui/keys/view_keys.h"

namespace headroom::ui {
namespace {

class ShortcutsTest : public WholeWindow {
 protected:
  void SetUp() override {
    WholeWindow::SetUp();
    addPlaces();
  }
  // What is listed in all groups, as "Conversation | Send the message | Ctrl+Return or Ctrl+Enter".
  QStringList listed() const {
    QStringList lines;
    for (const ShortcutGroup& group : shortcutsOf(*m_window)) {
      for (const Shortcut& shortcut : group.shortcuts)
        lines << QStringList{group.name, shortcut.text, shortcut.keys}.join(QStringLiteral(" | "));
    }
    return lines;
  }
  // Among the keys of some line.
  bool isListed(const QKeySequence& keys) const {
    const QString name = keys.toString(QKeySequence::NativeText);
    for (const ShortcutGroup& group : shortcutsOf(*m_window)) {
      for (const Shortcut& shortcut : group.shortcuts) {
        if (shortcut.keys.split(QStringLiteral(" or ")).contains(name)) return true;
      }
    }
    return false;
  }
};

TEST_F(ShortcutsTest, every_action_shortcut_and_button_of_the_window_that_has_keys_is_listed) {
  QList<QKeySequence> keys;
  for (const QAction* action : m_window->findChildren<QAction*>()) keys += action->shortcuts();
  EXPECT_GE(keys.size(), 12) << "those of the menus";
  const auto nActions = keys.size();
  for (const QShortcut* shortcut : m_window->findChildren<QShortcut*>()) keys += shortcut->keys();
  EXPECT_GE(keys.size(), nActions + 4) << "to find, to go on, back, a new conversation";
  for (const QAbstractButton* button : m_window->findChildren<QAbstractButton*>()) {
    // Alt and a letter is underlined where it stands.
    if (button->shortcut() != QKeySequence::mnemonic(button->text())) keys.append(button->shortcut());
  }
  for (const QKeySequence& each : keys) EXPECT_TRUE(isListed(each)) << each.toString().toStdString();
}

TEST_F(ShortcutsTest, menus_come_with_their_names_and_then_what_the_views_do) {
  const QStringList lines = listed();
  EXPECT_TRUE(lines.contains("File | Open model | Ctrl+O")) << lines.join('\n').toStdString();
  EXPECT_TRUE(lines.contains("View | Text size: Larger | Ctrl++ or Ctrl+=")) << lines.join('\n').toStdString();
  EXPECT_TRUE(lines.contains("Help | Keyboard shortcuts | F1 or Ctrl+?")) << lines.join('\n').toStdString();
  EXPECT_TRUE(lines.contains("Conversation | Begin a new line | Shift+Return or Shift+Enter"))
      << lines.join('\n').toStdString();
  for (const ViewKeyRow& row : viewKeyRows())
    EXPECT_EQ(lines.filter(row.place + QStringLiteral(" | ") + row.text + QStringLiteral(" | ")).size(), 1)
        << row.text.toStdString();
}

TEST_F(ShortcutsTest, keys_that_were_changed_are_listed_as_they_are) {
  find<QAction>("actionSettings")->setShortcut(QKeySequence(QStringLiteral("Ctrl+Alt+P")));
  EXPECT_TRUE(listed().contains("File | Settings | Ctrl+Alt+P"));
}

}  // namespace
}  // namespace headroom::ui
