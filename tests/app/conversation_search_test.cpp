#include "app/conversation_search.h"

#include <gtest/gtest.h>

#include <QMap>
#include <QTemporaryDir>
#include <random>

#include "app/conversation_database.h"
#include "tests/app/conversation_files.h"

namespace headroom::app {
namespace {

TEST(ConversationSearch, what_people_see_as_the_same_word_is_folded_to_the_same) {
  const std::pair<const char*, const char*> same[] = {
      {"ÄRGER", "ärger"},
      {"Ärger", "arger"},
      {"STRASSE", "Straße"},
      {"GROẞ", "groß"},
      {"ΟΔΌΣ", "οδός"},
      {"ΚΑΛΗΜΈΡΑ", "καλημερα"},
      {"МИР", "мир"},
      {"Ёлка", "елка"},
      {"e\u0301t\u00e9", "ete"},
      {"İSTANBUL", "istanbul"},
      {"ISPARTA", "ısparta"},
      {"one\r\n\t two", "one two"},
      {"𐐀", "𐐨"},
      {"a\u00a0b", "a b"},
  };
  for (const auto& [one, other] : same)
    EXPECT_EQ(foldedForSearch(one).toStdString(), foldedForSearch(other).toStdString()) << one;
}

TEST(ConversationSearch, what_are_different_letters_stays_different) {
  const std::pair<const char*, const char*> different[] = {{"か", "が"}, {"кот", "ток"}, {"模型", "内存"}, {"ø", "o"}};
  for (const auto& [one, other] : different)
    EXPECT_NE(foldedForSearch(one).toStdString(), foldedForSearch(other).toStdString()) << one;
}

TEST(ConversationSearch, no_text_can_hold_the_end_mark_and_half_a_surrogate_pair_is_a_letter) {
  const QString text = QString("a\x1f\x1f\x01") + QChar(0xd800) + "b" + QChar(0xdc00) + QChar(u'\0') + "c";
  const QString folded = foldedForSearch(text);
  EXPECT_EQ(folded.toStdString(), "a \uFFFDb\uFFFD c");
  EXPECT_EQ(textForIndex("a"), QString("a\x1f\x1f"));
}

class SearchTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = ConversationDatabase::open(m_folder.filePath("conversations.sqlite"));
    ASSERT_TRUE(opened.ok()) << opened.error().message.text();
    m_database = std::move(*opened);
  }
  // One conversation of this title and text; its id is the title.
  void add(const QString& title, const QString& text) {
    ASSERT_TRUE(m_database->saveHead({title, title, "", 1, ++m_clock}).ok());
    ui::Turn turn;
    turn.id = "turn of " + title;
    turn.text = text;
    ASSERT_TRUE(m_database->saveTurn(title, turn).ok());
  }
  std::string found(const QString& search) {
    const auto heads = m_database->list(search);
    if (!heads) return heads.error().message.text();
    QStringList ids;
    for (const ui::ConversationHead& head : *heads) ids.append(head.id);
    ids.sort();
    return ids.join(' ').toStdString();
  }

  QTemporaryDir m_folder;
  std::unique_ptr<ConversationDatabase> m_database;
  qint64 m_clock = 0;
};

TEST_F(SearchTest, capitals_and_accents_of_any_script_make_no_difference) {
  add("german", "Der Ärger auf der Straße");
  add("greek", "Καλημέρα, ο δρόμος");
  add("russian", "Привет, мир! Ёлка");
  for (const char* search : {"ÄRGER", "ärger", "arger", "STRASSE", "straße"})
    EXPECT_EQ(found(search), "german") << search;
  EXPECT_EQ(found("der auf"), "") << "a search is one piece of text, not a list of words";
  for (const char* search : {"ΔΡΌΜΟΣ", "καλημερα"}) EXPECT_EQ(found(search), "greek") << search;
  for (const char* search : {"ПРИВЕТ", "ЕЛКА", "мИр"}) EXPECT_EQ(found(search), "russian") << search;
  EXPECT_EQ(found("GREEK"), "greek") << "titles too";
}

TEST_F(SearchTest, words_of_scripts_without_spaces_are_found_whatever_their_length) {
  add("chinese", "这个模型需要多少内存");
  add("japanese", "モデルのメモリを計算する");
  add("korean", "모델은 메모리가 필요하다");
  for (const char* search : {"模", "模型", "模型需", "内存", "存", "这"}) EXPECT_EQ(found(search), "chinese") << search;
  for (const char* search : {"モ", "メモリ", "計算", "る"}) EXPECT_EQ(found(search), "japanese") << search;
  for (const char* search : {"메모리", "필요", "다"}) EXPECT_EQ(found(search), "korean") << search;
  EXPECT_EQ(found("型模"), "");
}

TEST_F(SearchTest, any_piece_of_a_text_is_found_also_one_letter_at_its_end) {
  const QString text = "Zebra 🦓 x=42;";
  add("it", text);
  for (qsizetype from = 0; from < text.size(); ++from) {
    for (qsizetype length = 1; from + length <= text.size(); ++length) {
      const QString piece = text.mid(from, length);
      const bool cutsALetter = piece.front().isLowSurrogate() || piece.back().isHighSurrogate();
      EXPECT_EQ(found(piece), cutsALetter ? "" : "it") << piece.toStdString();
    }
  }
  add("long", QString("abcdefghij").repeated(50) + "!");
  EXPECT_EQ(found(QString("abcdefghij").repeated(50) + "!"), "long");
  EXPECT_EQ(found(QString("abcdefghij").repeated(50) + "?"), "");
}

TEST_F(SearchTest, what_a_user_types_is_text_and_never_a_query) {
  add("plain", "nothing of note");
  const char* const signs[] = {"\"", "\"\"",  "*",      "no*",     "NEAR(a b)", "a AND b", "folded:x",  "-x",
                               "^a", "(",     "a OR b", "{a}:",    "'",         "100 %",   "_",         "a\"b\"c",
                               "\\", "NOT x", "+",      "x' OR 1", "\"*",       "%",       "a + b \"c", "--"};
  for (const char* sign : signs) {
    EXPECT_EQ(found(sign), "") << sign;
    const QString name = QString("with%1").arg(m_clock);
    add(name, QString("before ") + sign + " after");
    EXPECT_EQ(found(QString("before ") + sign), name.toStdString()) << sign;
    EXPECT_NE(found(sign).find(name.toStdString()), std::string::npos) << sign;
    ASSERT_TRUE(m_database->setRemoved(name, true).ok());
  }
}

TEST_F(SearchTest, an_accent_alone_is_looked_for_as_it_is) {
  add("apart", QString("e") + QChar(0x301));
  add("none", "e");
  EXPECT_EQ(found(QChar(0x301)), "apart");
}

TEST_F(SearchTest, a_frequent_short_search_is_found_too) {
  for (int i = 0; i < 40; ++i) {
    QString text;
    for (int j = 0; j < 400; ++j) text += QString("e") + QChar(0x4e00 + 400 * i + j) + "q";
    add(QString("c%1").arg(i, 2, 10, QChar('0')), text);
  }
  add("other", "none of it");
  EXPECT_EQ(found("e").size(), 40 * 4 - 1 + 6U);  // 16,000 entries of the index begin with it
  EXPECT_EQ(found("q").size(), 40 * 4 - 1U);
}

// Whatever is done, the index says what reading every text would say.
TEST_F(SearchTest, after_random_changes_the_index_finds_what_reading_all_texts_finds) {
  std::mt19937 random(7);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const QStringList pieces{"Ä",  "rg", "er", "模型", "内", "Str", "aße",  " ",
                           "\n", "\"", "*",  "é",    "Σ",  "x",   "🦓", "-"};
  const auto anyText = [&] {
    QString text;
    for (int i = pick(12); i > 0; --i) text += pieces[pick(static_cast<int>(pieces.size()))];
    return text;
  };
  struct Kept {
    QString title;
    QMap<QString, QString> texts;
    bool removed = false;
  };
  QMap<QString, Kept> kept;
  for (int step = 0; step < 1200; ++step) {
    const QString id = QString("c%1").arg(pick(12));
    const int what = pick(10);
    Status done = ok_status();
    if (what == 0 || !kept.contains(id)) {
      const QString title = anyText();
      done = m_database->saveHead({id, title, "", 1, step});
      kept[id].title = title;
    } else if (what <= 5) {
      ui::Turn turn;
      turn.id = QString("%1-%2").arg(id).arg(pick(6));
      turn.parentId = QString::number(pick(2));
      turn.text = anyText();
      turn.active = pick(2) == 0;
      done = m_database->saveTurn(id, turn);
      kept[id].texts[turn.id] = turn.text;
    } else if (what == 6) {
      kept[id].title = anyText();
      done = m_database->rename(id, kept[id].title);
    } else if (what == 7) {
      kept[id].removed = pick(2) == 0;
      done = m_database->setRemoved(id, kept[id].removed);
    } else if (what == 8) {
      done = m_database->purge(id);
      if (kept[id].removed) kept.remove(id);
    } else {
      done = m_database->chooseVersion(id, QString("%1-%2").arg(id).arg(pick(6)));
    }
    ASSERT_TRUE(done.ok()) << done.error().message.text();
    if (step % 10 != 0) continue;
    const QString search = anyText();
    const QString needle = foldedForSearch(search);
    QStringList expected;
    for (auto it = kept.cbegin(); it != kept.cend(); ++it) {
      bool has = search.isEmpty() || foldedForSearch(it->title).contains(needle);
      for (const QString& text : it->texts) has = has || foldedForSearch(text).contains(needle);
      if (has && !it->removed) expected.append(it.key());
    }
    expected.sort();
    ASSERT_EQ(found(search), expected.join(' ').toStdString()) << "\"" << search.toStdString() << "\" at " << step;
  }
  // SQLite's own comparison of the index with the column that it indexes, and the column with the texts.
  test::RawDatabase raw(m_folder.filePath("conversations.sqlite"));
  raw.run("INSERT INTO turn_search(turn_search, rank) VALUES('integrity-check', 1)");
  for (const QString& id : raw.rows("SELECT id FROM turns")) {
    const QString text = raw.rows(QString("SELECT text FROM turns WHERE id = '%1'").arg(id)).value(0);
    EXPECT_EQ(raw.rows(QString("SELECT folded FROM turns WHERE id = '%1'").arg(id)).value(0), textForIndex(text));
  }
}

}  // namespace
}  // namespace headroom::app
