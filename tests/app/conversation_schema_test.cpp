#include "app/conversation_schema.h"

#include <gtest/gtest.h>

#include <QTemporaryDir>

#include "app/conversation_database.h"
#include "tests/app/conversation_files.h"

namespace headroom::app {
namespace {

class SchemaTest : public testing::Test {
 protected:
  static void dropVersion5(test::RawDatabase& raw) {
    raw.run("ALTER TABLE conversations DROP COLUMN options");
    for (const char* sql :
         {"DROP TRIGGER turns_answered", "DROP TRIGGER turns_answered_again",
          "ALTER TABLE conversations DROP COLUMN model_name", "ALTER TABLE conversations DROP COLUMN pinned"})
      raw.run(sql);
  }
  QString path() const { return m_folder.filePath("conversations.sqlite"); }
  QTemporaryDir m_folder;
};

TEST_F(SchemaTest, a_file_of_the_first_version_comes_with_all_that_it_holds) {
  test::makeVersion1(path());
  const QString all =
      "SELECT id, conversation_id, parent_id, role, hex(text), attachments, state, active, cut_before, summary, "
      "model_name, generated_tokens, decode_seconds, seed, created_ms FROM turns ORDER BY id";
  const QString heads =
      "SELECT id, title, system_prompt, created_ms, updated_ms, removed FROM conversations ORDER BY id";
  const QStringList turnsBefore = test::RawDatabase(path()).rows(all);
  const QStringList headsBefore = test::RawDatabase(path()).rows(heads);
  ASSERT_EQ(turnsBefore.size(), 7);
  ASSERT_EQ(headsBefore.size(), 3);
  {
    auto database = ConversationDatabase::open(path());
    ASSERT_TRUE(database.ok()) << database.error().message.text();
    EXPECT_TRUE((*database)->movedTo().isEmpty());
    const auto read = (*database)->read("c-1");
    ASSERT_TRUE(read.ok());
    ASSERT_EQ(read->turns.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(read->turns[i].id, QString("t-%1").arg(i + 1)) << "the order stays";
    for (const auto& [search, id] : {std::pair("ÄRGER", "c-1"), std::pair("strasse?", "c-1"), std::pair("мир", "c-2"),
                                     std::pair("内存", "c-2"), std::pair("ΚΑΛΗ", "c-2"), std::pair("ÜBER", "c-1")}) {
      const auto found = (*database)->list(search);
      ASSERT_TRUE(found.ok()) << found.error().message.text();
      ASSERT_EQ(found->size(), 1) << search;
      EXPECT_EQ(found->front().id, id) << search;
    }
    EXPECT_TRUE((*database)->list("gone words")->isEmpty()) << "it is deleted";
  }
  EXPECT_EQ(test::RawDatabase(path()).rows(all), turnsBefore);
  EXPECT_EQ(test::RawDatabase(path()).rows(heads), headsBefore);
  EXPECT_EQ(test::RawDatabase(path()).rows("PRAGMA user_version"), QStringList{QString::number(kSchemaVersion)});
  EXPECT_EQ(test::RawDatabase(path()).rows("PRAGMA foreign_key_check"), QStringList());
  test::RawDatabase(path()).run("INSERT INTO turn_search(turn_search, rank) VALUES('integrity-check', 1)");
}

// A file as version 3 left it, with answers that hold what was thought.
TEST_F(SchemaTest, thoughts_in_older_answers_stand_apart) {
  struct Row {
    const char *id, *before, *text, *thinking;
  };
  const Row kRows[] = {
      {"t1", "<think>\nIs it?\n</think>\n\nIt is.", "It is.", "Is it?"},
      {"t2", "\n<think>a\n", "", "a"},
      {"t3", "Is it?\n</think>\n\nIt is.", "It is.", "Is it?"},
      {"t4", "Close it with `</think>`.", "Close it with `</think>`.", ""},
      {"t5", "So:\n```\n<think>\n</think>\n```", "So:\n```\n<think>\n</think>\n```", ""},
      {"t6", "Plain.", "Plain.", ""},
  };
  {
    auto database = ConversationDatabase::open(path());
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE((*database)->saveHead({"c", "T", "", 1, 1}).ok());
    for (const Row& row : kRows) {
      ui::Turn turn;
      turn.id = row.id;
      turn.parentId = "q";
      turn.role = ui::Role::Assistant;
      turn.text = row.before;
      ASSERT_TRUE((*database)->saveTurn("c", turn).ok());
    }
    ui::Turn question;
    question.id = "q";
    question.text = "<think>\nmine\n</think>\n\nwords";
    ASSERT_TRUE((*database)->saveTurn("c", question).ok());
  }
  {
    test::RawDatabase raw(path());
    dropVersion5(raw);
    raw.run("ALTER TABLE turns DROP COLUMN thinking");
    raw.run("ALTER TABLE turns DROP COLUMN thinking_ms");
    raw.run("PRAGMA user_version=3");
  }
  auto database = ConversationDatabase::open(path());
  ASSERT_TRUE(database.ok()) << database.error().message.text();
  EXPECT_TRUE((*database)->movedTo().isEmpty());
  const auto read = (*database)->read("c");
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->turns.size(), 7U);
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    EXPECT_EQ(read->turns[i].text, kRows[i].text) << kRows[i].id;
    EXPECT_EQ(read->turns[i].thinking, kRows[i].thinking) << kRows[i].id;
    EXPECT_EQ(read->turns[i].thinkingMs, 0) << kRows[i].id;
  }
  EXPECT_EQ(read->turns[6].text, "<think>\nmine\n</think>\n\nwords") << "a user's own words stay";
  EXPECT_EQ((*database)->list("It is.")->size(), 1);
  EXPECT_EQ((*database)->list("Is it?")->size(), 0);
}

// A file as version 4 left it.
TEST_F(SchemaTest, conversations_of_version_4_come_unpinned_and_with_the_model_of_their_newest_answer) {
  const QString all =
      "SELECT id, title, system_prompt, created_ms, updated_ms, removed, folded_title FROM "
      "conversations ORDER BY id";
  const QString turns = "SELECT * FROM turns ORDER BY number";
  {
    auto database = ConversationDatabase::open(path());
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE((*database)->saveHead({"asked", "Asked", "", 1, 2}).ok());
    ASSERT_TRUE((*database)->saveHead({"answered", "Answered", "Be brief.", 1, 3}).ok());
    for (const char* model : {"", "Old", "", "New", ""}) {
      ui::Turn turn;
      turn.id = QString("t%1").arg((*database)->read("answered")->turns.size());
      turn.text = "Words";
      turn.modelName = model;
      ASSERT_TRUE((*database)->saveTurn("answered", turn).ok());
    }
  }
  QStringList conversationsBefore, turnsBefore;
  {
    test::RawDatabase raw(path());
    dropVersion5(raw);
    raw.run("PRAGMA user_version=4");
    conversationsBefore = raw.rows(all);
    turnsBefore = raw.rows(turns);
  }
  {
    auto database = ConversationDatabase::open(path());
    ASSERT_TRUE(database.ok()) << database.error().message.text();
    EXPECT_TRUE((*database)->movedTo().isEmpty());
    const auto listed = (*database)->list("");
    ASSERT_TRUE(listed.ok()) << listed.error().message.text();
    ASSERT_EQ(listed->size(), 2);
    EXPECT_EQ(listed->at(0).modelName, "New");
    EXPECT_EQ(listed->at(1).modelName, "");
    for (const ui::ListedConversation& each : *listed) EXPECT_FALSE(each.isPinned);
  }
  EXPECT_EQ(test::RawDatabase(path()).rows(all), conversationsBefore);
  EXPECT_EQ(test::RawDatabase(path()).rows(turns), turnsBefore);
  EXPECT_EQ(test::RawDatabase(path()).rows("PRAGMA user_version"), QStringList{QString::number(kSchemaVersion)});
}

// A file as version 5 left it.
TEST_F(SchemaTest, conversations_of_version_5_have_no_options_of_their_own_and_keep_those_they_get) {
  {
    auto database = ConversationDatabase::open(path());
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE((*database)->saveHead({"c", "T", "Be brief.", 1, 2}).ok());
  }
  {
    test::RawDatabase raw(path());
    raw.run("ALTER TABLE conversations DROP COLUMN options");
    raw.run("PRAGMA user_version=5");
  }
  auto database = ConversationDatabase::open(path());
  ASSERT_TRUE(database.ok()) << database.error().message.text();
  ui::ConversationHead head = (*database)->read("c")->head;
  EXPECT_EQ(head, (ui::ConversationHead{"c", "T", "Be brief.", 1, 2}));
  head.options = ui::AnswerOptions{};
  head.options->maxTokens = 9;
  ASSERT_TRUE((*database)->saveHead(head).ok());
  EXPECT_EQ((*database)->read("c")->head, head);
  EXPECT_EQ((*database)->list("")->at(0).options, head.options);
}

// What cannot be brought to the newest version stays what it was.
TEST_F(SchemaTest, a_step_that_fails_leaves_the_file_at_its_version) {
  test::makeVersion1(path());
  test::RawDatabase(path()).run("CREATE TABLE writer(something TEXT)");  // in the way of version 2
  const QStringList before = test::RawDatabase(path()).rows("SELECT sql FROM sqlite_schema ORDER BY name");
  const auto opened = ConversationDatabase::open(path());
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message.text().find("writer"), std::string::npos) << opened.error().message.text();
  EXPECT_EQ(test::RawDatabase(path()).rows("SELECT sql FROM sqlite_schema ORDER BY name"), before);
  EXPECT_EQ(test::RawDatabase(path()).rows("PRAGMA user_version"), QStringList{"1"});
  EXPECT_EQ(test::RawDatabase(path()).rows("SELECT count(*) FROM turns"), QStringList{"7"});
}

TEST_F(SchemaTest, the_facts_of_a_file_are_read_without_changing_a_byte_or_leaving_a_file) {
  const QString odd = m_folder.filePath("a b?c#d%20 ü.sqlite");
  ASSERT_TRUE(ConversationDatabase::open(odd).ok());
  {
    test::RawDatabase raw(odd);
    raw.run("DELETE FROM writer");
    raw.run("INSERT INTO writer VALUES('9.8.7')");
    raw.run("PRAGMA user_version=41");
  }
  const QByteArray before = test::bytesOf(odd);
  const QStringList files = QDir(m_folder.path()).entryList(QDir::Files);
  const auto facts = readFileFacts(odd);
  ASSERT_TRUE(facts.ok()) << facts.error().message.text();
  EXPECT_EQ(facts->schemaVersion, 41);
  EXPECT_EQ(facts->writer, "9.8.7");
  EXPECT_EQ(test::bytesOf(odd), before);
  EXPECT_EQ(QDir(m_folder.path()).entryList(QDir::Files), files);
}

// As after a kill: the newest version number stands in the log alone.
TEST_F(SchemaTest, a_version_that_stands_only_in_the_log_counts_and_the_log_stays) {
  const QString live = m_folder.filePath("live.sqlite");
  ASSERT_TRUE(ConversationDatabase::open(live).ok());
  {
    test::RawDatabase writer(live);
    writer.run("PRAGMA user_version=41");
    ASSERT_TRUE(QFile::copy(live, path()));
    ASSERT_TRUE(QFile::copy(live + "-wal", path() + "-wal"));
  }
  const QByteArray file = test::bytesOf(path()), log = test::bytesOf(path() + "-wal");
  ASSERT_FALSE(log.isEmpty());
  const auto opened = ConversationDatabase::open(path());
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(test::bytesOf(path()), file);
  EXPECT_EQ(test::bytesOf(path() + "-wal"), log);
}

}  // namespace
}  // namespace headroom::app
