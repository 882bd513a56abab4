#include "ui/chat/chat_sides.h"

#include <gtest/gtest.h>

#include <QListView>
#include <QSplitter>
#include <QTest>
#include <QToolButton>

#include "ui/chat/chat_pixels.h"
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
  EXPECT_TRUE(list->geometry().contains(QRect(composer->mapTo(m_widget.get(), QPoint()), composer->size())));
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

class ChatSidesTest : public ChatWidgetTest {
 protected:
  void SetUp() override {
    ChatWidgetTest::SetUp();
    m_widget->resize(1200, 700);
    find<QToolButton>("toggleChatSettings")->click();
    settle();
  }
  QSplitterHandle* handleBeside(QWidget* column) {
    auto* columns = find<QSplitter>("chatColumns");
    const int at = columns->indexOf(column);
    return columns->handle(at == 0 ? 1 : at);
  }
  void drag(QWidget* column, int px) {
    QSplitterHandle* handle = handleBeside(column);
    const QPoint from = handle->rect().center();
    QTest::mousePress(handle, Qt::LeftButton, {}, from);
    QTest::mouseMove(handle, from + QPoint(px, 0));
    QTest::mouseRelease(handle, Qt::LeftButton, {}, handle->mapFromGlobal(handle->mapToGlobal(from)));
    settle();
  }
  QWidget* list() { return find<QWidget>("conversationPane"); }
  QWidget* panel() { return find<QWidget>("chatSettingsArea"); }
  QWidget* middle() { return find<QWidget>("composer")->parentWidget(); }
};

TEST_F(ChatSidesTest, widths_are_dragged_and_come_back_at_the_next_start) {
  EXPECT_EQ(list()->width(), 190);
  EXPECT_EQ(panel()->width(), 280);
  drag(list(), 60);
  EXPECT_EQ(list()->width(), 250);
  EXPECT_EQ(panel()->width(), 280) << "the messages gave the room";
  drag(panel(), -40);
  EXPECT_EQ(panel()->width(), 320);
  EXPECT_EQ(m_settings.chat().listWidth, 250);
  EXPECT_EQ(m_settings.chat().panelWidth, 320);
  grab("chat_sides_dragged");
  ChatWidgetTest::SetUp();
  m_widget->resize(1200, 700);
  settle();
  EXPECT_EQ(list()->width(), 250);
  EXPECT_EQ(panel()->width(), 320);
}

TEST_F(ChatSidesTest, no_column_is_dragged_below_what_it_needs) {
  drag(list(), -500);
  EXPECT_EQ(list()->width(), 150);
  drag(panel(), 500);
  EXPECT_EQ(panel()->width(), 280);
  drag(list(), 2000);
  EXPECT_EQ(middle()->width(), kMiddlePx);
}

TEST_F(ChatSidesTest, a_side_gives_room_before_it_goes_and_has_it_back) {
  drag(list(), 210);
  EXPECT_EQ(list()->width(), 400);
  m_widget->resize(900, 700);
  settle();
  EXPECT_EQ(middle()->width(), kMiddlePx);
  EXPECT_EQ(list()->width(), 900 - 2 * kMarginPx - kMiddlePx - 280 - 2 * kSpacingPx);
  drag(panel(), -20);
  EXPECT_EQ(m_settings.chat().listWidth, 900 - 2 * kMarginPx - kMiddlePx - 300 - 2 * kSpacingPx)
      << "it was pushed aside by hand";
  drag(list(), 0);
  m_widget->resize(1200, 700);
  settle();
  EXPECT_EQ(panel()->width(), 300);
}

TEST_F(ChatSidesTest, narrowed_by_the_window_alone_a_width_is_kept) {
  drag(list(), 210);
  m_widget->resize(900, 700);
  settle();
  m_widget->resize(430, 700);
  settle();
  EXPECT_FALSE(list()->isVisible());
  find<QToolButton>("toggleConversations")->click();
  EXPECT_EQ(list()->width(), 430 - 2 * kMarginPx) << "in the place of the messages it has all of the pane";
  m_widget->resize(1200, 700);
  settle();
  EXPECT_EQ(list()->width(), 400);
  EXPECT_EQ(m_settings.chat().listWidth, 400);
}

TEST_F(ChatSidesTest, a_width_holds_as_many_letters_at_another_text_size) {
  drag(list(), 60);
  m_widget->resize(2000, 900);
  m_theme.setAppearance({.textPercent = 200});
  settle();
  EXPECT_EQ(list()->width(), 500);
  EXPECT_EQ(panel()->width(), 560);
  drag(list(), 100);
  EXPECT_EQ(m_settings.chat().listWidth, 300);
  m_theme.setAppearance({});
}

TEST_F(ChatSidesTest, a_handle_says_what_it_does_and_shows_under_the_mouse) {
  EXPECT_EQ(handleBeside(list())->accessibleName(), "Width of the conversations");
  EXPECT_EQ(handleBeside(panel())->accessibleName(), "Width of the options");
  for (QWidget* column : {list(), panel()}) {
    EXPECT_EQ(handleBeside(column)->width(), kSpacingPx);
    EXPECT_EQ(handleBeside(column)->cursor().shape(), Qt::SplitHCursor);
  }
  m_widget->resize(430, 700);
  settle();
  find<QToolButton>("toggleConversations")->click();
  find<QToolButton>("toggleConversations")->click();
  m_widget->resize(1200, 700);
  settle();
  EXPECT_EQ(handleBeside(list())->accessibleName(), "Width of the conversations") << "also after it was made anew";
}

}  // namespace
}  // namespace headroom::ui
