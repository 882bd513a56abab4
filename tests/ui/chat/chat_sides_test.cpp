#include "ui/chat/chat_sides.h"

#include <gtest/gtest.h>

#include <QListView>
#include <QTest>
#include <QToolButton>

#include "ui/chat/chat_widget_fixture.h"

namespace headroom::ui {
namespace {

TEST_F(ChatWidgetTest, a_narrow_pane_shows_a_side_in_the_place_of_the_chat) {
  type("About memory");
  answer();
  auto* list = find<QWidget>("conversationPane");
  auto* panel = find<QWidget>("chatSettingsArea");
  auto* composer = find<QWidget>("composer");
  EXPECT_TRUE(list->isVisible());
  m_widget->resize(430, 700);
  settle();
  EXPECT_FALSE(list->isVisible());
  find<QToolButton>("toggleConversations")->click();
  EXPECT_TRUE(list->isVisible());
  EXPECT_TRUE(list->geometry().contains(composer->geometry().translated(composer->parentWidget()->pos())));
  find<QToolButton>("toggleChatSettings")->click();
  EXPECT_FALSE(list->isVisible());
  EXPECT_TRUE(panel->isVisible());
  QTest::keyClick(panel, Qt::Key_Escape);
  EXPECT_FALSE(panel->isVisible());
  find<QToolButton>("toggleConversations")->click();
  auto* rows = find<QListView>("conversationList");
  emit rows->activated(rows->model()->index(0, 0));
  EXPECT_FALSE(list->isVisible()) << "something was chosen";
  m_widget->resize(900, 700);
  settle();
  EXPECT_TRUE(list->isVisible()) << "what was chosen for a wide pane is kept";
  EXPECT_LE(list->geometry().right(), composer->parentWidget()->geometry().left());
}

TEST_F(ChatWidgetTest, where_one_side_has_room_the_one_called_last_has_it) {
  m_widget->resize(700, 700);
  settle();
  auto* list = find<QWidget>("conversationPane");
  auto* panel = find<QWidget>("chatSettingsArea");
  auto* composer = find<QWidget>("composer");
  EXPECT_TRUE(list->isVisible());
  find<QToolButton>("toggleChatSettings")->click();
  EXPECT_TRUE(panel->isVisible() && !list->isVisible());
  find<QToolButton>("toggleConversations")->click();
  EXPECT_TRUE(list->isVisible() && !panel->isVisible());
  EXPECT_LE(list->geometry().right(), composer->parentWidget()->geometry().left()) << "beside the chat, not over it";
  // The list alone would fit here: under the settings, which do not, it is not seen.
  m_widget->resize(600, 700);
  settle();
  find<QToolButton>("toggleChatSettings")->click();
  EXPECT_TRUE(panel->isVisible() && !list->isVisible());
}

}  // namespace
}  // namespace headroom::ui
