#include "ui/chat/find_bar.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QToolButton>

#include "ui/chat/chat_widget_fixture.h"

namespace headroom::ui {
namespace {

class FindBarTest : public ChatWidgetTest {
 protected:
  void SetUp() override {
    ChatWidgetTest::SetUp();
    m_widget->activateWindow();
    type("What is a cache?");
    answer("The **cache** keeps keys.\n\n```cpp\nint cache = 1;\n```");
    type("And what else?");
    answer("Nothing of a cache.");
  }
  FindBar* bar() { return find<FindBar>("findBar"); }
  QLineEdit* field() { return find<QLineEdit>("findField"); }
  QString count() { return find<QLabel>("findCount")->text(); }
  void open() { QTest::keyClick(m_widget.get(), Qt::Key_F, Qt::ControlModifier); }
};

TEST_F(FindBarTest, a_key_opens_it_and_escape_closes_it_and_gives_the_keyboard_back) {
  EXPECT_FALSE(bar()->isVisible());
  open();
  ASSERT_TRUE(bar()->isVisible());
  EXPECT_TRUE(field()->hasFocus());
  QTest::keyClicks(field(), "cache");
  QTest::keyClick(field(), Qt::Key_Escape);
  EXPECT_FALSE(bar()->isVisible());
  EXPECT_TRUE(find<QPlainTextEdit>("messageEdit")->hasFocus());
  open();
  EXPECT_EQ(field()->selectedText(), "cache") << "what was searched last is there, to be typed over";
  EXPECT_TRUE(count().endsWith("of 4")) << count().toStdString();
}

TEST_F(FindBarTest, keys_go_from_hit_to_hit_and_around_the_ends) {
  open();
  QTest::keyClicks(field(), "cache");
  ASSERT_TRUE(count().endsWith(" of 4")) << count().toStdString();
  const int start = count().section(' ', 0, 0).toInt();
  const auto at = [start](int by) { return QString("%1 of 4").arg((start - 1 + by + 8) % 4 + 1); };
  QTest::keyClick(field(), Qt::Key_Return);
  EXPECT_EQ(count(), at(1));
  QTest::keyClick(field(), Qt::Key_Return, Qt::ShiftModifier);
  EXPECT_EQ(count(), at(0));
  QTest::keyClick(field(), Qt::Key_F3);
  EXPECT_EQ(count(), at(1));
  QTest::keyClick(field(), Qt::Key_F3, Qt::ShiftModifier);
  QTest::keyClick(field(), Qt::Key_F3, Qt::ShiftModifier);
  EXPECT_EQ(count(), at(-1));
  for (int i = 0; i < 4; ++i) find<QToolButton>("findNext")->click();
  EXPECT_EQ(count(), at(-1));
}

TEST_F(FindBarTest, what_is_not_there_is_said_and_the_buttons_rest) {
  open();
  QTest::keyClicks(field(), "elephant");
  EXPECT_EQ(count(), "Nothing found");
  EXPECT_FALSE(find<QToolButton>("findNext")->isEnabled());
  EXPECT_FALSE(find<QToolButton>("findPrevious")->isEnabled());
  QTest::keyClick(field(), Qt::Key_Return);
  field()->clear();
  EXPECT_EQ(count(), "");
}

TEST_F(FindBarTest, the_controls_have_names) {
  for (const char* name : {"findPrevious", "findNext", "findClose"}) {
    EXPECT_FALSE(find<QToolButton>(name)->accessibleName().isEmpty()) << name;
    EXPECT_TRUE(find<QToolButton>(name)->toolTip().startsWith(find<QToolButton>(name)->accessibleName())) << name;
  }
  EXPECT_FALSE(field()->accessibleName().isEmpty());
}

TEST_F(FindBarTest, an_answer_that_arrives_is_counted_and_the_hit_stays) {
  open();
  QTest::keyClicks(field(), "cache");
  const QString place = count().section(' ', 0, 0);
  type("More?");
  answer("A cache, a cache.");
  EXPECT_TRUE(waitFor([&] { return count() == place + " of 6"; })) << count().toStdString();
}

TEST_F(FindBarTest, another_conversation_closes_it) {
  open();
  QTest::keyClicks(field(), "cache");
  find<QPushButton>("newConversation")->click();
  EXPECT_FALSE(bar()->isVisible());
}

TEST_F(FindBarTest, a_conversation_opened_from_a_search_shows_its_first_hit) {
  auto* list = find<QListView>("conversationList");
  find<QPushButton>("newConversation")->click();
  type("Another one");
  answer();
  find<QLineEdit>("conversationSearch")->setText("cache");
  ASSERT_TRUE(waitFor([&] { return list->model()->rowCount() == 1; }));
  emit list->activated(list->model()->index(0, 0));
  ASSERT_TRUE(bar()->isVisible());
  EXPECT_EQ(field()->text(), "cache");
  EXPECT_EQ(count(), "1 of 4");
  find<QToolButton>("findClose")->click();
  EXPECT_FALSE(bar()->isVisible());
  emit list->activated(list->model()->index(0, 0));
  EXPECT_TRUE(bar()->isVisible()) << "the open one, chosen again";
}

TEST_F(FindBarTest, a_conversation_opened_without_a_search_shows_no_bar) {
  auto* list = find<QListView>("conversationList");
  find<QPushButton>("newConversation")->click();
  type("Another one");
  answer();
  emit list->activated(list->model()->index(1, 0));
  EXPECT_FALSE(bar()->isVisible());
}

TEST_F(FindBarTest, screenshots_in_both_themes) {
  open();
  QTest::keyClicks(field(), "cache");
  QTest::keyClick(field(), Qt::Key_F3);
  grab("chat-find-light");
  m_theme.setChoice(ThemeChoice::Dark);
  settle();
  QTest::qWait(50);
  grab("chat-find-dark");
}

}  // namespace
}  // namespace headroom::ui
