#include "app/conversation_store.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/conversation_database.h"
#include "app/conversation_schema.h"
#include "tests/app/conversation_files.h"

#ifdef Q_OS_UNIX
#include <sys/resource.h>

#include <csignal>
#endif

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
  EXPECT_TRUE(listed[0][1].value<QVector<ui::ListedConversation>>().isEmpty());
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

// The message that a signal carried, in English.
QString said(const QList<QVariant>& signal) { return QString::fromStdString(signal[0].value<Message>().text()); }

// Chatting goes on as usual, and says that nothing of it lasts.
void expectGoesOnInMemory(const QString& path, const QString& told) {
  ConversationStore store(path);
  QSignalSpy problems(&store, &ui::ConversationPort::problemFound), notKept(&store, &ui::ConversationPort::notKept);
  QSignalSpy listed(&store, &ui::ConversationPort::listed), opened(&store, &ui::ConversationPort::opened);
  store.saveHead({"c", "Title", "", 1, 1});
  store.list("");
  store.open("c");
  ASSERT_TRUE(opened.wait());
  ASSERT_EQ(notKept.count(), 1);
  EXPECT_TRUE(said(notKept[0]).contains(told)) << said(notKept[0]).toStdString();
  EXPECT_TRUE(said(notKept[0]).contains("Nothing that you write now is kept"));
  EXPECT_EQ(problems.count(), 1);
  ASSERT_EQ(listed.count(), 1);
  EXPECT_EQ(listed[0][1].value<QVector<ui::ListedConversation>>().size(), 1);
}

TEST(ConversationStore, a_place_that_cannot_be_written_is_named_once_and_the_chat_goes_on_in_memory) {
  expectGoesOnInMemory("/proc/nowhere/conversations.sqlite", "/proc/nowhere");
}

TEST(ConversationStore, a_file_of_a_newer_program_stays_as_it_is_and_the_chat_goes_on_in_memory) {
  QTemporaryDir folder;
  const QString path = folder.filePath("conversations.sqlite");
  { ConversationStore store(path); }
  test::RawDatabase(path).run(QStringLiteral("PRAGMA user_version=%1").arg(kSchemaVersion + 1));
  const QByteArray before = test::bytesOf(path);
  expectGoesOnInMemory(path, "newer");
  EXPECT_EQ(test::bytesOf(path), before);
  EXPECT_EQ(QDir(folder.path()).entryList(QDir::Files), QStringList{"conversations.sqlite"});
}

TEST(ConversationStore, what_could_not_be_saved_waits_and_is_saved_in_its_order_when_it_can_be) {
  QTemporaryDir folder;
  const QString path = folder.filePath("conversations.sqlite");
  ConversationStore store(path);
  QSignalSpy problems(&store, &ui::ConversationPort::problemFound), listed(&store, &ui::ConversationPort::listed);
  store.saveHead({"c", "Title", "", 1, 1});
  store.list("");
  ASSERT_TRUE(listed.wait());
  {
    test::RawDatabase other(path);
    other.run("BEGIN IMMEDIATE");
    ui::Turn turn;
    turn.id = "t";
    for (const char* text : {"first", "second", "last"}) {
      turn.text = text;
      store.saveTurn("c", turn);
    }
    store.saveHead({"d", "Other", "", 1, 2});
    store.remove("d");
    ASSERT_TRUE(QTest::qWaitFor([&] { return problems.count() == 1; }, 60'000));
    EXPECT_TRUE(said(problems[0]).contains("locked")) << said(problems[0]).toStdString();
    EXPECT_TRUE(said(problems[0]).contains("tried again")) << said(problems[0]).toStdString();
    other.run("ROLLBACK");
  }
  ASSERT_TRUE(QTest::qWaitFor([&] { return problems.count() == 2; }, 60'000));
  EXPECT_TRUE(said(problems[1]).contains("saved now")) << said(problems[1]).toStdString();
  QSignalSpy opened(&store, &ui::ConversationPort::opened);
  store.open("c");
  store.list("");
  ASSERT_TRUE(opened.wait());
  const auto read = opened[0][0].value<ui::Conversation>();
  ASSERT_EQ(read.turns.size(), 1U);
  EXPECT_EQ(read.turns[0].text, "last");
  ASSERT_TRUE(QTest::qWaitFor([&] { return listed.count() == 2; }, 60'000));
  EXPECT_EQ(listed[1][1].value<QVector<ui::ListedConversation>>().size(), 1) << "the other one was removed";
}

TEST(ConversationStore, what_waits_to_be_saved_is_listed_found_and_opened) {
  QTemporaryDir folder;
  const QString path = folder.filePath("conversations.sqlite");
  ConversationStore store(path);
  QSignalSpy problems(&store, &ui::ConversationPort::problemFound), listed(&store, &ui::ConversationPort::listed),
      opened(&store, &ui::ConversationPort::opened), drafts(&store, &ui::ConversationPort::newDraftOpened);
  ui::Turn turn;
  turn.id = "t";
  turn.text = "on the disk";
  store.saveHead({"c", "Title", "", 1, 1});
  store.saveTurn("c", turn);
  store.saveDraft("c", {{"typed before", {}}, {}, {}});
  store.saveHead({"e", "Quiet", "", 0, 0});
  ui::Turn quiet;
  quiet.id = "u";
  quiet.text = "as it was";
  store.saveTurn("e", quiet);
  store.list("");
  ASSERT_TRUE(listed.wait());
  const auto draftOf = [&](const char* id) {
    opened.clear();
    store.open(id);
    return opened.wait(60'000) ? opened[0][0].value<ui::Conversation>().draft.message.text : QString("not opened");
  };
  {
    test::RawDatabase other(path);
    other.run("BEGIN IMMEDIATE");
    turn.text = "only in memory";
    store.saveTurn("c", turn);
    store.saveDraft("c", {{"typed last", {}}, {}, {}});
    store.saveDraft("", {{"of no conversation", {}}, {}, {}});
    ASSERT_TRUE(QTest::qWaitFor([&] { return problems.count() == 1; }, 60'000));
    EXPECT_EQ(draftOf("c"), "typed last");
    ASSERT_EQ(opened[0][0].value<ui::Conversation>().turns.size(), 1U);
    EXPECT_EQ(opened[0][0].value<ui::Conversation>().turns[0].text, "only in memory");
    // What is changed after the first look is there at the next one.
    store.saveHead({"d", "Another", "", 2, 2});
    store.saveDraft("d", {{"typed in it", {}}, {}, {}});
    EXPECT_EQ(draftOf("d"), "typed in it");
    store.openNewDraft();
    ASSERT_TRUE(QTest::qWaitFor([&] { return drafts.count() == 1; }, 60'000));
    EXPECT_EQ(drafts[0][0].value<ui::Draft>().message.text, "of no conversation");
    const auto found = [&](const char* search) {
      listed.clear();
      store.list(search);
      QStringList ids;
      if (!listed.wait(60'000)) return ids;
      for (const auto& each : listed[0][1].value<QVector<ui::ListedConversation>>()) ids << each.id;
      return ids;
    };
    EXPECT_EQ(found("only in memory"), QStringList("c"));
    EXPECT_EQ(found("as it was"), QStringList("e")) << "on the disk alone";
    EXPECT_EQ(found("nowhere"), QStringList());
    EXPECT_EQ(found(""), (QStringList{"d", "c", "e"}));
    other.run("ROLLBACK");
  }
  ASSERT_TRUE(QTest::qWaitFor([&] { return problems.count() == 2; }, 60'000));
  EXPECT_TRUE(said(problems[1]).contains("saved now")) << said(problems[1]).toStdString();
  EXPECT_EQ(draftOf("c"), "typed last");
  EXPECT_EQ(draftOf("d"), "typed in it");
}

#ifdef Q_OS_UNIX
// A disk without room, as far as a process can have one for itself: no file may grow.
TEST(ConversationStore, a_full_disk_loses_nothing_that_room_is_made_for) {
  QTemporaryDir folder;
  const QString path = folder.filePath("conversations.sqlite");
  ui::Turn turn;
  turn.id = "t";
  turn.text = QString("words ").repeated(20'000);
  {
    ConversationStore store(path);
    QSignalSpy problems(&store, &ui::ConversationPort::problemFound), listed(&store, &ui::ConversationPort::listed);
    store.saveHead({"c", "Title", "", 1, 1});
    store.list("");
    ASSERT_TRUE(listed.wait());
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit small{65'536, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    store.saveTurn("c", turn);
    EXPECT_TRUE(QTest::qWaitFor([&] { return problems.count() == 1; }, 60'000));
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  }
  auto database = ConversationDatabase::open(path);
  ASSERT_TRUE(database.ok()) << database.error().message.text();
  ASSERT_EQ((*database)->read("c")->turns.size(), 1U) << "written at the end at the latest";
  EXPECT_EQ((*database)->read("c")->turns[0].text, turn.text);
}
#endif

}  // namespace
}  // namespace headroom::app
