#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTest>
#include <QTextBrowser>
#include <QToolButton>

#include "ui/chat/chat_view.h"
#include "ui/chat/sample_pairs.h"

namespace headroom::ui {
namespace {

class ChatThoughtsTest : public testing::Test {
 protected:
  void SetUp() override {
    m_last = appendPairs(m_tree, {}, 1);
    m_answer = m_tree.append(m_last, Role::Assistant, {}, 0);
    answer().state = TurnState::Writing;
    m_view.resize(600, 500);
    m_view.show();
    m_view.showPath();
    settle();
  }
  Turn& answer() { return *m_tree.find(m_answer); }
  void settle() {
    for (int i = 0; i < 20; ++i) QCoreApplication::processEvents();
    ASSERT_TRUE(QTest::qWaitFor([this] { return m_view.isLaidOut(); }, 60'000));
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  }
  void think(const QString& text, qint64 ms) {
    answer().thinking += text;
    answer().thinkingMs = ms;
    m_view.appendThinking(m_answer, text);
    settle();
  }
  void say(const QString& text) {
    answer().text += text;
    m_view.appendText(m_answer, text);
    settle();
  }
  void finish(TurnState state = TurnState::Done) {
    answer().state = state;
    m_view.refreshTurn(m_answer);
    settle();
  }
  QToolButton* fold() const {
    const auto all = m_view.findChildren<QToolButton*>("thinkingFold");
    EXPECT_LE(all.size(), 1);
    return all.isEmpty() ? nullptr : all.first();
  }
  // What stands in views of prose that are named so.
  QString shown(const char* name) const {
    QStringList texts;
    for (const QTextBrowser* view : m_view.findChildren<QTextBrowser*>())
      if (view->accessibleName() == QLatin1StringView(name)) texts.append(view->toPlainText());
    return texts.join('|');
  }
  QString thoughts() const { return shown("What the model thought"); }

  Theme m_theme{ThemeChoice::Light};
  ChatTree m_tree;
  QString m_last, m_answer;
  ChatView m_view{m_tree, m_theme};
};

TEST_F(ChatThoughtsTest, a_thought_is_folded_in_with_its_time_above_the_answer) {
  EXPECT_EQ(fold(), nullptr) << "nothing was thought yet";
  think("Is it?", 0);
  ASSERT_NE(fold(), nullptr);
  EXPECT_EQ(fold()->text(), "Thinking…");
  answer().thinkingMs = 12'000;
  m_view.refreshThinking(m_answer);
  EXPECT_EQ(fold()->text(), "Thinking… 12 s");
  say("It is.");
  EXPECT_EQ(fold()->text(), "Thought for 12 s");
  finish();
  EXPECT_EQ(thoughts(), "");
  EXPECT_TRUE(shown("Text of the message").contains("It is."));
  for (const auto* row : m_view.findChildren<QTextBrowser*>()) {
    if (row->toPlainText() == "It is.") {
      EXPECT_GT(row->parentWidget()->y(), fold()->parentWidget()->y());
    }
  }
}

TEST_F(ChatThoughtsTest, it_is_unfolded_and_read_while_it_grows_and_folded_in_again) {
  think("Is **it**?\n\n```cpp\nint x;\n```\n\nMay", 1000);
  fold()->setFocus();
  QTest::keyClick(fold(), Qt::Key_Space);
  settle();
  EXPECT_TRUE(fold()->isChecked());
  EXPECT_TRUE(fold()->hasFocus()) << "the next press folds it in";
  EXPECT_EQ(thoughts(), "Is it?|May");
  EXPECT_EQ(m_view.findChildren<QPlainTextEdit*>().size(), 2)
      << "the one of the answer before, and that of the thought";
  think(" be.", 2000);
  EXPECT_EQ(thoughts(), "Is it?|May be.");
  say("It is.");
  think(" Or not.", 3000);
  EXPECT_EQ(thoughts(), "Is it?|May be. Or not.") << "a thought that goes on behind an answer";
  finish();
  EXPECT_EQ(thoughts(), "Is it?|May be. Or not.");
  QTest::keyClick(fold(), Qt::Key_Space);
  settle();
  EXPECT_FALSE(fold()->isChecked());
  EXPECT_EQ(thoughts(), "");
  EXPECT_EQ(m_view.findChildren<QPlainTextEdit*>().size(), 1);
}

TEST_F(ChatThoughtsTest, thoughts_stand_in_from_the_answer_and_above_it) {
  think("Is it?", 1000);
  say("It is.");
  finish();
  fold()->click();
  settle();
  const QWidget *thought = nullptr, *said = nullptr;
  for (const auto* view : m_view.findChildren<QTextBrowser*>()) {
    if (view->toPlainText() == "Is it?") thought = view->parentWidget();
    if (view->toPlainText() == "It is.") said = view->parentWidget();
  }
  ASSERT_TRUE(thought != nullptr && said != nullptr);
  EXPECT_GT(thought->x(), said->x());
  EXPECT_EQ(thought->geometry().right(), said->geometry().right());
  EXPECT_LT(thought->geometry().bottom(), said->y());
  EXPECT_GT(thought->y(), fold()->parentWidget()->y());
}

TEST_F(ChatThoughtsTest, what_was_pressed_stays_in_place) {
  think(QString("Is it so? ").repeated(600), 1000);
  say("It is.");
  finish();
  const int before = fold()->mapTo(&m_view, QPoint()).y();
  fold()->click();
  settle();
  EXPECT_EQ(fold()->mapTo(&m_view, QPoint()).y(), before);
  EXPECT_FALSE(m_view.isAtEnd());
  fold()->click();
  settle();
  EXPECT_TRUE(m_view.isAtEnd());
}

TEST_F(ChatThoughtsTest, a_thought_that_never_ended_says_so_by_its_turn) {
  think("Is it?", 5000);
  finish(TurnState::Stopped);
  EXPECT_EQ(fold()->text(), "Thought for 5 s");
  answer().state = TurnState::Writing;
  m_view.showPath();
  settle();
  think(" It may be.", 7000);
  EXPECT_EQ(fold()->text(), "Thinking… 7 s");
  fold()->click();
  settle();
  EXPECT_EQ(thoughts(), "Is it? It may be.");
}

TEST_F(ChatThoughtsTest, a_view_in_the_place_of_another_has_unfolded_what_that_had) {
  think("Is it?", 1000);
  fold()->click();
  settle();
  ChatView another(m_tree, m_theme);
  another.resize(m_view.size());
  another.show();
  another.showPath();
  another.takeOver(m_view.place());
  ASSERT_TRUE(QTest::qWaitFor([&] { return another.isLaidOut(); }, 60'000));
  const auto texts = [&] {
    QStringList shown;
    for (const auto* text : another.findChildren<QTextBrowser*>()) shown << text->toPlainText();
    return shown;
  };
  EXPECT_TRUE(texts().contains("Is it?")) << texts().join(u'|').toStdString();
  m_tree.find(m_answer)->thinking += " May be.";
  another.appendThinking(m_answer, " May be.");
  EXPECT_TRUE(texts().contains("Is it? May be.")) << texts().join(u'|').toStdString();
}

TEST_F(ChatThoughtsTest, another_theme_keeps_what_is_unfolded) {
  think("Is it?", 1000);
  fold()->click();
  settle();
  m_theme.setChoice(ThemeChoice::Dark);
  settle();
  EXPECT_TRUE(fold()->isChecked());
  EXPECT_EQ(thoughts(), "Is it?");
}

}  // namespace
}  // namespace headroom::ui
