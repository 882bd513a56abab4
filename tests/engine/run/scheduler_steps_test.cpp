// What a step is made of: rows of answers, and beside them rows of prompts.
#include <gtest/gtest.h>

#include "engine/run/scheduler_bench.h"

namespace headroom {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace): the fixture's names

using RowsBySlot = std::map<std::uint32_t, std::uint32_t>;

// The rows of each step of a bench, by slot.
std::vector<RowsBySlot>& keep_steps(Bench& bench, std::vector<RowsBySlot>& steps) {
  bench.machine.saw_rows = [&steps](std::span<const StepRow> rows) {
    RowsBySlot& step = steps.emplace_back();
    for (const StepRow& row : rows) ++step[row.slot];
  };
  return steps;
}

std::uint32_t rows_of(const RowsBySlot& step, std::uint32_t slot) { return step.contains(slot) ? step.at(slot) : 0; }

TEST(SchedulerSteps, an_answer_is_in_every_step_and_waits_for_few_rows_of_prompts) {
  Bench bench({.n_ctx = 2048, .n_slots = 3, .n_batch = 256});
  const RequestId answer = bench.ask("hello", 1, 60);
  for (int i = 0; i < 3; ++i) bench.scheduler->advance();
  std::vector<RowsBySlot> steps;
  keep_steps(bench, steps);
  bench.ask(letters(900, 'b'), 2, 1);
  bench.ask(letters(700, 'c'), 3, 1);
  while (bench.find<GenerationFinished>(answer) == nullptr) bench.scheduler->advance();
  ASSERT_GT(steps.size(), 20U);
  for (const RowsBySlot& step : steps) {
    EXPECT_EQ(rows_of(step, 0), 1U);
    EXPECT_LE(rows_of(step, 1) + rows_of(step, 2), kPromptRowsBesideAnswers);
  }
  EXPECT_EQ(rows_of(steps[0], 1) + rows_of(steps[0], 2), kPromptRowsBesideAnswers);
  EXPECT_EQ(bench.find<GenerationFinished>(answer)->stats.most_prompt_rows_beside, kPromptRowsBesideAnswers);
  bench.run();
}

TEST(SchedulerSteps, a_short_prompt_is_read_beside_a_long_one_that_came_before) {
  Bench bench({.n_ctx = 2048, .n_slots = 2, .n_batch = 128});
  bench.ask(letters(1500, 'a'), 1, 1);
  bench.scheduler->advance();
  const RequestId quick = bench.ask(letters(10, 'b'), 2, 1);
  bench.scheduler->advance();
  EXPECT_NE(bench.find<GenerationFinished>(quick), nullptr) << "its rows were in the next step";
  bench.run();
}

TEST(SchedulerSteps, prompts_have_the_whole_batch_where_nobody_answers) {
  Bench bench({.n_ctx = 512, .n_slots = 3, .n_batch = 128});
  std::vector<RowsBySlot> steps;
  keep_steps(bench, steps);
  bench.ask(letters(20, 'a'), 1, 1);
  bench.ask(letters(200, 'b'), 2, 1);
  bench.ask(letters(200, 'c'), 3, 1);
  bench.run();
  ASSERT_GE(steps.size(), 3U);
  EXPECT_EQ(steps[0], (RowsBySlot{{0, 20}, {1, 54}, {2, 54}}));
  EXPECT_EQ(steps[1], (RowsBySlot{{1, 64}, {2, 64}}));
}

TEST(SchedulerSteps, a_lone_prompt_and_a_lone_answer_have_steps_of_their_own) {
  Bench bench({.n_ctx = 512, .n_slots = 3, .n_batch = 128});
  std::vector<RowsBySlot> steps;
  keep_steps(bench, steps);
  const RequestId id = bench.ask(letters(300), 1, 4);
  bench.run();
  EXPECT_EQ(steps, (std::vector<RowsBySlot>{{{0, 128}}, {{0, 128}}, {{0, 44}}, {{0, 1}}, {{0, 1}}, {{0, 1}}}));
  EXPECT_FALSE(bench.find<GenerationFinished>(id)->stats.shared_prefill);
  EXPECT_EQ(prompt_times(bench.find<GenerationFinished>(id)->stats).n_tokens, 300U);
}

TEST(SchedulerSteps, steps_that_were_shared_refine_no_speed) {
  Bench bench({.n_ctx = 512, .n_slots = 2, .n_batch = 128});
  bench.ask(letters(20, 'a'), 1, 30);
  const RequestId other = bench.ask(letters(200, 'b'), 2, 20);
  bench.run();
  const auto* end = bench.find<GenerationFinished>(other);
  EXPECT_TRUE(end->stats.shared_prefill);
  EXPECT_EQ(prompt_times(end->stats).n_tokens, 0U);
  EXPECT_EQ(end->decode_times.n_steps, 0U) << "until then each step had rows of both";
}

TEST(SchedulerSteps, answers_beside_prompts_are_those_of_each_alone) {
  const std::vector<std::string> prompts{letters(5, 'a'), letters(300, 'b'), letters(90, 'c'), letters(40, 'd')};
  Bench together({.n_ctx = 512, .n_slots = 4, .n_batch = 96});
  std::vector<RequestId> ids;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    ids.push_back(together.ask(prompts[i], i + 1, 30));
    together.scheduler->advance();
    together.scheduler->advance();
  }
  together.run();
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    Bench alone({.n_ctx = 512});
    const RequestId id = alone.ask(prompts[i], 0, 30);
    alone.run();
    EXPECT_EQ(together.text(ids[i]), alone.text(id)) << i;
  }
}

TEST(SchedulerSteps, a_step_of_several_that_fails_ends_all_that_were_in_it_and_no_other) {
  Bench bench({.n_ctx = 512, .n_slots = 2, .n_batch = 64});
  const RequestId a = bench.ask("hello", 1, 9), b = bench.ask(letters(200, 'b'), 2, 9), later = bench.ask("c", 3, 2);
  for (int i = 0; i < 2; ++i) bench.scheduler->advance();
  bench.machine.fails_steps = true;
  bench.scheduler->advance();
  bench.machine.fails_steps = false;
  bench.run();
  for (const RequestId id : {a, b}) {
    ASSERT_NE(bench.find<Failed>(id), nullptr);
    EXPECT_EQ(bench.find<Failed>(id)->error.code, ErrorCode::kResource);
  }
  EXPECT_NE(bench.find<GenerationFinished>(later), nullptr);
}

TEST(SchedulerSteps, deltas_carry_each_token_of_the_answer_once) {
  Bench bench({});
  const RequestId id = bench.ask("hello", 0, 12);
  bench.run();
  std::string of_tokens;
  for (const Event& event : bench.events) {
    const auto* delta = std::get_if<TextDelta>(&event.body);
    if (delta == nullptr) continue;
    for (const AnswerToken& token : delta->tokens) {
      of_tokens += static_cast<char>(token.id);
      EXPECT_TRUE(token.likeliest.empty()) << "nobody asked";
    }
  }
  EXPECT_EQ(of_tokens, bench.text(id));
  EXPECT_EQ(of_tokens.size(), 12U);
}

}  // namespace
}  // namespace headroom
