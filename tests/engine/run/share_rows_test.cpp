#include "run/share_rows.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace headroom {
namespace {

std::vector<std::uint32_t> shares(std::uint32_t n_rows, std::vector<PromptShare> prompts) {
  share_rows(n_rows, prompts);
  std::vector<std::uint32_t> rows;
  for (const PromptShare& prompt : prompts) rows.push_back(prompt.n_rows);
  return rows;
}
using Rows = std::vector<std::uint32_t>;

TEST(ShareRows, a_lone_prompt_has_all_and_no_more_than_it_has_left) {
  EXPECT_EQ(shares(256, {{4000}}), Rows{256});
  EXPECT_EQ(shares(256, {{100}}), Rows{100});
  EXPECT_EQ(shares(256, {}), Rows{});
}

TEST(ShareRows, what_a_short_one_leaves_goes_to_the_others) {
  EXPECT_EQ(shares(256, {{20}, {4000}}), (Rows{20, 236}));
  EXPECT_EQ(shares(90, {{1000}, {10}, {1000}}), (Rows{40, 10, 40}));
}

TEST(ShareRows, what_cannot_be_shared_equally_goes_to_those_that_waited_longest) {
  EXPECT_EQ(shares(8, {{100, 5}, {100, 3}, {100, 5}}), (Rows{3, 3, 2}));
  EXPECT_EQ(shares(2, {{100, 5}, {100, 3}, {100, 4}}), (Rows{0, 1, 1}));
}

// Of five prompts and two rows a step each is served in every third step at the latest.
TEST(ShareRows, where_there_are_more_prompts_than_rows_nobody_starves) {
  std::vector<PromptShare> prompts(5, PromptShare{1000});
  for (std::uint64_t step = 1; step <= 60; ++step) {
    share_rows(2, prompts);
    for (PromptShare& prompt : prompts) {
      if (prompt.n_rows > 0) prompt.served_at = step;
      EXPECT_GE(prompt.served_at + 2, step);
    }
  }
}

TEST(ShareRows, random_prompts_use_all_rows_that_they_can_and_none_beyond) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<PromptShare> prompts(1 + random() % 9);
    std::uint32_t n_left = 0;
    for (PromptShare& prompt : prompts) {
      prompt = {1 + static_cast<std::uint32_t>(random() % 300), random() % 10};
      n_left += prompt.n_left;
    }
    const auto n_rows = static_cast<std::uint32_t>(random() % 600);
    share_rows(n_rows, prompts);
    std::uint32_t sum = 0;
    for (const PromptShare& prompt : prompts) {
      EXPECT_LE(prompt.n_rows, prompt.n_left);
      EXPECT_GE(prompt.n_rows, std::min<std::uint32_t>(prompt.n_left, n_rows / prompts.size()));
      sum += prompt.n_rows;
    }
    EXPECT_EQ(sum, std::min(n_rows, n_left));
  }
}

TEST(ShareRows, beside_answers_prompts_have_few_rows_of_a_step) {
  PlanOptions options{.n_slots = 4, .n_batch = 256};
  EXPECT_EQ(most_prompt_rows(options, 0), 256U);
  EXPECT_EQ(most_prompt_rows(options, 1), kPromptRowsBesideAnswers);
  options.n_batch = 8;
  EXPECT_EQ(most_prompt_rows(options, 3), 5U) << "a step has eight rows";
  options.n_slots = 9;
  EXPECT_EQ(most_prompt_rows(options, 8), 1U);
}

}  // namespace
}  // namespace headroom
