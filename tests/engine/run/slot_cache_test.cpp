#include "run/slot_cache.h"

#include <gtest/gtest.h>

#include "support/fake_backend.h"

namespace headroom {
namespace {

// With the room for its tokens.
struct OwnCache {
  explicit OwnCache(const fake::Setup& setup)
      : options(fake::make_plan(setup)->options),
        tokens(std::size_t{options.n_slots} * options.n_ctx),
        cache(*fake::make_info(setup), options, tokens) {}
  PlanOptions options;
  std::vector<TokenId> tokens;
  SlotCache cache;
};

void fill(SlotCache& cache, std::uint32_t slot, std::uint32_t n_tokens) {
  for (std::uint32_t i = 0; i < n_tokens; ++i) cache.append(slot, static_cast<TokenId>(cache.tokens(slot).size()));
}
std::vector<TokenId> count_up(std::uint32_t n_tokens) {
  std::vector<TokenId> tokens;
  for (std::uint32_t i = 0; i < n_tokens; ++i) tokens.push_back(i);
  return tokens;
}

TEST(SlotCache, reuses_the_longest_common_prefix) {
  OwnCache own({});
  SlotCache& cache = own.cache;
  EXPECT_EQ(cache.reusable(0, count_up(5)).n_tokens, 0U);
  fill(cache, 0, 10);
  EXPECT_EQ(cache.reusable(0, count_up(5)).n_tokens, 4U) << "the last token of a prompt is computed";
  EXPECT_EQ(cache.reusable(0, count_up(12)).n_tokens, 10U);
  EXPECT_EQ(cache.reusable(0, std::vector<TokenId>{0, 1, 2, 9, 4}).n_tokens, 3U);
  EXPECT_EQ(cache.reusable(0, std::vector<TokenId>{7}).n_tokens, 0U);
}

TEST(SlotCache, slots_are_apart_and_counted_together) {
  OwnCache own({.n_slots = 2});
  SlotCache& cache = own.cache;
  fill(cache, 0, 3);
  fill(cache, 1, 4);
  EXPECT_EQ(cache.n_tokens_in_all(), 7U);
  cache.resume(0, cache.resume_at(0, 1));
  EXPECT_EQ(cache.tokens(0).size(), 1U);
  EXPECT_EQ(cache.tokens(1).size(), 4U);
  cache.copy(1, 0, cache.resume_at(1, 2));
  EXPECT_EQ(cache.tokens(0).size(), 2U);
}

// Window 32 and batch 8 give 64 rows of a context of 256 (rounded up to whole groups).
TEST(SlotCache, a_window_that_was_overwritten_cannot_be_gone_back_to) {
  OwnCache own({.n_ctx = 256, .n_batch = 8, .window = 32});
  SlotCache& cache = own.cache;
  fill(cache, 0, 64);
  EXPECT_EQ(cache.resume_at(0, 10).n_tokens, 10U) << "nothing was overwritten yet";
  fill(cache, 0, 36);  // positions 0..35 are gone
  EXPECT_EQ(cache.resume_at(0, 68).n_tokens, 68U) << "position 68 looks back to 37";
  EXPECT_EQ(cache.resume_at(0, 67).n_tokens, 0U) << "position 67 looks back to 36, and a margin of one row is kept";
}

TEST(SlotCache, going_back_twice_remembers_what_was_overwritten_first) {
  OwnCache own({.n_ctx = 256, .n_batch = 8, .window = 32});
  SlotCache& cache = own.cache;
  fill(cache, 0, 100);
  cache.resume(0, cache.resume_at(0, 70));
  EXPECT_EQ(cache.resume_at(0, 60).n_tokens, 0U);
  cache.clear(0);
  fill(cache, 0, 20);
  EXPECT_EQ(cache.resume_at(0, 10).n_tokens, 10U) << "an empty slot starts afresh";
}

TEST(SlotCache, tokens_that_are_staged_stand_behind_those_that_it_holds_and_are_not_held) {
  OwnCache own({.n_slots = 2});
  SlotCache& cache = own.cache;
  fill(cache, 0, 3);
  fill(cache, 1, 1);
  cache.stage(0, 3, 70);
  const std::span<const TokenId> staged = cache.stage(0, 4, 71);
  EXPECT_EQ(std::vector<TokenId>(staged.begin(), staged.end()), (std::vector<TokenId>{0, 1, 2, 70, 71}));
  EXPECT_EQ(cache.tokens(0).size(), 3U);
  EXPECT_EQ(cache.tokens(1).size(), 1U);
  cache.append(0, 70);
  EXPECT_EQ(staged.back(), 71U) << "valid until what was staged is there";
}

// A cache with windows and so many checkpoints, and a prompt of messages: a token of 1,000 or more is control.
struct Messages {
  explicit Messages(std::int32_t n_checkpoints) : own({.n_ctx = 1024, .n_batch = 8, .window = 32}) {
    own.options.n_checkpoints = n_checkpoints;
    cache.emplace(*fake::make_info({.n_ctx = 1024, .n_batch = 8, .window = 32}), own.options, own.tokens);
  }
  // Ends every message of these lengths with a control token.
  static std::vector<TokenId> prompt(std::initializer_list<std::uint32_t> lengths) {
    std::vector<TokenId> tokens;
    for (const std::uint32_t n : lengths) {
      for (std::uint32_t i = 0; i + 1 < n; ++i) tokens.push_back(i);
      tokens.push_back(1000);
    }
    return tokens;
  }
  // Reads on to the end, and makes each checkpoint where it is due; returns where.
  std::vector<std::uint32_t> read(const std::vector<TokenId>& prompt) {
    cache->resume(0, cache->reusable(0, prompt));
    cache->plan_checkpoints(0, prompt, [](TokenId token) { return token >= 1000; });
    std::vector<std::uint32_t> made;
    const auto make = [&] {
      if (const auto index = cache->due_checkpoint(0)) {
        cache->checkpoint_made(0, *index);
        made.push_back(static_cast<std::uint32_t>(cache->tokens(0).size()));
      }
    };
    make();
    for (std::size_t at = cache->tokens(0).size(); at < prompt.size(); ++at) {
      cache->append(0, prompt[at]);
      make();
    }
    return made;
  }
  OwnCache own;
  std::optional<SlotCache> cache;
};

TEST(SlotCheckpoints, stand_in_front_of_control_tokens_and_of_the_last_token_far_from_one) {
  Messages messages(8);
  std::vector<TokenId> prompt = Messages::prompt({20, 30, 2, 40});
  EXPECT_EQ(messages.read(prompt), (std::vector<std::uint32_t>{19, 49, 91})) << "51 is too near 49";
  prompt.insert(prompt.end(), 70, 5);
  EXPECT_EQ(messages.read(prompt), (std::vector<std::uint32_t>{161}));
  EXPECT_EQ(messages.cache->n_checkpoints(0), 4U);
}

// The two newest, and of the rest those behind the longest messages.
TEST(SlotCheckpoints, of_a_long_conversation_keep_the_two_newest_and_what_saves_most) {
  Messages messages(4);
  EXPECT_EQ(messages.read(Messages::prompt({200, 10, 10, 150, 10, 10, 20})),
            (std::vector<std::uint32_t>{199, 369, 389, 409}));
}

TEST(SlotCheckpoints, give_way_only_where_a_new_one_needs_their_place) {
  Messages messages(2);
  messages.read(Messages::prompt({100, 100}));
  std::vector<TokenId> longer = Messages::prompt({100, 100, 100});
  messages.cache->plan_checkpoints(0, longer, [](TokenId token) { return token >= 1000; });
  EXPECT_EQ(messages.cache->n_checkpoints(0), 2U) << "what was planned is not there yet";
  EXPECT_EQ(messages.read(longer), (std::vector<std::uint32_t>{299}));
  EXPECT_EQ(messages.cache->n_checkpoints(0), 2U);
  EXPECT_EQ(messages.cache->resume_at(0, 250).n_tokens, 199U);
  EXPECT_EQ(messages.cache->resume_at(0, 150).n_tokens, 0U) << "the first one gave way";
}

TEST(SlotCheckpoints, behind_what_is_gone_back_to_are_forgotten) {
  Messages messages(4);
  messages.read(Messages::prompt({100, 100, 100}));
  const SlotCache::Resume at = messages.cache->resume_at(0, 210);
  EXPECT_EQ(at.n_tokens, 199U);
  ASSERT_TRUE(at.checkpoint.has_value());
  messages.cache->resume(0, at);
  EXPECT_EQ(messages.cache->tokens(0).size(), 199U);
  EXPECT_EQ(messages.cache->n_checkpoints(0), 2U);
  messages.cache->clear(0);
  EXPECT_EQ(messages.cache->n_checkpoints(0), 0U);
}

TEST(SlotCheckpoints, that_were_passed_over_are_not_made) {
  Messages messages(4);
  const std::vector<TokenId> prompt = Messages::prompt({100, 100});
  messages.cache->plan_checkpoints(0, prompt, [](TokenId token) { return token >= 1000; });
  EXPECT_EQ(messages.cache->next_checkpoint(0), 99U);
  for (std::size_t i = 0; i < 150; ++i) messages.cache->append(0, prompt[i]);
  EXPECT_EQ(messages.cache->next_checkpoint(0), 199U);
  EXPECT_EQ(messages.cache->due_checkpoint(0), std::nullopt);
}

}  // namespace
}  // namespace headroom
