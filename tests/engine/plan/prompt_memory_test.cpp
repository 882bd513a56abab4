#include "plan/prompt_memory.h"

#include <gtest/gtest.h>

#include "plan/memory_plan.h"

namespace headroom {
namespace {

TEST(PromptMemory, grows_with_the_context_and_the_longest_token) {
  const Bytes small = prompt_memory(16, {.n_ctx = 512}).total();
  EXPECT_LT(small, 8 * kMiB);
  EXPECT_GT(prompt_memory(16, {.n_ctx = 131072}).total(), small);
  EXPECT_GT(prompt_memory(128, {.n_ctx = 512}).total(), small);
  EXPECT_LT(prompt_memory(128, {.n_ctx = 131072}).total(), 128 * kMiB) << "beside a cache of gibibytes";
}

TEST(PromptMemory, a_vocabulary_with_a_giant_token_takes_no_more_than_one_with_long_ones) {
  EXPECT_EQ(prompt_memory(~0U, {.n_ctx = 4096}).total(), prompt_memory(kMostTokenBytes, {.n_ctx = 4096}).total());
}

TEST(PromptMemory, a_model_that_reads_no_text_takes_nothing_for_it) {
  ModelInfo model;
  EXPECT_EQ(most_prompt_bytes(model, {.n_ctx = 512}), 0U);
  model.longest_token_bytes = 16;
  EXPECT_EQ(most_prompt_bytes(model, {.n_ctx = 512}), prompt_memory(16, {.n_ctx = 512}).total());
}

}  // namespace
}  // namespace headroom
