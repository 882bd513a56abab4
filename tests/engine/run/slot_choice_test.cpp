#include "run/slot_choice.h"

#include <gtest/gtest.h>

#include "support/fake_backend.h"

namespace headroom {
namespace {

class SlotChoice : public testing::Test {
 protected:
  // Slot 0 was used first.
  void hold(std::uint32_t slot, const std::string& text, ConversationId conversation = 0) {
    for (const char c : text) cache_.append(slot, static_cast<TokenId>(c));
    uses_[slot] = {conversation, slot + std::uint64_t{1}, false};
  }
  std::optional<std::uint32_t> choose(const std::string& text, ConversationId conversation = 0) const {
    return choose_slot(cache_, uses_, conversation, std::vector<TokenId>(text.begin(), text.end()));
  }

  const std::shared_ptr<const MemoryPlan> plan_ = fake::make_plan({.n_slots = 3});
  std::vector<TokenId> room_ = std::vector<TokenId>(std::size_t{64} * 3);
  SlotCache cache_{*fake::make_info({.n_slots = 3}), plan_->options, room_};
  std::vector<SlotUse> uses_ = std::vector<SlotUse>(3);
};

TEST_F(SlotChoice, a_conversation_has_its_own_slot_even_where_another_holds_more_of_the_prompt) {
  hold(0, "abcdefgh");
  hold(1, "abc", 7);
  EXPECT_EQ(choose("abcdefghi", 7), 1U) << "what the other holds is copied";
}

TEST_F(SlotChoice, without_a_conversation_the_longest_prefix_counts_where_it_is_most_of_the_slot) {
  hold(0, "abcdefgh");
  hold(1, "abcd");
  EXPECT_EQ(choose("abcdefghi"), 0U);
  EXPECT_EQ(choose("abcde"), 0U) << "five of eight";
  EXPECT_EQ(choose("abcx"), 1U) << "three of eight would be too few, of four they are enough";
  EXPECT_EQ(choose("abcx", 7), 1U);
  EXPECT_EQ(choose("xyz"), 2U) << "the empty one";
}

TEST_F(SlotChoice, what_another_conversation_holds_is_not_gone_on_with) {
  hold(0, "abcd", 7);
  EXPECT_EQ(choose("abcde"), 1U);
  EXPECT_EQ(choose("abcde", 8), 1U);
}

TEST_F(SlotChoice, the_one_that_was_not_used_for_longest_is_the_last_resort) {
  hold(0, "aaaa", 1);
  hold(1, "bbbb", 2);
  hold(2, "cccc", 3);
  EXPECT_EQ(choose("dddd", 4), 0U);
  uses_[0].used_at = 9;
  EXPECT_EQ(choose("dddd", 4), 1U);
  uses_[1].is_busy = true;
  EXPECT_EQ(choose("dddd", 4), 2U);
}

TEST_F(SlotChoice, there_is_none_where_all_are_busy) {
  for (SlotUse& use : uses_) use.is_busy = true;
  EXPECT_EQ(choose("abc"), std::nullopt);
}

}  // namespace
}  // namespace headroom
