// Which slot answers whom, and who waits for whom.
#include <gtest/gtest.h>

#include "engine/run/scheduler_bench.h"

namespace headroom {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace): the fixture's names

std::uint32_t reused(const Bench& bench, RequestId id) {
  return bench.find<GenerationFinished>(id)->stats.reused_tokens;
}

std::vector<RequestId> order_of_ends(const Bench& bench) {
  std::vector<RequestId> ids;
  for (const Event& event : bench.events) {
    if (std::holds_alternative<GenerationFinished>(event.body)) ids.push_back(event.request);
  }
  return ids;
}

TEST(SchedulerSlots, a_conversation_finds_its_cache_again_whatever_others_asked_meanwhile) {
  Bench bench({.n_ctx = 256, .n_slots = 3});
  const std::vector<std::string> said{letters(40, 'a'), letters(50, 'b'), letters(60, 'c')};
  for (ConversationId id = 1; id <= 3; ++id) {
    bench.ask(said[id - 1], id, 3);
    bench.run();
  }
  for (const ConversationId id : {2, 3, 1, 2}) {
    const RequestId next = bench.ask(said[id - 1] + "?", id, 3);
    bench.run();
    EXPECT_EQ(reused(bench, next), said[id - 1].size()) << id;
  }
}

TEST(SchedulerSlots, an_answer_tells_what_its_slot_held_and_where_the_prompt_left_it) {
  Bench bench({.n_ctx = 256, .n_slots = 1});
  const std::string system = letters(50, 's'), question = letters(30, 'q');
  const auto before = [&](RequestId id) { return bench.find<GenerationFinished>(id)->stats.before; };
  const RequestId first = bench.ask(system + question, 1, 3);
  bench.run();
  EXPECT_EQ(before(first).held_tokens, 0U);
  EXPECT_FALSE(before(first).was_others);
  const RequestId edited = bench.ask(system + "other" + question, 1, 3);
  bench.run();
  EXPECT_EQ(before(edited).held_tokens, 82U) << "the last token of the answer was never computed";
  EXPECT_EQ(before(edited).shared_tokens, 50U);
  EXPECT_EQ(reused(bench, edited), 50U);
  const RequestId other_system = bench.ask(letters(20, 't') + question, 1, 3);
  bench.run();
  EXPECT_EQ(before(other_system).shared_tokens, 0U);
  EXPECT_EQ(before(other_system).held_tokens, 87U);
  const RequestId other = bench.ask(letters(20, 't') + "b", 2, 3);
  bench.run();
  EXPECT_EQ(before(other).shared_tokens, 20U);
  EXPECT_EQ(before(other).held_tokens, 52U);
  EXPECT_TRUE(before(other).was_others);
}

TEST(SchedulerSlots, what_is_copied_from_another_slot_was_not_in_its_own) {
  Bench bench({.n_ctx = 256, .n_slots = 2});
  bench.ask(letters(50, 's') + "a", 1, 3);
  bench.run();
  const RequestId other = bench.ask(letters(50, 's') + "b", 2, 3);
  bench.run();
  EXPECT_EQ(reused(bench, other), 50U);
  EXPECT_EQ(bench.find<GenerationFinished>(other)->stats.before.held_tokens, 0U);
}

// A window overwrites what a shorter prompt would look back to: the texts are the same for longer than can be reused.
TEST(SchedulerSlots, a_cache_that_cannot_go_back_so_far_says_how_much_was_the_same) {
  Bench bench({.n_ctx = 256, .n_slots = 1, .n_batch = 16, .window = 16});
  bench.ask(letters(150), 1, 3);
  bench.run();
  const RequestId edited = bench.ask(letters(60) + "other", 1, 3);
  bench.run();
  EXPECT_EQ(bench.find<GenerationFinished>(edited)->stats.before.shared_tokens, 60U);
  EXPECT_EQ(reused(bench, edited), 0U);
}

TEST(SchedulerSlots, a_chat_without_a_name_goes_on_in_the_slot_that_holds_most_of_it) {
  Bench bench({.n_ctx = 256, .n_slots = 3});
  for (const char letter : {'a', 'b'}) {
    bench.ask(letters(60, letter), 0, 3);
    bench.run();
  }
  const RequestId next = bench.ask(letters(60, 'a') + "more", 0, 3);
  bench.run();
  EXPECT_EQ(reused(bench, next), 60U);
  EXPECT_TRUE(bench.session->cache().tokens(2).empty());
}

TEST(SchedulerSlots, what_two_conversations_begin_with_is_copied_and_the_first_keeps_its_cache) {
  Bench bench({.n_ctx = 256, .n_slots = 2});
  const std::string system = letters(50, 's');
  bench.ask(system + letters(20, 'a'), 1, 3);
  bench.run();
  const RequestId other = bench.ask(system + letters(20, 'b'), 2, 3);
  bench.run();
  EXPECT_EQ(reused(bench, other), 50U);
  const RequestId again = bench.ask(system + letters(20, 'a') + "!", 1, 3);
  bench.run();
  EXPECT_EQ(reused(bench, again), 70U);
}

TEST(SchedulerSlots, where_none_is_free_of_tokens_the_one_that_was_not_used_for_longest_is_given_up) {
  Bench bench({.n_ctx = 256, .n_slots = 2});
  for (const ConversationId id : {1, 2, 1}) {
    bench.ask(letters(40, static_cast<char>('a' + id)), id, 2);
    bench.run();
  }
  bench.ask(letters(40, 'x'), 3, 2);
  bench.run();
  const RequestId kept = bench.ask(letters(40, 'b'), 1, 2);
  bench.run();
  EXPECT_EQ(reused(bench, kept), 39U);
  const RequestId lost = bench.ask(letters(40, 'c'), 2, 2);
  bench.run();
  EXPECT_EQ(reused(bench, lost), 0U);
}

TEST(SchedulerSlots, requests_of_one_conversation_are_answered_in_order_while_others_pass) {
  Bench bench({.n_ctx = 256, .n_slots = 2});
  const RequestId first = bench.ask("one", 7, 20), second = bench.ask("two", 7, 2), other = bench.ask("three", 8, 2);
  bench.run();
  EXPECT_EQ(order_of_ends(bench), (std::vector{other, first, second}));
}

TEST(SchedulerSlots, a_conversation_that_asks_often_does_not_hold_up_one_that_asks_once) {
  Bench bench({.n_ctx = 256});
  std::vector<RequestId> often;
  for (int i = 0; i < 4; ++i) often.push_back(bench.ask("again", 7, 2));
  const RequestId once = bench.ask("once", 8, 2);
  bench.run();
  EXPECT_EQ(order_of_ends(bench), (std::vector{often[0], once, often[1], often[2], often[3]}));
}

TEST(SchedulerSlots, a_prompt_that_is_still_read_lets_others_pass_and_keeps_its_place) {
  Bench bench({.n_ctx = 256});
  GenerateRequest request;
  request.max_tokens = 2;
  const RequestId slow = bench.ask_unread(request);
  EXPECT_FALSE(bench.scheduler->has_work());
  EXPECT_FALSE(bench.scheduler->is_idle());
  const RequestId quick = bench.ask("quick", 0, 20), last = bench.ask("last", 0, 2);
  bench.scheduler->advance();
  bench.read(slow, {.raw_text = "slow"});
  bench.run();
  EXPECT_EQ(order_of_ends(bench), (std::vector{quick, slow, last}));
}

TEST(SchedulerSlots, a_stop_of_a_prompt_that_is_still_read_ends_it_and_what_was_read_is_ignored) {
  Bench bench({});
  const RequestId id = bench.ask_unread({});
  bench.sources.at(id).request_stop();
  ASSERT_TRUE(bench.scheduler->has_work());
  bench.scheduler->advance();
  EXPECT_EQ(bench.find<GenerationFinished>(id)->reason, FinishReason::kStopped);
  bench.read(id, {.raw_text = "late"});
  bench.run();
  EXPECT_EQ(bench.events.size(), 1U);
  EXPECT_EQ(bench.machine.n_steps, 0U);
}

}  // namespace
}  // namespace headroom
