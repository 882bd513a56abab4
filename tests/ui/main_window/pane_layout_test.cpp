#include "ui/main_window/pane_layout.h"

#include <QAction>
#include <QDockWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QWindow>

#include "support/fake_conversation_port.h"
#include "tests/ui/main_window/window_fixture.h"
#include "ui/chat/chat_widget.h"

namespace headroom::ui {
namespace {

class PaneLayoutTest : public WindowFixture {
 protected:
  bool isShown(const char* dock) { return find<QDockWidget>(dock)->isVisible(); }
  bool isChatShown() { return m_window->centralWidget()->isVisible(); }
  QAction* paneAction(int index) {
    for (QAction* action : m_window->findChildren<QAction*>()) {
      if (action->shortcut() == QKeySequence(QStringLiteral("Ctrl+%1").arg(index))) return action;
    }
    ADD_FAILURE() << "no shortcut for pane " << index;
    return nullptr;
  }
  void resizeTo(int widthPx) {
    m_window->resize(widthPx, 800);
    ASSERT_TRUE(waitFor([&] { return m_window->width() == widthPx; })) << m_window->width();
  }
  // The border between two panes at `x`, by so many pixels to the right.
  void dragBorder(int x, int byPx) {
    QWindow* window = m_window->windowHandle();
    QTest::mouseMove(window, {x, 400});
    QTest::mousePress(window, Qt::LeftButton, {}, {x, 400});
    QTest::mouseMove(window, {x + byPx / 2, 400});
    QTest::mouseMove(window, {x + byPx, 400});
    QTest::qWait(20);
    QTest::mouseRelease(window, Qt::LeftButton, {}, {x + byPx, 400});
  }
  void startAgain() {
    m_window->close();
    const WindowSettings kept = m_settings->window();
    makeWindow(kept, ModelMemory(m_controller->memory()));
  }
};

TEST_F(PaneLayoutTest, the_first_start_shows_all_and_later_ones_the_chat_until_the_user_opens_a_pane) {
  EXPECT_TRUE(isShown("memoryDock"));
  EXPECT_TRUE(isShown("vramDock"));
  startAgain();
  EXPECT_FALSE(isShown("memoryDock"));
  EXPECT_FALSE(isShown("vramDock"));
  EXPECT_TRUE(isChatShown());
  paneAction(2)->trigger();
  EXPECT_TRUE(isShown("vramDock"));
  startAgain();
  EXPECT_FALSE(isShown("memoryDock"));
  EXPECT_TRUE(isShown("vramDock")) << "who wants the dashboard has it";
}

TEST_F(PaneLayoutTest, the_cross_of_a_pane_is_the_users_choice_and_its_action_opens_it_again) {
  find<QDockWidget>("memoryDock")->close();
  ASSERT_TRUE(waitFor([&] { return m_settings->window().panes.has_value(); }));
  EXPECT_EQ(*m_settings->window().panes, (Panes{false, true}));
  EXPECT_FALSE(paneAction(1)->isChecked());
  paneAction(1)->trigger();
  EXPECT_TRUE(isShown("memoryDock"));
  EXPECT_TRUE(paneAction(1)->isChecked());
}

TEST_F(PaneLayoutTest, larger_text_takes_the_room_of_panes_and_gives_it_back) {
  m_window->resize(1366, 768);
  EXPECT_TRUE(isShown("memoryDock") && isShown("vramDock"));
  for (int i = 0; i < 5; ++i) find<QAction>("actionLarger")->trigger();
  EXPECT_EQ(m_settings->appearance().textPercent, 200);
  EXPECT_TRUE(waitFor([&] { return !isShown("memoryDock") && !isShown("vramDock"); })) << "683 pixels of usual text";
  EXPECT_TRUE(isChatShown());
  EXPECT_EQ(m_window->width(), 1366);
  find<QAction>("actionUsualSize")->trigger();
  EXPECT_TRUE(waitFor([&] { return isShown("memoryDock") && isShown("vramDock"); }));
}

TEST_F(PaneLayoutTest, a_reset_opens_what_was_closed_and_the_next_start_knows) {
  paneAction(1)->trigger();
  ASSERT_EQ(m_settings->window().panes, (Panes{false, true}));
  find<QAction>("actionResetDocks")->trigger();
  EXPECT_TRUE(isShown("memoryDock"));
  EXPECT_EQ(m_settings->window().panes, (Panes{true, true}));
}

TEST_F(PaneLayoutTest, places_that_cannot_be_read_leave_closed_what_the_user_closed) {
  WindowSettings settings;
  settings.docks = "of another version";
  settings.panes = Panes{false, true};
  makeWindow(settings);
  EXPECT_FALSE(isShown("memoryDock"));
  EXPECT_TRUE(isShown("vramDock"));
}

TEST_F(PaneLayoutTest, a_pane_that_is_opened_beside_a_plan_makes_no_choice_of_the_plan) {
  startAgain();
  dropAndWait(kSmall);
  ASSERT_TRUE(isShown("memoryDock"));
  paneAction(2)->trigger();
  EXPECT_EQ(m_settings->window().panes, (Panes{false, true}));
  EXPECT_TRUE(isShown("memoryDock")) << "until it is loaded";
}

TEST_F(PaneLayoutTest, panes_fold_where_there_is_no_room_and_come_back_with_it) {
  resizeTo(1440);
  resizeTo(1099);
  EXPECT_TRUE(isShown("memoryDock"));
  EXPECT_FALSE(isShown("vramDock"));
  resizeTo(640);
  EXPECT_FALSE(isShown("memoryDock"));
  EXPECT_TRUE(isChatShown());
  EXPECT_FALSE(m_settings->window().panes) << "folding is no choice";
  resizeTo(1440);
  EXPECT_TRUE(isShown("memoryDock"));
  EXPECT_TRUE(isShown("vramDock"));
}

TEST_F(PaneLayoutTest, a_laptops_screen_at_twice_the_size_has_room_for_the_chat) {
  test::FakeConversationPort store;
  ChatSessions sessions(m_engine, store, *m_settings);
  m_window->setChatWidget(new ChatWidget(sessions, store, m_theme));
  m_window->resize(683, 384);
  ASSERT_TRUE(waitFor([&] { return m_window->size() == QSize(683, 384); }));
  const auto* edit = find<QPlainTextEdit>("messageEdit");
  EXPECT_TRUE(waitFor([&] {
    return m_window->rect().contains(QRect(edit->mapTo(m_window.get(), QPoint()), edit->size()));
  })) << edit->mapTo(m_window.get(), QPoint()).y();
  EXPECT_GE(edit->height(), 20);
  m_window->setChatWidget(new QWidget);
}

TEST_F(PaneLayoutTest, in_a_narrow_window_a_pane_that_is_called_for_takes_the_place_of_the_chat_until_escape) {
  test::FakeConversationPort store;
  ChatSessions sessions(m_engine, store, *m_settings);
  m_window->setChatWidget(new ChatWidget(sessions, store, m_theme));
  resizeTo(640);
  paneAction(1)->trigger();
  EXPECT_TRUE(isShown("memoryDock"));
  EXPECT_FALSE(isChatShown());
  QTest::keyClick(m_window.get(), Qt::Key_Escape);
  EXPECT_FALSE(isShown("memoryDock"));
  EXPECT_TRUE(isChatShown());
  paneAction(2)->trigger();
  EXPECT_TRUE(isShown("vramDock"));
  paneAction(1)->trigger();
  EXPECT_TRUE(isShown("memoryDock"));
  EXPECT_FALSE(isShown("vramDock"));
  resizeTo(800);
  EXPECT_TRUE(isShown("memoryDock"));
  EXPECT_TRUE(isChatShown()) << "there is room for both";
  m_window->setChatWidget(new QWidget);
}

TEST_F(PaneLayoutTest, a_plan_that_is_to_be_looked_at_opens_memory_and_its_load_gives_the_chat_the_room_back) {
  startAgain();
  dropAndWait(kSmall);
  EXPECT_TRUE(isShown("memoryDock"));
  find<QPushButton>("loadButton")->click();
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kSmall]));
  EXPECT_FALSE(isShown("memoryDock"));
  paneAction(1)->trigger();
  dropAndWait(kLarge);
  find<QPushButton>("loadButton")->click();
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kLarge]));
  EXPECT_TRUE(isShown("memoryDock")) << "the user opened it himself";
}

TEST_F(PaneLayoutTest, the_widths_that_were_dragged_are_those_of_the_next_start_also_of_a_pane_that_is_folded) {
  resizeTo(1500);
  dragBorder(find<QDockWidget>("memoryDock")->geometry().right() + 4, 390 - find<QDockWidget>("memoryDock")->width());
  dragBorder(find<QDockWidget>("vramDock")->geometry().left() - 4, find<QDockWidget>("vramDock")->width() - 333);
  ASSERT_EQ(find<QDockWidget>("memoryDock")->width(), 390);
  ASSERT_EQ(find<QDockWidget>("vramDock")->width(), 333);
  resizeTo(700);
  startAgain();
  resizeTo(1500);
  paneAction(1)->trigger();
  paneAction(2)->trigger();
  ASSERT_TRUE(waitFor([&] { return find<QDockWidget>("vramDock")->width() == 333; }))
      << find<QDockWidget>("vramDock")->width();
  EXPECT_EQ(find<QDockWidget>("memoryDock")->width(), 390);
}

}  // namespace
}  // namespace headroom::ui
