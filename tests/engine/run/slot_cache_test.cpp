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
  EXPECT_EQ(cache.reusable(0, count_up(5)), 0U);
  fill(cache, 0, 10);
  EXPECT_EQ(cache.reusable(0, count_up(5)), 5U);
  EXPECT_EQ(cache.reusable(0, count_up(12)), 10U);
  EXPECT_EQ(cache.reusable(0, std::vector<TokenId>{0, 1, 2, 9, 4}), 3U);
  EXPECT_EQ(cache.reusable(0, std::vector<TokenId>{7}), 0U);
}

TEST(SlotCache, slots_are_apart_and_counted_together) {
  OwnCache own({.n_slots = 2});
  SlotCache& cache = own.cache;
  fill(cache, 0, 3);
  fill(cache, 1, 4);
  EXPECT_EQ(cache.n_tokens_in_all(), 7U);
  cache.take_back(0, 1);
  EXPECT_EQ(cache.tokens(0).size(), 1U);
  EXPECT_EQ(cache.tokens(1).size(), 4U);
  cache.copy(1, 0, 2);
  EXPECT_EQ(cache.tokens(0).size(), 2U);
}

// Window 32 and batch 8 give 64 rows of a context of 256 (rounded up to whole groups).
TEST(SlotCache, a_window_that_was_overwritten_cannot_be_gone_back_to) {
  OwnCache own({.n_ctx = 256, .n_batch = 8, .window = 32});
  SlotCache& cache = own.cache;
  fill(cache, 0, 64);
  EXPECT_EQ(cache.reusable(0, count_up(10)), 10U) << "nothing was overwritten yet";
  fill(cache, 0, 36);  // positions 0..35 are gone
  EXPECT_EQ(cache.reusable(0, count_up(68)), 68U) << "position 68 looks back to 37";
  EXPECT_EQ(cache.reusable(0, count_up(67)), 0U) << "position 67 looks back to 36, and a margin of one row is kept";
}

TEST(SlotCache, going_back_twice_remembers_what_was_overwritten_first) {
  OwnCache own({.n_ctx = 256, .n_batch = 8, .window = 32});
  SlotCache& cache = own.cache;
  fill(cache, 0, 100);
  cache.take_back(0, 70);
  EXPECT_EQ(cache.reusable(0, count_up(60)), 0U);
  cache.take_back(0, 0);
  fill(cache, 0, 20);
  EXPECT_EQ(cache.reusable(0, count_up(10)), 10U) << "an empty slot starts afresh";
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

}  // namespace
}  // namespace headroom
