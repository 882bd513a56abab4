#include "ui/main_window/window_menus.h"

#include <gtest/gtest.h>

#include <QMenu>
#include <QMenuBar>
#include <QSet>
#include <QSignalSpy>

namespace headroom::ui {
namespace {

class WindowMenusTest : public testing::Test {
 protected:
  QAction* action(const char* name) {
    auto* found = m_window.findChild<QAction*>(QLatin1String(name));
    if (found == nullptr) found = m_menus.findChild<QAction*>(QLatin1String(name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  QMenu* recent() { return m_window.findChild<QMenu*>("menuRecent"); }

  QMainWindow m_window;
  QAction* m_pane = new QAction("Memory", &m_window);
  WindowMenus m_menus{m_window, {m_pane}};
};

TEST_F(WindowMenusTest, recent_files_are_chosen_by_number_and_keep_their_names) {
  EXPECT_FALSE(recent()->isEnabled()) << "there are none";
  QStringList files{"/m/R&D.gguf"};
  for (int i = 2; i <= 11; ++i) files.append(QStringLiteral("/m/%1.gguf").arg(i));
  m_menus.setRecentFiles(files);
  EXPECT_TRUE(recent()->isEnabled());
  const QList<QAction*> actions = recent()->actions();
  EXPECT_EQ(actions[0]->text(), "&1  R&&D.gguf");
  EXPECT_EQ(actions[8]->text(), "&9  9.gguf");
  EXPECT_EQ(actions[9]->text(), "10.gguf") << "ten would be 1 again";
  QSignalSpy chosen(&m_menus, &WindowMenus::recentChosen), cleared(&m_menus, &WindowMenus::recentCleared);
  actions[0]->trigger();
  ASSERT_EQ(chosen.count(), 1);
  EXPECT_EQ(chosen[0][0].toString(), "/m/R&D.gguf");
  actions.last()->trigger();
  EXPECT_EQ(cleared.count(), 1);
  m_menus.setRecentFiles({});
  EXPECT_FALSE(recent()->isEnabled());
}

TEST_F(WindowMenusTest, one_theme_is_checked_and_choosing_tells_it) {
  m_menus.setAppearance({.theme = ThemeChoice::Dark});
  QSignalSpy chosen(&m_menus, &WindowMenus::themeChosen);
  auto* group = m_menus.findChild<QActionGroup*>();
  EXPECT_EQ(group->checkedAction()->text(), "&Dark");
  EXPECT_EQ(chosen.count(), 0) << "what the program sets is not told";
  group->actions()[1]->trigger();
  ASSERT_EQ(chosen.count(), 1);
  EXPECT_EQ(chosen[0][0].value<ThemeChoice>(), ThemeChoice::Light);
}

TEST_F(WindowMenusTest, the_size_of_text_goes_by_steps_and_stops_at_either_end) {
  QSignalSpy chosen(&m_menus, &WindowMenus::textSizeChosen);
  m_menus.setAppearance({.textPercent = 125});
  action("actionLarger")->trigger();
  action("actionSmaller")->trigger();
  action("actionUsualSize")->trigger();
  EXPECT_EQ(chosen, (QList<QVariantList>{{150}, {110}, {100}}));
  m_menus.setAppearance({.textPercent = 200});
  EXPECT_FALSE(action("actionLarger")->isEnabled());
  m_menus.setAppearance({.textPercent = 80});
  EXPECT_FALSE(action("actionSmaller")->isEnabled());
  m_menus.setAppearance({});
  EXPECT_FALSE(action("actionUsualSize")->isEnabled());
}

TEST_F(WindowMenusTest, what_has_no_object_cannot_be_chosen) {
  EXPECT_FALSE(action("actionClose")->isEnabled());
  m_menus.setModelOpen(true);
  EXPECT_TRUE(action("actionClose")->isEnabled());
  EXPECT_FALSE(action("actionVerify")->isEnabled());
  m_menus.setVerifyAvailable(true);
  EXPECT_TRUE(action("actionVerify")->isEnabled());
  EXPECT_TRUE(action("actionReport")->isEnabled()) << "also without a model";
  m_menus.setStarterAvailable(false);
  EXPECT_FALSE(action("actionStarter")->isVisible());
}

TEST_F(WindowMenusTest, no_two_actions_share_their_keys) {
  QSet<QKeySequence> keys;
  int n = 0;
  for (const QMenu* menu : m_window.findChildren<QMenu*>()) {
    for (const QAction* each : menu->actions()) {
      if (each->shortcut().isEmpty()) continue;
      keys.insert(each->shortcut());
      ++n;
    }
  }
  EXPECT_GE(n, 4);
  EXPECT_EQ(keys.size(), n);
}

}  // namespace
}  // namespace headroom::ui
