#include "app/conversation_store.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTemporaryDir>

namespace headroom::app {
namespace {

TEST(ConversationStore, what_was_asked_before_the_end_is_on_disk) {
  QTemporaryDir folder;
  const QString path = folder.filePath("new/conversations.sqlite");
  {
    ConversationStore store(path);
    store.saveHead({"c", "Title", "", 1, 1});
    for (int i = 0; i < 100; ++i) {
      ui::Turn turn;
      turn.id = QString::number(i);
      turn.text = "text";
      store.saveTurn("c", turn);
    }
  }
  ConversationStore store(path);
  QSignalSpy opened(&store, &ui::ConversationPort::opened), listed(&store, &ui::ConversationPort::listed);
  store.list("");
  store.open("c");
  ASSERT_TRUE(opened.wait());
  EXPECT_EQ(opened[0][0].value<ui::Conversation>().turns.size(), 100U);
  EXPECT_EQ(listed.count(), 1);
}

TEST(ConversationStore, what_was_deleted_and_not_undone_is_gone_after_the_next_start) {
  QTemporaryDir folder;
  const QString path = folder.filePath("conversations.sqlite");
  {
    ConversationStore store(path);
    store.saveHead({"c", "Title", "", 1, 1});
    store.remove("c");
  }
  ConversationStore store(path);
  QSignalSpy listed(&store, &ui::ConversationPort::listed);
  store.restore("c");
  store.list("");
  ASSERT_TRUE(listed.wait());
  EXPECT_TRUE(listed[0][1].value<QVector<ui::ConversationHead>>().isEmpty());
}

TEST(ConversationStore, who_asked_for_what_cannot_be_read_is_told) {
  QTemporaryDir folder;
  for (const QString& path : {folder.filePath("conversations.sqlite"), QString("/proc/nowhere/conversations.sqlite")}) {
    ConversationStore store(path);
    QSignalSpy opened(&store, &ui::ConversationPort::opened), failed(&store, &ui::ConversationPort::openFailed);
    store.open("gone");
    ASSERT_TRUE(failed.wait()) << path.toStdString();
    EXPECT_EQ(failed[0][0].toString(), "gone");
    EXPECT_EQ(opened.count(), 0);
  }
}

TEST(ConversationStore, a_place_that_cannot_be_written_is_told_once_and_nothing_hangs) {
  ConversationStore store("/proc/nowhere/conversations.sqlite");
  QSignalSpy problems(&store, &ui::ConversationPort::problemFound);
  store.saveHead({"c", "Title", "", 1, 1});
  store.list("");
  ASSERT_TRUE(problems.wait());
  EXPECT_EQ(problems.count(), 1);
}

}  // namespace
}  // namespace headroom::app
