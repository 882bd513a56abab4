#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTest>
#include <QTextBrowser>

#include "ui/chat/chat_view_fixture.h"

namespace headroom::ui {
namespace {

class ChatViewFindTest : public ChatViewFixture {
 protected:
  void SetUp() override { m_last = appendPairs(m_tree, {}, 20); }
  void add(Role role, const QString& text) { m_last = m_tree.append(m_last, role, text, 0); }
  // The backgrounds of all marks that are seen, with the marked texts.
  template <class View>
  QStringList marksOf(const QColor& background) const {
    QStringList texts;
    for (const View* view : m_view.findChildren<View*>()) {
      if (!view->isVisible()) continue;
      for (const QTextEdit::ExtraSelection& mark : view->extraSelections()) {
        if (mark.format.background().color() == background) texts.append(mark.cursor.selectedText());
      }
    }
    return texts;
  }
};

TEST_F(ChatViewFindTest, a_hit_far_away_is_scrolled_to_and_marked) {
  add(Role::User, "Where is the needle?");
  const QString asked = m_last;
  m_last = appendPairs(m_tree, m_last, 40);
  show();
  EXPECT_TRUE(m_view.isAtEnd());
  m_view.markFound("needle", asked, {static_cast<int>(m_tree.path().indexOf(asked)), 0, 0});
  m_view.scrollToFound();
  settle();
  EXPECT_FALSE(m_view.isAtEnd());
  EXPECT_EQ(marksOf<QTextBrowser>(m_theme.tokens().foundNow), QStringList{"needle"});
  m_view.markFound({}, {}, {});
  EXPECT_TRUE(marksOf<QTextBrowser>(m_theme.tokens().foundNow).isEmpty());
}

TEST_F(ChatViewFindTest, a_hit_deep_in_a_long_message_is_seen) {
  add(Role::User, QString("A line.\n").repeated(900) + "needle\n" + QString("A line.\n").repeated(90));
  const QString asked = m_last;
  m_last = appendPairs(m_tree, m_last, 10);
  show();
  int piece = 0;
  for (const PlainPiece& each : plainPieces(m_tree.find(asked)->text)) {
    if (m_tree.find(asked)->text.mid(each.start, each.length).contains("needle")) break;
    ++piece;
  }
  m_view.markFound("needle", asked, {static_cast<int>(m_tree.path().indexOf(asked)), piece, 0});
  m_view.scrollToFound();
  settle();
  for (const QTextBrowser* browser : m_view.findChildren<QTextBrowser*>()) {
    if (!browser->isVisible() || browser->extraSelections().isEmpty()) continue;
    const QPoint at =
        browser->mapTo(m_view.viewport(), browser->cursorRect(browser->extraSelections()[0].cursor).center());
    EXPECT_GT(at.y(), 0);
    EXPECT_LT(at.y(), m_view.viewport()->height());
    return;
  }
  FAIL() << "no mark is seen";
}

TEST_F(ChatViewFindTest, code_is_marked_and_its_hit_is_scrolled_to_sideways) {
  add(Role::Assistant, "Look:\n\n```\n" + QString("x").repeated(400) + " needle\nneedle\n```\n");
  show();
  m_view.markFound("needle", m_last, {static_cast<int>(m_tree.path().size()) - 1, 1, 0});
  m_view.scrollToFound();
  settle();
  EXPECT_EQ(marksOf<QPlainTextEdit>(m_theme.tokens().foundNow), QStringList{"needle"});
  EXPECT_EQ(marksOf<QPlainTextEdit>(m_theme.tokens().found), QStringList{"needle"});
  for (const auto* code : m_view.findChildren<QPlainTextEdit*>()) {
    if (code->extraSelections().size() != 2) continue;
    EXPECT_GT(code->horizontalScrollBar()->value(), 0);
  }
}

TEST_F(ChatViewFindTest, a_hit_that_is_seen_already_moves_nothing) {
  add(Role::User, "A needle and a needle.");
  const QString asked = m_last;
  m_last = appendPairs(m_tree, m_last, 10);
  show();
  const int turn = static_cast<int>(m_tree.path().indexOf(asked));
  m_view.markFound("needle", asked, {turn, 0, 0});
  m_view.scrollToFound();
  settle();
  m_view.verticalScrollBar()->setValue(m_view.verticalScrollBar()->value() - 60);
  settle();
  const int seen = m_view.verticalScrollBar()->value();
  m_view.markFound("needle", asked, {turn, 0, 1});
  m_view.scrollToFound();
  settle();
  EXPECT_EQ(m_view.verticalScrollBar()->value(), seen);
}

TEST_F(ChatViewFindTest, text_that_arrives_is_marked_too) {
  add(Role::Assistant, "A needle");
  m_tree.find(m_last)->state = TurnState::Writing;
  show();
  m_view.markFound("needle", {}, {});
  EXPECT_EQ(marksOf<QTextBrowser>(m_theme.tokens().found).size(), 1);
  m_tree.find(m_last)->text += " and a needle";
  m_view.appendText(m_last, " and a needle");
  settle();
  EXPECT_EQ(marksOf<QTextBrowser>(m_theme.tokens().found).size(), 2);
}

TEST_F(ChatViewFindTest, another_theme_keeps_the_marks) {
  add(Role::User, "A needle.");
  show();
  m_view.markFound("needle", {}, {});
  m_theme.setChoice(ThemeChoice::Dark);
  settle();
  EXPECT_EQ(marksOf<QTextBrowser>(m_theme.tokens().found).size(), 1);
}

TEST_F(ChatViewFindTest, a_turn_that_is_gone_is_not_gone_to) {
  show();
  m_view.markFound("needle", "nobody", {3, 0, 0});
  m_view.scrollToFound();
  EXPECT_TRUE(m_view.isAtEnd());
}

}  // namespace
}  // namespace headroom::ui
