#include "app/conversation_database.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include "tests/app/conversation_files.h"

namespace headroom::app {
namespace {

class ConversationDatabaseTest : public testing::Test {
 protected:
  std::unique_ptr<ConversationDatabase> open() {
    auto opened = ConversationDatabase::open(path());
    EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().message.text());
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
  full.thinking = "Is it?\nIt may be.";
  full.thinkingMs = 34'500;
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
  EXPECT_EQ(kept.thinking, full.thinking);
  EXPECT_EQ(kept.thinkingMs, full.thinkingMs);
}

TEST_F(ConversationDatabaseTest, a_whole_conversation_is_saved_or_nothing_of_it) {
  auto database = open();
  ui::Conversation whole;
  whole.head = {"c", "Title", "Be brief", 1, 2};
  whole.turns = {turn("q", "", "Why?"), turn("a", "q", "Because.")};
  ASSERT_TRUE(database->saveConversation(whole).ok());
  ASSERT_EQ(database->read("c")->turns.size(), 2U);
  EXPECT_EQ(database->read("c")->turns[1].text, "Because.");
  test::RawDatabase(path()).run(
      "CREATE TRIGGER refuses BEFORE INSERT ON turns WHEN NEW.id = 'refused' BEGIN SELECT RAISE(ABORT, 'no'); END");
  whole.head.id = "d";
  whole.turns = {turn("q2", "", "Why?"), turn("refused", "q2", "Because.")};
  EXPECT_FALSE(database->saveConversation(whole).ok());
  EXPECT_FALSE(database->read("d").ok());
  EXPECT_TRUE(database->saveTurn("c", turn("later", "a", "And now?")).ok()) << "no transaction is left open";
}

TEST_F(ConversationDatabaseTest, a_thought_grows_with_its_turn_and_is_not_searched) {
  auto database = open();
  ASSERT_TRUE(database->saveHead({"c", "T", "", 1, 1}).ok());
  ui::Turn growing = turn("t", "", "");
  growing.state = ui::TurnState::Writing;
  growing.thinking = "elephants";
  ASSERT_TRUE(database->saveTurn("c", growing).ok());
  growing.state = ui::TurnState::Done;
  growing.thinking += " and whales";
  growing.thinkingMs = 7;
  growing.text = "Mammals.";
  ASSERT_TRUE(database->saveTurn("c", growing).ok());
  const auto read = database->read("c");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->turns[0].thinking, "elephants and whales");
  EXPECT_EQ(read->turns[0].thinkingMs, 7);
  EXPECT_EQ(database->list("mammals")->size(), 1);
  EXPECT_EQ(database->list("whales")->size(), 0);
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
    const Result<QVector<ui::ListedConversation>> heads = database->list(search);
    for (const ui::ConversationHead& head : heads.value()) found.append(head.title);
    return found;
  };
  EXPECT_EQ(titles(""), (QStringList{"Other", "About Memory"}));
  EXPECT_EQ(titles("MEMORY"), QStringList{"About Memory"});
  EXPECT_EQ(titles("100 %"), QStringList{"Other"});
  EXPECT_EQ(titles("%"), QStringList{"Other"});
  EXPECT_TRUE(titles("absent").isEmpty());
}

TEST_F(ConversationDatabaseTest, a_pin_outlives_the_program_and_every_save_of_the_conversation) {
  {
    auto database = open();
    ASSERT_TRUE(database->saveHead({"a", "Whales", "", 1, 1}).ok());
    ASSERT_TRUE(database->saveHead({"b", "Bees", "", 1, 2}).ok());
    ASSERT_TRUE(database->setPinned("a", true).ok());
    ASSERT_TRUE(database->saveHead({"a", "Whales again", "", 1, 3}).ok());
    ASSERT_TRUE(database->rename("a", "Whales").ok());
  }
  auto database = open();
  const auto pinned = [&](const QString& search) {
    QStringList found;
    const auto listed = database->list(search);
    for (const ui::ListedConversation& each : listed.value()) found.append(each.title + (each.isPinned ? "*" : ""));
    return found;
  };
  EXPECT_EQ(pinned(""), (QStringList{"Whales*", "Bees"}));
  EXPECT_EQ(pinned("whale"), QStringList{"Whales*"});
  ASSERT_TRUE(database->setPinned("a", false).ok());
  EXPECT_EQ(pinned(""), (QStringList{"Whales", "Bees"}));
}

TEST_F(ConversationDatabaseTest, the_list_names_the_model_that_answered_last) {
  auto database = open();
  ASSERT_TRUE(database->saveHead({"c", "T", "", 1, 1}).ok());
  const auto model = [&] { return database->list("")->front().modelName; };
  const auto answer = [&](const char* id, const char* parent, const char* name) {
    ui::Turn made = turn(id, parent, "Yes.");
    made.role = ui::Role::Assistant;
    made.modelName = name;
    ASSERT_TRUE(database->saveTurn("c", made).ok());
  };
  ASSERT_TRUE(database->saveTurn("c", turn("q", "", "Is it?")).ok());
  EXPECT_EQ(model(), "");
  answer("a", "q", "Small");
  EXPECT_EQ(model(), "Small");
  answer("b", "q", "Large");
  ASSERT_TRUE(database->saveTurn("c", turn("r", "b", "And now?")).ok());
  EXPECT_EQ(model(), "Large");
  answer("b", "q", "Larger");  // it was continued by another one
  EXPECT_EQ(model(), "Larger");
  answer("a", "q", "Small");  // saved again, answered by nobody
  EXPECT_EQ(model(), "Larger");
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

TEST_F(ConversationDatabaseTest, what_was_being_written_is_found_once_it_is_done_or_the_next_run_finishes_it) {
  auto database = open();
  ASSERT_TRUE(database->saveHead({"c", "T", "", 1, 1}).ok());
  const auto found = [&](const char* words) { return !database->list(words)->isEmpty(); };
  ui::Turn answer = turn("t", "", "one quokka");
  answer.state = ui::TurnState::Writing;
  ASSERT_TRUE(database->saveTurn("c", answer).ok());
  EXPECT_EQ(database->read("c")->turns[0].text, "one quokka") << "it is kept all the same";
  EXPECT_FALSE(found("quokka"));
  answer.state = ui::TurnState::Stopped;
  ASSERT_TRUE(database->saveTurn("c", answer).ok());
  EXPECT_TRUE(found("quokka"));
  answer.state = ui::TurnState::Writing;  // it is continued, and the program is killed
  answer.text += " and two wombats";
  ASSERT_TRUE(database->saveTurn("c", answer).ok());
  EXPECT_TRUE(found("quokka"));
  ASSERT_TRUE(database->finishInterrupted().ok());
  EXPECT_TRUE(found("wombats"));
  EXPECT_EQ(database->read("c")->turns[0].state, ui::TurnState::Interrupted);
  test::RawDatabase(path()).run("INSERT INTO turn_search(turn_search, rank) VALUES('integrity-check', 1)");
}

TEST_F(ConversationDatabaseTest, a_draft_outlives_the_program_and_goes_with_its_conversation) {
  const ui::Draft draft{{"a change", {{{"a.txt", "words"}, 0}}}, "t", {"a new message", {{{"b.txt", "more"}, 0}}}};
  {
    auto database = open();
    ASSERT_TRUE(database->saveHead({"c", "T", "", 1, 1}).ok());
    ASSERT_TRUE(database->saveDraft("c", {{"older", {}}, {}, {}}).ok());
    ASSERT_TRUE(database->saveDraft("c", draft).ok());
    ASSERT_TRUE(database->saveDraft({}, {{"not begun", {}}, {}, {}}).ok());
  }
  auto database = open();
  EXPECT_EQ(database->read("c")->draft, draft);
  EXPECT_EQ(database->readDraft({})->message.text, "not begun");
  ASSERT_TRUE(database->setRemoved("c", true).ok());
  EXPECT_EQ(database->readDraft("c").value(), draft) << "until then it can be undone";
  ASSERT_TRUE(database->purge("c").ok());
  EXPECT_TRUE(database->readDraft("c")->isEmpty());
  ASSERT_TRUE(database->saveDraft({}, {}).ok());
  EXPECT_EQ(test::RawDatabase(path()).rows("SELECT count(*) FROM drafts"), QStringList{"0"});
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

TEST_F(ConversationDatabaseTest, a_file_of_a_newer_program_is_left_alone_and_named) {
  ASSERT_NE(open(), nullptr);
  {
    test::RawDatabase raw(path());
    raw.run("PRAGMA user_version=999");
    raw.run("DELETE FROM writer");
    raw.run("INSERT INTO writer VALUES('12.3')");
  }
  const QByteArray before = test::bytesOf(path());
  const auto opened = ConversationDatabase::open(path());
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kUnsupported);
  for (const std::string& part : {path().toStdString(), std::string("Headroom 12.3"), std::string("999")})
    EXPECT_NE(opened.error().message.text().find(part), std::string::npos) << opened.error().message.text();
  EXPECT_EQ(test::bytesOf(path()), before);
  EXPECT_EQ(QDir(m_folder.path()).entryList(QDir::Files), QStringList{"conversations.sqlite"});
}

TEST_F(ConversationDatabaseTest, a_file_that_another_program_holds_is_not_called_damaged) {
  ASSERT_NE(open(), nullptr);
  test::RawDatabase other(path());
  other.run("PRAGMA locking_mode=EXCLUSIVE");
  other.run("BEGIN EXCLUSIVE");
  const auto opened = ConversationDatabase::open(path());
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kResource) << opened.error().message.text();
  EXPECT_NE(opened.error().message.text().find("locked"), std::string::npos) << opened.error().message.text();
  EXPECT_TRUE(QFile::exists(path()));
  EXPECT_EQ(QDir(m_folder.path()).entryList({"*damaged*"}), QStringList());
}

TEST_F(ConversationDatabaseTest, a_page_that_was_overwritten_is_damage_and_the_file_is_kept_aside) {
  {
    auto database = open();
    ASSERT_TRUE(database->saveHead({"c", "T", "", 1, 1}).ok());
    for (int i = 0; i < 200; ++i) {
      const std::string id = std::to_string(i);
      ASSERT_TRUE(database->saveTurn("c", turn(id.c_str(), "", "some text that fills pages of the file")).ok());
    }
  }
  QFile file(path());
  ASSERT_TRUE(file.open(QIODevice::ReadWrite));
  ASSERT_TRUE(file.seek(4096));
  file.write(QByteArray(8 * 4096, 'x'));
  file.close();
  const QByteArray damaged = test::bytesOf(path());
  auto database = open();
  ASSERT_NE(database, nullptr);
  EXPECT_EQ(test::bytesOf(database->movedTo()), damaged);
}

TEST_F(ConversationDatabaseTest, nothing_of_what_was_purged_stays_in_the_files) {
  auto database = open();
  ASSERT_TRUE(database->saveHead({"kept", "Kept", "", 1, 1}).ok());
  ASSERT_TRUE(database->saveTurn("kept", turn("k", "", "ordinary")).ok());
  ASSERT_TRUE(database->saveHead({"c", "T", "", 1, 1}).ok());
  ASSERT_TRUE(database->saveTurn("c", turn("t", "", "Xylophonqwz")).ok());
  const auto holds = [&](const char* word) {
    return test::bytesOf(path()).contains(word) || test::bytesOf(path() + "-wal").contains(word);
  };
  ASSERT_TRUE(holds("Xylophonqwz"));
  ASSERT_TRUE(holds("qwz"));
  ASSERT_TRUE(database->setRemoved("c", true).ok());
  ASSERT_TRUE(database->purge("c").ok());
  for (const char* word : {"Xylophonqwz", "xylophonqwz", "qwz"}) EXPECT_FALSE(holds(word)) << word;
  EXPECT_TRUE(holds("ordinary"));
}

TEST_F(ConversationDatabaseTest, a_turn_is_saved_with_its_place_among_the_versions_or_not_at_all) {
  auto database = open();
  ASSERT_TRUE(database->saveHead({"c", "T", "", 1, 1}).ok());
  ASSERT_TRUE(database->saveTurn("c", turn("a", "root", "first")).ok());
  test::RawDatabase(path()).run(
      "CREATE TRIGGER stop BEFORE UPDATE OF active ON turns WHEN old.id = 'a' BEGIN SELECT RAISE(FAIL, 'stopped'); "
      "END");
  EXPECT_FALSE(database->saveTurn("c", turn("b", "root", "second")).ok());
  test::RawDatabase(path()).run("DROP TRIGGER stop");
  EXPECT_EQ(database->read("c")->turns.size(), 1U);
  EXPECT_TRUE(database->saveTurn("c", turn("b", "root", "second")).ok());
}

TEST_F(ConversationDatabaseTest, a_turn_goes_with_all_below_it_or_alone_and_nothing_of_its_words_stays) {
  auto database = open();
  ASSERT_TRUE(database->saveHead({"c", "T", "", 1, 1}).ok());
  const auto put = [&](const char* id, const char* parent, const char* text) {
    ASSERT_TRUE(database->saveTurn("c", turn(id, parent, text)).ok());
  };
  put("q", "", "root");
  put("a", "q", "Xylophonqwz");
  put("q2", "a", "next");
  put("a2", "q2", "deep");
  put("a2b", "q2", "deep too");
  const auto ids = [&] {
    QStringList all;
    const auto read = database->read("c");
    for (const ui::Turn& each : read->turns) all << each.parentId + '>' + each.id;
    return all.join(' ');
  };
  ASSERT_TRUE(database->removeTurn("c", "a", true).ok());
  EXPECT_EQ(ids(), ">q q>q2 q2>a2 q2>a2b");
  EXPECT_EQ(database->list("Xylophonqwz")->size(), 0);
  QFile file(path());
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  EXPECT_FALSE(file.readAll().toLower().contains("xylophonqwz"));
  ASSERT_TRUE(database->removeTurn("other", "q2", false).ok()) << "of another conversation: nothing";
  EXPECT_EQ(ids(), ">q q>q2 q2>a2 q2>a2b");
  ASSERT_TRUE(database->removeTurn("c", "q2", false).ok());
  EXPECT_EQ(ids(), ">q");
}

TEST_F(ConversationDatabaseTest, a_folder_that_cannot_be_written_is_an_error_that_names_it) {
  const auto opened = ConversationDatabase::open("/proc/nowhere/conversations.sqlite");
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message.text().find("/proc/nowhere"), std::string::npos) << opened.error().message.text();
}

}  // namespace
}  // namespace headroom::app
