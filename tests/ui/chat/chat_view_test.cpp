#include "ui/chat/chat_view.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTest>
#include <QTextBrowser>

#include "ui/chat/chat_view_fixture.h"

namespace headroom::ui {
namespace {

class ChatViewTest : public ChatViewFixture {
 protected:
  void fill(int pairs) {
    m_last = appendPairs(m_tree, m_last, pairs);
    show();
  }
};

TEST_F(ChatViewTest, only_rows_near_what_is_seen_have_widgets) {
  fill(500);
  EXPECT_GT(m_view.widgetCount(), 5);
  EXPECT_LT(m_view.widgetCount(), 150);
  m_view.verticalScrollBar()->setValue(0);
  settle();
  m_view.verticalScrollBar()->setValue(m_view.verticalScrollBar()->maximum() / 2);
  settle();
  EXPECT_LT(m_view.widgetCount(), 250);
}

TEST_F(ChatViewTest, another_tree_takes_the_place_of_the_one_that_is_shown) {
  fill(50);
  m_view.verticalScrollBar()->setValue(0);
  settle();
  ChatTree other;
  appendPairs(other, {}, 1);
  m_view.showTree(other);
  settle();
  EXPECT_TRUE(m_view.isAtEnd());
  const int few = m_view.widgetCount();
  EXPECT_GT(few, 0);
  m_view.appendText(m_last, "Late text of the other one.");
  EXPECT_EQ(m_view.widgetCount(), few);
  m_view.showTree(m_tree);
  settle();
  EXPECT_EQ(m_view.verticalScrollBar()->value(), m_view.verticalScrollBar()->maximum());
}

TEST_F(ChatViewTest, it_opens_at_the_newest_turn_and_follows_the_text) {
  fill(50);
  EXPECT_EQ(m_view.verticalScrollBar()->value(), m_view.verticalScrollBar()->maximum());
  const QString text = QString("More text. ").repeated(300);
  m_tree.find(m_last)->state = TurnState::Writing;
  m_tree.find(m_last)->text += text;
  m_view.appendText(m_last, text);
  settle();
  EXPECT_EQ(m_view.verticalScrollBar()->value(), m_view.verticalScrollBar()->maximum());
}

TEST_F(ChatViewTest, what_is_read_stays_in_place_while_text_arrives_below) {
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

TEST_F(ChatViewTest, a_view_that_takes_its_place_shows_the_same_rows) {
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

TEST_F(ChatViewTest, finished_prose_keeps_its_widget_while_text_arrives) {
  fill(1);
  const QString answer = m_tree.append(m_last, Role::Assistant, {}, 0);
  m_tree.find(answer)->state = TurnState::Writing;
  m_view.showPath();
  const auto append = [&](const QString& text) {
    m_tree.find(answer)->text += text;
    m_view.appendText(answer, text);
    settle();
  };
  append("First paragraph.\n\n```py\nx = 1\n```\n\nSecond");
  const auto browsers = m_view.findChildren<QTextBrowser*>();
  QTextBrowser* first = nullptr;
  for (QTextBrowser* browser : browsers) {
    if (browser->toPlainText() == "First paragraph.") first = browser;
  }
  ASSERT_NE(first, nullptr);
  append(" paragraph grows.\n\nThird.");
  EXPECT_TRUE(m_view.findChildren<QTextBrowser*>().contains(first));
}

TEST_F(ChatViewTest, an_answer_that_is_continued_inside_a_fence_goes_on_byte_for_byte) {
  fill(1);
  const QString answer = m_tree.append(m_last, Role::Assistant, "Look:\n\n```cpp\nint fo", 0);
  m_tree.find(answer)->state = TurnState::Stopped;
  m_view.showPath();
  settle();
  m_tree.find(answer)->state = TurnState::Writing;
  const auto append = [&](const QString& text) {
    m_tree.find(answer)->text += text;
    m_view.appendText(answer, text);
    settle();
  };
  append("o = 1;\n\n  ");
  append("x = 2;\n```\nDone");
  m_tree.find(answer)->state = TurnState::Done;
  m_view.refreshTurn(answer);
  settle();
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  QStringList codes;
  for (const QPlainTextEdit* code : m_view.findChildren<QPlainTextEdit*>()) codes.append(code->toPlainText());
  EXPECT_TRUE(codes.contains("int foo = 1;\n\n  x = 2;")) << codes.join(" | ").toStdString();
}

}  // namespace
}  // namespace headroom::ui
