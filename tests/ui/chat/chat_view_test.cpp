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

TEST_F(ChatViewTest, another_tree_takes_the_place_of_the_one_that_is_shown) {
  fill(50);
  m_view.verticalScrollBar()->setValue(0);
  settle();
  ChatTree other;
  appendPairs(other, {}, 1);
  m_view.showTree(other, {});
  settle();
  EXPECT_TRUE(m_view.isAtEnd());
  const int few = m_view.widgetCount();
  EXPECT_GT(few, 0);
  m_view.appendText(m_last, "Late text of the other one.");
  EXPECT_EQ(m_view.widgetCount(), few);
  m_view.showTree(m_tree, {});
  settle();
  EXPECT_EQ(m_view.verticalScrollBar()->value(), m_view.verticalScrollBar()->maximum());
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
