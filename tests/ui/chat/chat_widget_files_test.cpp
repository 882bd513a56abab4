// A conversation that is exported comes back by the list's menu.
#include <QFile>
#include <QFileDialog>
#include <QMenu>
#include <QSignalSpy>
#include <QTemporaryDir>

#include "chat_widget_fixture.h"
#include "ui/chat/chat_export.h"

namespace headroom::ui {
namespace {

class ChatWidgetImportTest : public ChatWidgetTest {
 protected:
  QString write(const QByteArray& bytes) {
    QFile file(m_folder.filePath("chat.json"));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    return file.fileName();
  }
  void import(const QString& path) {
    find<QToolButton>("moreOfConversations")->menu()->findChild<QAction*>("importConversation")->trigger();
    auto* dialog = m_widget->findChild<QFileDialog*>();
    ASSERT_NE(dialog, nullptr);
    emit dialog->fileSelected(path);
    dialog->reject();
  }
  QTemporaryDir m_folder;
};

TEST_F(ChatWidgetImportTest, what_was_exported_is_a_conversation_of_its_own_and_is_opened) {
  m_widget->session().send("whales", {});
  m_engine.sendAnswer("sing");
  const QString first = m_widget->session().head().id;
  const QString path = write(conversationAsJson(m_widget->session().head(), m_widget->session().tree()));
  import(path);
  ASSERT_TRUE(waitFor([&] { return m_widget->session().head().id != first && m_widget->session().isStored(); }));
  EXPECT_EQ(m_widget->session().head().title, "whales");
  EXPECT_EQ(m_widget->session().tree().path().size(), 2);
  EXPECT_EQ(m_store.conversations.size(), 2);
}

TEST_F(ChatWidgetImportTest, what_is_none_is_told_with_its_name_and_changes_nothing) {
  QSignalSpy problems(m_widget.get(), &ChatWidget::problemFound);
  import(write("# Markdown"));
  ASSERT_TRUE(waitFor([&] { return problems.count() == 1; }));
  EXPECT_TRUE(problems[0][0].value<Sentence>().text().startsWith("chat.json was not imported. It is no JSON"))
      << problems[0][0].value<Sentence>().text().toStdString();
  import(m_folder.filePath("gone.json"));
  ASSERT_TRUE(waitFor([&] { return problems.count() == 2; }));
  EXPECT_TRUE(problems[1][0].value<Sentence>().text().startsWith("gone.json was not imported."));
  EXPECT_TRUE(m_store.conversations.isEmpty());
}

}  // namespace
}  // namespace headroom::ui
