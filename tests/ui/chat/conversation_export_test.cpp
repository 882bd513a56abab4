#include "ui/chat/conversation_export.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QPointer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "support/fake_conversation_port.h"
#include "ui/background/background.h"

namespace headroom::ui {
namespace {

// Answers when the test says so.
class SlowStore : public test::FakeConversationPort {
 public:
  void open(const QString& conversationId) override { asked.append(conversationId); }
  QStringList asked;
};

Conversation conversation(const QString& id, const QString& text) {
  Turn turn;
  turn.id = id + "-1";
  turn.text = text;
  return {{id, "Title of " + id, "Be brief.", 0, 0}, {turn}};
}

class ConversationExportTest : public testing::Test {
 protected:
  ConversationExport::Wanted wanted(const QString& name, bool asJson = false) const {
    return {"a", "Title of a", m_folder.filePath(name), asJson};
  }
  // The problem that the export ended with.
  QString endOf(ConversationExport* running) {
    const QPointer<ConversationExport> watched(running);
    QSignalSpy finished(running, &ConversationExport::finished);
    EXPECT_TRUE(QTest::qWaitFor([&] { return finished.count() > 0; }, 60'000));
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    EXPECT_TRUE(watched.isNull()) << "it deletes itself";
    EXPECT_EQ(finished.count(), 1);
    return finished.count() == 0 ? QString() : finished[0][0].value<Sentence>().text();
  }
  QByteArray contentOf(const QString& name) const {
    QFile file(m_folder.filePath(name));
    EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << name.toStdString();
    return file.readAll();
  }
  QStringList files() const { return QDir(m_folder.path()).entryList(QDir::Files); }

  QTemporaryDir m_folder;
  SlowStore m_store;
  QObject m_parent;
};

TEST_F(ConversationExportTest, a_conversation_of_the_store_is_asked_for_and_written) {
  auto* running = new ConversationExport(wanted("a.md"), m_store, &m_parent);
  EXPECT_EQ(m_store.asked, QStringList{"a"});
  emit m_store.opened(conversation("b", "not this one"));
  emit m_store.openFailed("c");
  emit m_store.opened(conversation("a", "first"));
  EXPECT_EQ(endOf(running), QString());
  EXPECT_EQ(contentOf("a.md"), "# Title of a\n\n**System**\n\nBe brief.\n\n## You\n\nfirst\n");
}

TEST_F(ConversationExportTest, the_open_conversation_is_written_as_it_is_in_memory) {
  ChatTree tree;
  tree.append({}, Role::User, "newest words", 5);
  auto* running = new ConversationExport(wanted("a.json", true), {"a", "Title of a", {}, 0, 0}, tree, &m_parent);
  tree.append(tree.lastId(), Role::Assistant, "later", 6);
  EXPECT_EQ(endOf(running), QString());
  EXPECT_TRUE(m_store.asked.isEmpty());
  EXPECT_TRUE(contentOf("a.json").contains("newest words"));
  EXPECT_FALSE(contentOf("a.json").contains("later")) << "as it was when it was asked for";
}

TEST_F(ConversationExportTest, a_failed_read_ends_it_and_a_later_answer_writes_nothing) {
  auto* running = new ConversationExport(wanted("a.md"), m_store, &m_parent);
  emit m_store.openFailed("a");
  emit m_store.opened(conversation("a", "opened by a click an hour later"));
  emit m_store.openFailed("a");
  EXPECT_EQ(endOf(running),
            QString::fromUtf8("\u201cTitle of a\u201d was not exported: the conversation could not be read."));
  emit m_store.opened(conversation("a", "opened by a click an hour later"));
  writingThreads().waitForDone();
  EXPECT_EQ(files(), QStringList());
}

TEST_F(ConversationExportTest, a_store_that_answers_at_once_is_heard_too) {
  test::FakeConversationPort quick;
  EXPECT_NE(endOf(new ConversationExport(wanted("a.md"), quick, &m_parent)), QString()) << "it has no such one";
  quick.conversations.insert("a", conversation("a", "x"));
  EXPECT_EQ(endOf(new ConversationExport(wanted("a.md"), quick, &m_parent)), QString());
  EXPECT_EQ(files(), QStringList{"a.md"});
}

TEST_F(ConversationExportTest, a_second_answer_does_not_write_again) {
  auto* running = new ConversationExport(wanted("a.md"), m_store, &m_parent);
  emit m_store.opened(conversation("a", "first"));
  emit m_store.opened(conversation("a", "second"));
  EXPECT_EQ(endOf(running), QString());
  EXPECT_TRUE(contentOf("a.md").endsWith("first\n"));
}

TEST_F(ConversationExportTest, what_cannot_be_written_is_named_with_the_reason) {
  auto* running = new ConversationExport(wanted("absent/a.md"), m_store, &m_parent);
  emit m_store.opened(conversation("a", "x"));
  EXPECT_EQ(endOf(running), QStringLiteral("The conversation could not be written to %1: there is no folder %2.")
                                .arg(m_folder.filePath("absent/a.md"), m_folder.filePath("absent")));
}

TEST_F(ConversationExportTest, without_its_pane_an_export_that_waits_writes_nothing) {
  {
    QObject pane;
    new ConversationExport(wanted("a.md"), m_store, &pane);
  }
  emit m_store.opened(conversation("a", "x"));
  writingThreads().waitForDone();
  EXPECT_EQ(files(), QStringList());
}

}  // namespace
}  // namespace headroom::ui
