#include "ui/chat/chat_selection.h"

#include <gtest/gtest.h>

namespace headroom::ui {
namespace {

constexpr TextRowKey kQuestion{0, true, 0}, kThought{1, false, 0}, kProse{1, true, 0}, kCode{1, true, 1},
    kNext{2, true, 0};

TEST(ChatSelectionTest, an_empty_one_has_no_part_of_any_row) {
  const ChatSelection none;
  EXPECT_TRUE(none.isEmpty());
  EXPECT_FALSE(none.partOf(kProse).has_value());
}

TEST(ChatSelectionTest, rows_between_are_whole_and_those_at_its_ends_in_part_in_either_direction) {
  const TextPlace start{kQuestion, 7}, end{kCode, 3};
  for (const ChatSelection& selection : {ChatSelection(start, end), ChatSelection(end, start)}) {
    EXPECT_EQ(selection.partOf(kQuestion)->from, 7);
    EXPECT_EQ(selection.partOf(kQuestion)->to, ChatSelection::kToEnd);
    EXPECT_TRUE(selection.partOf(kThought)->isWhole());
    EXPECT_TRUE(selection.partOf(kProse)->isWhole());
    EXPECT_EQ(selection.partOf(kCode)->from, 0);
    EXPECT_EQ(selection.partOf(kCode)->to, 3);
    EXPECT_FALSE(selection.partOf(kNext).has_value());
    EXPECT_EQ(selection.firstItem(), 0U);
    EXPECT_EQ(selection.lastItem(), 1U);
  }
  EXPECT_FALSE(ChatSelection(start, end).isUpwards());
  EXPECT_TRUE(ChatSelection(end, start).isUpwards());
}

TEST(ChatSelectionTest, turns_are_whole_however_many_rows_they_have) {
  const ChatSelection turn = ChatSelection::ofTurns(1, 1);
  EXPECT_FALSE(turn.partOf(kQuestion).has_value());
  for (const TextRowKey& row : {kThought, kProse, kCode, TextRowKey{1, true, 5000}})
    EXPECT_TRUE(turn.partOf(row)->isWhole());
  EXPECT_FALSE(turn.partOf(kNext).has_value());
  EXPECT_EQ(turn, ChatSelection::ofTurns(1, 1));
}

}  // namespace
}  // namespace headroom::ui
