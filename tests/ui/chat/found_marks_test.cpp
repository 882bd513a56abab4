#include "ui/chat/found_marks.h"

#include <gtest/gtest.h>

#include <QTextDocument>

namespace headroom::ui {
namespace {

QStringList textsOf(const std::vector<QTextCursor>& hits) {
  QStringList texts;
  for (const QTextCursor& hit : hits) texts.append(hit.selectedText());
  return texts;
}

TEST(FoundMarksTest, case_does_not_matter_and_hits_do_not_overlap) {
  QTextDocument document(QString("Cache, cache\nCACHE"));
  EXPECT_EQ(textsOf(hitsIn(document, "cache")), (QStringList{"Cache", "cache", "CACHE"}));
  document.setPlainText("aaaaa");
  EXPECT_EQ(hitsIn(document, "aa").size(), 2U);
}

TEST(FoundMarksTest, no_hit_goes_over_the_end_of_a_block) {
  QTextDocument document(QString("one\ntwo"));
  EXPECT_TRUE(hitsIn(document, "onetwo").empty());
  EXPECT_TRUE(hitsIn(document, "one two").empty());
}

TEST(FoundMarksTest, an_empty_text_is_found_nowhere) {
  QTextDocument document(QString("text"));
  EXPECT_TRUE(hitsIn(document, {}).empty());
}

TEST(FoundMarksTest, the_current_hit_is_marked_more_than_the_others) {
  QTextDocument document(QString("a b a"));
  for (const ThemeTokens& tokens : {lightTokens(), darkTokens()}) {
    const auto marks = foundMarks(hitsIn(document, "a"), 1, tokens);
    ASSERT_EQ(marks.size(), 2);
    EXPECT_EQ(marks[0].format.background().color(), tokens.found);
    EXPECT_EQ(marks[1].format.background().color(), tokens.foundNow);
    EXPECT_EQ(foundMarks(hitsIn(document, "a"), -1, tokens)[1].format.background().color(), tokens.found);
  }
}

}  // namespace
}  // namespace headroom::ui
