// What the pane says of the model and of what goes on, and messages that are sent while the first model is loaded.
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>

#include "ui/chat/chat_sessions.h"
#include "ui/chat/chat_widget_fixture.h"

namespace headroom::ui {
namespace {

TEST_F(ChatWidgetTest, a_question_that_waits_for_a_load_says_so) {
  m_widget->setOpenModel("Other", true);
  auto* edit = find<QPlainTextEdit>("messageEdit");
  edit->setPlainText("question");
  QTest::keyClick(edit, Qt::Key_Return);
  EXPECT_TRUE(find<QLabel>("chatStatus")->text().startsWith("Waiting for the model"));
  m_widget->setOpenModel("Other", false);
  EXPECT_TRUE(find<QLabel>("chatStatus")->text().startsWith("Reading"));
}

TEST_F(ChatWidgetTest, a_message_that_is_sent_while_the_first_model_is_loaded_goes_out_with_it) {
  m_engine.sendUnloaded();
  m_widget->setOpenModel("First", true);
  auto* edit = find<QPlainTextEdit>("messageEdit");
  EXPECT_EQ(edit->placeholderText(), "Write a message");
  const auto asked = m_engine.generates.size();
  edit->setPlainText("question");
  QTest::keyClick(edit, Qt::Key_Return);
  EXPECT_EQ(find<QLabel>("chatStatus")->text(), "Sent once a model is loaded…");
  EXPECT_EQ(edit->toPlainText(), "question");
  edit->setPlainText("better question");
  EXPECT_EQ(find<QLabel>("chatStatus")->text(), "") << "half a sentence does not go out";
  QTest::keyClick(edit, Qt::Key_Return);
  EXPECT_EQ(m_engine.generates.size(), asked);
  m_widget->setOpenModel("First", false);
  m_engine.sendLoaded("First", 4096);
  ASSERT_EQ(m_engine.generates.size(), asked + 1);
  EXPECT_EQ(m_engine.generates.back().request.messages.back().content, "better question");
  EXPECT_EQ(edit->toPlainText(), "");
}

TEST_F(ChatWidgetTest, a_message_that_waits_for_a_model_is_taken_back_by_escape) {
  m_engine.sendUnloaded();
  m_widget->setOpenModel("First", true);
  auto* edit = find<QPlainTextEdit>("messageEdit");
  const auto asked = m_engine.generates.size();
  edit->setPlainText("question");
  QTest::keyClick(edit, Qt::Key_Return);
  EXPECT_EQ(find<QPushButton>("sendButton")->accessibleName(), "Do not send this message");
  QTest::keyClick(edit, Qt::Key_Escape);
  EXPECT_EQ(find<QLabel>("chatStatus")->text(), "");
  EXPECT_EQ(find<QPushButton>("sendButton")->text(), "Send");
  m_widget->setOpenModel("First", false);
  m_engine.sendLoaded("First", 4096);
  EXPECT_EQ(m_engine.generates.size(), asked);
  EXPECT_EQ(edit->toPlainText(), "question");
}

TEST_F(ChatWidgetTest, a_message_does_not_wait_for_a_load_that_failed_nor_in_a_conversation_that_was_left) {
  m_engine.sendUnloaded();
  auto* edit = find<QPlainTextEdit>("messageEdit");
  const auto asked = m_engine.generates.size();
  const auto hold = [&] {
    m_widget->setOpenModel("First", true);
    edit->setPlainText("question");
    QTest::keyClick(edit, Qt::Key_Return);
    EXPECT_EQ(find<QLabel>("chatStatus")->text(), "Sent once a model is loaded…");
  };
  hold();
  m_widget->setOpenModel("First", false);
  settle();
  EXPECT_EQ(find<QLabel>("chatStatus")->text(), "");
  edit->clear();
  hold();
  ui::ChatSession& left = m_widget->session();
  Conversation other;
  other.head.id = "other";
  other.turns = {};
  m_sessions->importConversation(other);
  settle();
  EXPECT_FALSE(left.sendsOnceLoaded());
  m_engine.sendLoaded("First", 4096);
  EXPECT_EQ(m_engine.generates.size(), asked);
}

}  // namespace
}  // namespace headroom::ui
