#include "ui/chat/chat_finder.h"

#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <QTest>

#include "ui/chat/sample_pairs.h"

namespace headroom::ui {
namespace {

class ChatFinderTest : public testing::Test {
 protected:
  void add(Role role, const QString& text) { m_last = m_tree.append(m_last, role, text, 0); }
  std::vector<FoundPlace> find(const QString& text) {
    m_finder.find(text);
    EXPECT_TRUE(QTest::qWaitFor([this] { return !m_finder.isSearching(); }, 60'000));
    return m_finder.places();
  }
  void show() { m_finder.showTree(&m_tree); }

  ChatTree m_tree;
  QString m_last;
  ChatFinder m_finder;
};

TEST_F(ChatFinderTest, texts_of_both_roles_are_searched_in_prose_and_code) {
  add(Role::User, "What is the cache?");
  add(Role::Assistant, "The Cache keeps keys.\n\n```cpp\nint cache = 1;\nint other = cache;\n```\n\nNo more.");
  show();
  EXPECT_EQ(find("cache"), (std::vector<FoundPlace>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}}));
  EXPECT_EQ(m_finder.turnId(m_finder.places().back()), m_last);
  EXPECT_TRUE(find({}).empty());
}

TEST_F(ChatFinderTest, what_is_found_is_what_is_shown_and_not_its_markdown) {
  add(Role::Assistant, "A **bold** word and a [link](http://hidden.example/) and 1 &lt; 2.");
  show();
  EXPECT_EQ(find("bold word").size(), 1U);
  EXPECT_EQ(find("link and 1 < 2").size(), 1U);
  EXPECT_TRUE(find("hidden").empty());
  EXPECT_TRUE(find("**").empty());
}

TEST_F(ChatFinderTest, the_users_text_is_taken_as_it_was_typed) {
  add(Role::User, "**not bold**");
  show();
  EXPECT_EQ(find("**not").size(), 1U);
}

TEST_F(ChatFinderTest, only_the_versions_of_the_path_are_searched) {
  add(Role::User, "question");
  const QString question = m_last;
  add(Role::Assistant, "first words");
  m_last = question;
  add(Role::Assistant, "second words");
  show();
  EXPECT_EQ(find("words").size(), 1U);
  EXPECT_TRUE(find("first").empty());
}

TEST_F(ChatFinderTest, text_that_came_later_is_found_after_a_refresh) {
  add(Role::Assistant, "one");
  m_tree.find(m_last)->state = TurnState::Writing;
  show();
  EXPECT_EQ(find("one").size(), 1U);
  m_tree.find(m_last)->text += " and one more";
  m_finder.refresh();
  EXPECT_EQ(m_finder.places().size(), 2U);
  m_tree.find(m_last)->state = TurnState::Done;
  m_finder.refresh();
  EXPECT_EQ(m_finder.places().size(), 2U);
}

TEST_F(ChatFinderTest, pieces_of_a_long_message_hold_all_of_it_but_the_breaks_between_them) {
  const QString text = QString("A line of some words.\n").repeated(400) + QString("x").repeated(7000);
  QString together;
  for (const PlainPiece& piece : plainPieces(text)) {
    EXPECT_LE(piece.length, 3001);
    together += text.mid(piece.start, piece.length);
  }
  EXPECT_EQ(together.remove(u'\n'), QString(text).remove(u'\n'));
  EXPECT_TRUE(plainPieces({}).empty());
}

TEST_F(ChatFinderTest, another_tree_is_not_searched_for_what_was_wanted_of_the_one_before) {
  add(Role::User, "cache");
  show();
  EXPECT_EQ(find("cache").size(), 1U);
  ChatTree other;
  m_finder.showTree(&other);
  EXPECT_TRUE(m_finder.places().empty());
  EXPECT_EQ(m_finder.text(), QString());
}

// The bound is generous for a machine that does other things too; one pass aims at ChatFinder::kPassMs.
TEST_F(ChatFinderTest, five_thousand_turns_are_searched_in_short_passes) {
  appendPairs(m_tree, {}, 2500);
  show();
  qint64 longest = 0, passes = 0;
  QElapsedTimer clock;
  clock.start();
  m_finder.find("e");
  longest = clock.elapsed();
  while (m_finder.isSearching()) {
    clock.restart();
    QCoreApplication::processEvents();
    longest = std::max(longest, clock.elapsed());
    ++passes;
  }
  EXPECT_GT(m_finder.places().size(), 2500U);
  EXPECT_LT(longest, 100);
  RecordProperty("passes", static_cast<int>(passes));
  RecordProperty("longest_ms", static_cast<int>(longest));
}

}  // namespace
}  // namespace headroom::ui
