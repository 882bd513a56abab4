#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QScrollBar>
#include <QTest>
#include <QTextEdit>

#include "ui/chat/chat_view.h"
#include "ui/chat/chat_view_fixture.h"

namespace headroom::ui {
namespace {

class ChatViewLayoutTest : public ChatViewFixture {
 protected:
  void fill(int pairs) {
    m_last = appendPairs(m_tree, m_last, pairs);
    show();
  }
};

TEST_F(ChatViewLayoutTest, only_rows_near_what_is_seen_have_widgets) {
  fill(500);
  EXPECT_GT(m_view.widgetCount(), 5);
  EXPECT_LT(m_view.widgetCount(), 150);
  m_view.verticalScrollBar()->setValue(0);
  settle();
  m_view.verticalScrollBar()->setValue(m_view.verticalScrollBar()->maximum() / 2);
  settle();
  EXPECT_LT(m_view.widgetCount(), 250);
}

TEST_F(ChatViewLayoutTest, it_opens_at_the_newest_turn_and_follows_the_text) {
  fill(50);
  EXPECT_EQ(m_view.verticalScrollBar()->value(), m_view.verticalScrollBar()->maximum());
  const QString text = QString("More text. ").repeated(300);
  m_tree.find(m_last)->state = TurnState::Writing;
  m_tree.find(m_last)->text += text;
  m_view.appendText(m_last, text);
  settle();
  EXPECT_EQ(m_view.verticalScrollBar()->value(), m_view.verticalScrollBar()->maximum());
}

TEST_F(ChatViewLayoutTest, what_is_read_stays_in_place_while_text_arrives_below) {
  fill(50);
  m_view.verticalScrollBar()->setValue(m_view.verticalScrollBar()->maximum() / 3);
  settle();
  const int seen = m_view.verticalScrollBar()->value();
  m_tree.find(m_last)->text += "\n\nmore";
  m_view.appendText(m_last, "\n\nmore");
  settle();
  EXPECT_EQ(m_view.verticalScrollBar()->value(), seen);
  EXPECT_FALSE(m_view.isAtEnd());
  m_view.scrollToEnd();
  settle();
  EXPECT_EQ(m_view.verticalScrollBar()->value(), m_view.verticalScrollBar()->maximum());
}

TEST_F(ChatViewLayoutTest, a_view_that_takes_its_place_shows_the_same_rows) {
  fill(40);
  QScrollBar* bar = m_view.verticalScrollBar();
  bar->setValue(bar->maximum() / 3);
  settle();
  const auto seen = [](const ChatView& view) {
    QStringList texts;
    for (const auto* text : view.findChildren<QTextEdit*>()) {
      if (text->isVisible())
        texts << QStringLiteral("%1 %2").arg(text->mapTo(&view, QPoint()).y()).arg(text->toPlainText());
    }
    texts.sort();
    return texts;
  };
  ChatView another(m_tree, m_theme);
  another.resize(600, 500);
  another.show();
  another.showPath();
  another.takeOver(m_view.place());
  for (int i = 0; i < 20; ++i) QCoreApplication::processEvents();
  ASSERT_TRUE(QTest::qWaitFor([&] { return another.isLaidOut(); }, 60'000));
  EXPECT_FALSE(another.isAtEnd());
  EXPECT_FALSE(seen(m_view).isEmpty());
  EXPECT_EQ(seen(another).join(u'\n').toStdString(), seen(m_view).join(u'\n').toStdString());
}

}  // namespace
}  // namespace headroom::ui
