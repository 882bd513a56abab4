// Deleting a message and changing an answer, by the menu of a message.
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>

#include "chat_widget_fixture.h"

namespace headroom::ui {
namespace {

class ChatWidgetRemovalTest : public ChatWidgetTest {
 protected:
  void SetUp() override {
    ChatWidgetTest::SetUp();
    for (const char* text : {"one", "two"}) {
      m_widget->session().send(text, {});
      m_engine.sendAnswer(QStringLiteral("answer to %1").arg(text));
    }
    settle();
  }
  // Of the newest message.
  void choose(const char* action) {
    QToolButton* more = rowButton("moreOfMessage");
    ASSERT_NE(more, nullptr);
    auto* found = more->menu()->findChild<QAction*>(QLatin1String(action));
    ASSERT_NE(found, nullptr) << action;
    found->trigger();
    settle();
  }
  qsizetype nTurns() { return m_widget->session().tree().path().size(); }
};

TEST_F(ChatWidgetRemovalTest, a_message_is_deleted_once_that_was_agreed_to) {
  choose("deleteMessage");
  auto* box = find<QMessageBox>("removalQuestion");
  box->reject();
  settle();
  EXPECT_EQ(nTurns(), 4);
  choose("deleteMessage");
  m_widget->findChild<QMessageBox*>("removalQuestion")->findChild<QPushButton*>("deleteAll")->click();
  settle();
  EXPECT_EQ(nTurns(), 3);
}

TEST_F(ChatWidgetRemovalTest, an_answer_is_changed_in_the_field_below_and_saved_not_sent) {
  choose("editAnswer");
  auto* edit = find<QPlainTextEdit>("messageEdit");
  auto* send = find<QPushButton>("sendButton");
  EXPECT_EQ(edit->toPlainText(), "answer to two");
  EXPECT_EQ(send->text(), "Save");
  EXPECT_FALSE(find<QToolButton>("attachButton")->isEnabled());
  edit->setPlainText("my answer");
  send->click();
  settle();
  EXPECT_EQ(m_engine.generates.size(), 2U);
  EXPECT_EQ(m_widget->session().tree().turns().back().text, "my answer");
  EXPECT_EQ(send->text(), "Send");
  EXPECT_TRUE(find<QToolButton>("attachButton")->isEnabled());
}

}  // namespace
}  // namespace headroom::ui
