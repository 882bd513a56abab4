#include "app/conversation_database.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QSqlQuery>
#include <QTemporaryDir>

namespace headroom::app {
namespace {

class ConversationDatabaseTest : public testing::Test {
 protected:
  std::unique_ptr<ConversationDatabase> open() {
    auto opened = ConversationDatabase::open(path());
    EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().message);
    return opened.ok() ? std::move(*opened) : nullptr;
  }
  QString path() const { return m_folder.filePath("conversations.sqlite"); }
  static ui::Turn turn(const char* id, const char* parent, const char* text) {
    ui::Turn made;
    made.id = id;
    made.parentId = parent;
    made.text = text;
    return made;
  }
  QTemporaryDir m_folder;
};

TEST_F(ConversationDatabaseTest, every_field_of_a_turn_comes_back) {
  ui::Turn full = turn("t", "", "text");
  full.role = ui::Role::Assistant;
  full.attachments = {{"a.txt", "one\n\"two\""}};
  full.state = ui::TurnState::LimitHit;
  full.cutBefore = true;
  full.summary = "short";
  full.modelName = "tiny";
  full.generatedTokens = 7;
  full.decodeSeconds = 0.5;
  full.seed = 0xffff'ffff'ffff'fff0ULL;
  full.createdMs = 123;
  {
    auto database = open();
    ASSERT_TRUE(database->saveHead({"c", "Title", "Be brief", 1, 2}).ok());
    ASSERT_TRUE(database->saveTurn("c", full).ok());
  }
  const auto read = open()->read("c");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->head.systemPrompt, "Be brief");
  ASSERT_EQ(read->turns.size(), 1U);
  const ui::Turn& kept = read->turns[0];
  EXPECT_EQ(kept.role, full.role);
  EXPECT_EQ(kept.text, full.text);
  EXPECT_EQ(kept.attachments, full.attachments);
  EXPECT_EQ(kept.state, full.state);
  EXPECT_TRUE(kept.active);
  EXPECT_TRUE(kept.cutBefore);
  EXPECT_EQ(kept.summary, full.summary);
  EXPECT_EQ(kept.modelName, full.modelName);
  EXPECT_EQ(kept.generatedTokens, full.generatedTokens);
  EXPECT_EQ(kept.decodeSeconds, full.decodeSeconds);
  EXPECT_EQ(kept.seed, full.seed);
  EXPECT_EQ(kept.createdMs, full.createdMs);
}

TEST_F(ConversationDatabaseTest, one_version_is_active_among_those_of_a_parent) {
  auto database = open();
  ASSERT_TRUE(database->saveHead({"c", "T", "", 1, 1}).ok());
  for (const char* id : {"a", "b"}) ASSERT_TRUE(database->saveTurn("c", turn(id, "root", id)).ok());
  const auto active = [&] {
    QStringList ids;
    const Result<ui::Conversation> read = database->read("c");
    for (const ui::Turn& kept : read.value().turns) {
      if (kept.active) ids.append(kept.id);
    }
    return ids;
  };
  EXPECT_EQ(active(), QStringList{"b"});
  ASSERT_TRUE(database->chooseVersion("c", "a").ok());
  EXPECT_EQ(active(), QStringList{"a"});
}

TEST_F(ConversationDatabaseTest, a_search_looks_into_titles_and_texts_and_takes_signs_literally) {
  auto database = open();
  ASSERT_TRUE(database->saveHead({"c1", "About Memory", "", 1, 1}).ok());
  ASSERT_TRUE(database->saveHead({"c2", "Other", "", 1, 2}).ok());
  ASSERT_TRUE(database->saveTurn("c2", turn("t", "", "It is 100 % full")).ok());
  const auto titles = [&](const QString& search) {
    QStringList found;
    const Result<QVector<ui::ConversationHead>> heads = database->list(search);
    for (const ui::ConversationHead& head : heads.value()) found.append(head.title);
    return found;
  };
  EXPECT_EQ(titles(""), (QStringList{"Other", "About Memory"}));
  EXPECT_EQ(titles("MEMORY"), QStringList{"About Memory"});
  EXPECT_EQ(titles("100 %"), QStringList{"Other"});
  EXPECT_EQ(titles("%"), QStringList{"Other"});
  EXPECT_TRUE(titles("absent").isEmpty());
}

TEST_F(ConversationDatabaseTest, a_removed_conversation_can_be_restored_until_it_is_purged) {
  auto database = open();
  ASSERT_TRUE(database->saveHead({"c", "T", "", 1, 1}).ok());
  ASSERT_TRUE(database->saveTurn("c", turn("t", "", "secret words")).ok());
  ASSERT_TRUE(database->purge("c").ok());  // not removed: stays
  ASSERT_TRUE(database->setRemoved("c", true).ok());
  EXPECT_TRUE(database->list("")->isEmpty());
  ASSERT_TRUE(database->setRemoved("c", false).ok());
  EXPECT_EQ(database->list("")->size(), 1);
  ASSERT_TRUE(database->setRemoved("c", true).ok());
  ASSERT_TRUE(database->purge("c").ok());
  EXPECT_FALSE(database->read("c").ok());
}

TEST_F(ConversationDatabaseTest, a_damaged_file_is_kept_aside_and_a_new_one_started) {
  const QByteArray garbage = QByteArray("this is no database ").repeated(500);
  {
    QFile file(path());
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(garbage);
  }
  auto database = open();
  ASSERT_FALSE(database->movedTo().isEmpty());
  QFile aside(database->movedTo());
  ASSERT_TRUE(aside.open(QIODevice::ReadOnly));
  EXPECT_EQ(aside.readAll(), garbage);
  EXPECT_TRUE(database->saveHead({"c", "T", "", 1, 1}).ok());
}

TEST_F(ConversationDatabaseTest, a_file_of_a_newer_program_is_kept_aside) {
  {
    auto database = open();
    QSqlDatabase other = QSqlDatabase::addDatabase("QSQLITE", "other");
    other.setDatabaseName(path());
    ASSERT_TRUE(other.open());
    EXPECT_TRUE(QSqlQuery(other).exec("PRAGMA user_version=999"));
    other.close();
  }
  QSqlDatabase::removeDatabase("other");
  EXPECT_FALSE(open()->movedTo().isEmpty());
}

TEST_F(ConversationDatabaseTest, a_folder_that_cannot_be_written_is_an_error_that_names_it) {
  const auto opened = ConversationDatabase::open("/proc/nowhere/conversations.sqlite");
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message.find("/proc/nowhere"), std::string::npos) << opened.error().message;
}

}  // namespace
}  // namespace headroom::app
