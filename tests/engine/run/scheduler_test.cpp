#include "run/scheduler.h"

#include <gtest/gtest.h>

#include "engine/run/scheduler_bench.h"

namespace headroom {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace): the fixture's names

GenerateRequest asked_with(const SamplerSettings& settings, std::uint32_t number) {
  GenerateRequest request;
  request.prompt.raw_text = "hello " + std::to_string(number);
  request.max_tokens = 20;
  request.sampler = settings;
  request.sampler.seed = 7 + number;
  return request;
}

// A flat distribution, so that settings show in what is chosen.
void make_flat(Machine& machine) {
  machine.next = [](const std::vector<TokenId>&) { return TokenId{'a'}; };
  machine.highest = 13.0F;
}

TEST(Scheduler, usual_settings_read_no_whole_row_and_those_that_keep_every_token_one_for_each) {
  const auto n_rows_read = [](const SamplerSettings& settings) {
    Bench bench({});
    make_flat(bench.machine);
    const RequestId id = bench.ask(asked_with(settings, 0));
    bench.run();
    EXPECT_EQ(bench.find<GenerationFinished>(id)->stats.generated_tokens, 20U);
    return bench.session->n_rows_read();
  };
  EXPECT_EQ(n_rows_read({}), 0U);
  EXPECT_EQ(n_rows_read({.temperature = 0.8F, .repetition_penalty = 1.1F}), 0U);
  EXPECT_EQ(n_rows_read({.temperature = 0.0F, .presence_penalty = 0.5F}), 0U);
  EXPECT_EQ(n_rows_read({.top_k = 0, .top_p = 1.0F, .min_p = 0.0F}), 20U);
}

TEST(Scheduler, answers_of_one_step_keep_their_own_settings_and_seeds) {
  const std::vector<SamplerSettings> settings{{.temperature = 0.0F},
                                              {.temperature = 2.0F, .repetition_penalty = 1.1F},
                                              {.temperature = 2.0F, .top_k = 0, .top_p = 1.0F, .min_p = 0.0F}};
  std::vector<std::string> alone, together;
  for (std::uint32_t slot = 0; slot < 3; ++slot) {
    Bench bench({.n_slots = 3});
    make_flat(bench.machine);
    const RequestId id = bench.ask(asked_with(settings[slot], slot));
    bench.run();
    alone.push_back(bench.text(id));
  }
  Bench bench({.n_slots = 3});
  make_flat(bench.machine);
  std::vector<RequestId> ids;
  for (std::uint32_t slot = 0; slot < 3; ++slot) ids.push_back(bench.ask(asked_with(settings[slot], slot)));
  bench.run();
  for (const RequestId id : ids) together.push_back(bench.text(id));
  EXPECT_LT(bench.machine.n_steps, 30U) << "of 20 tokens each, one after the other 60";
  EXPECT_EQ(together, alone);
  EXPECT_NE(alone[1], alone[2]);
}

TEST(Scheduler, an_answer_ends_with_its_token_limit_and_figures) {
  Bench bench({});
  const RequestId id = bench.ask("hello", 0, 5);
  bench.run();
  EXPECT_EQ(bench.text(id).size(), 5U);
  const auto* end = bench.find<GenerationFinished>(id);
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(end->reason, FinishReason::kMaxTokens);
  EXPECT_EQ(end->stats.prompt_tokens, 5U);
  EXPECT_EQ(end->stats.generated_tokens, 5U);
  EXPECT_EQ(end->stats.decode_steps, 4U);
  EXPECT_EQ(end->decode_times.n_steps, 4U);
  EXPECT_EQ(end->decode_times.n_positions, 6U + 7 + 8 + 9);
  EXPECT_EQ(end->stats.context_used, 10U);
  EXPECT_NE(end->stats.seed, 0U);
}

TEST(Scheduler, the_end_token_ends_the_turn_and_is_not_shown) {
  Bench bench({});
  bench.machine.next = [](const std::vector<TokenId>& tokens) { return tokens.size() < 8 ? TokenId{'y'} : TokenId{0}; };
  const RequestId id = bench.ask("hello");
  bench.run();
  EXPECT_EQ(bench.text(id), "yyy");
  EXPECT_EQ(bench.find<GenerationFinished>(id)->reason, FinishReason::kEndOfTurn);
  EXPECT_EQ(bench.find<GenerationFinished>(id)->stats.generated_tokens, 3U);
}

TEST(Scheduler, the_next_turn_reuses_what_the_cache_holds_and_says_the_same) {
  Bench bench({});
  const RequestId first = bench.ask("hello", 0, 6);
  bench.run();
  const std::string second_prompt = "hello" + bench.text(first) + "more";
  const RequestId second = bench.ask(second_prompt, 0, 6);
  bench.run();
  EXPECT_EQ(bench.find<GenerationFinished>(second)->stats.reused_tokens, 10U)
      << "the sixth answer token was shown, not computed";
  Bench fresh({});
  const RequestId alone = fresh.ask(second_prompt, 0, 6);
  fresh.run();
  EXPECT_EQ(fresh.find<GenerationFinished>(alone)->stats.reused_tokens, 0U);
  EXPECT_EQ(bench.text(second), fresh.text(alone));
}

TEST(Scheduler, a_prompt_of_n_ctx_less_one_leaves_room_for_one_token) {
  Bench bench({.n_ctx = 32});
  const RequestId id = bench.ask(letters(31));
  bench.run();
  EXPECT_EQ(bench.text(id).size(), 1U);
  EXPECT_EQ(bench.find<GenerationFinished>(id)->reason, FinishReason::kContextFull);
  EXPECT_EQ(bench.find<GenerationFinished>(id)->stats.context_used, 32U);
}

TEST(Scheduler, a_prompt_of_n_ctx_or_more_is_too_long_and_changes_nothing) {
  Bench bench({.n_ctx = 32});
  bench.ask("hello", 0, 2);
  bench.run();
  const std::size_t n_held = bench.session->cache().tokens(0).size();
  const std::uint64_t n_steps = bench.machine.n_steps;
  for (const std::size_t n : {std::size_t{32}, std::size_t{33}}) {
    const RequestId id = bench.ask(letters(n));
    bench.run();
    ASSERT_NE(bench.find<PromptTooLong>(id), nullptr) << n;
    EXPECT_EQ(bench.find<PromptTooLong>(id)->prompt_tokens, n);
    EXPECT_EQ(bench.find<PromptTooLong>(id)->n_ctx, 32U);
  }
  EXPECT_EQ(bench.session->cache().tokens(0).size(), n_held);
  EXPECT_EQ(bench.machine.n_steps, n_steps);
}

TEST(Scheduler, an_answer_that_reaches_n_ctx_ends_as_a_full_context) {
  Bench bench({.n_ctx = 32});
  const RequestId id = bench.ask("hello");
  bench.run();
  EXPECT_EQ(bench.text(id).size(), 27U);
  EXPECT_EQ(bench.find<GenerationFinished>(id)->reason, FinishReason::kContextFull);
  EXPECT_EQ(bench.find<Failed>(id), nullptr);
}

TEST(Scheduler, answers_side_by_side_are_those_of_each_alone) {
  const std::vector<std::string> prompts{"first prompt that takes several chunks", "second", "third one"};
  Bench together({.n_slots = 3});
  std::vector<RequestId> ids;
  for (std::uint32_t slot = 0; slot < 3; ++slot) ids.push_back(together.ask(prompts[slot], slot, 12));
  together.run();
  EXPECT_EQ(together.machine.widest_step, 8U);
  for (std::uint32_t slot = 0; slot < 3; ++slot) {
    Bench alone({});
    const RequestId id = alone.ask(prompts[slot], 0, 12);
    alone.run();
    EXPECT_EQ(together.text(ids[slot]), alone.text(id)) << slot;
  }
}

TEST(Scheduler, several_slots_share_a_decode_step) {
  Bench bench({.n_slots = 2});
  bench.ask("a", 0, 10);
  bench.ask("b", 1, 10);
  bench.run();
  EXPECT_LE(bench.machine.n_steps, 2U + 10U) << "two prefills, and decode steps of both together";
}

TEST(Scheduler, requests_wait_for_a_slot) {
  Bench bench({});
  const RequestId first = bench.ask("one", 0, 3);
  const RequestId second = bench.ask("two", 0, 3);
  bench.run();
  EXPECT_EQ(bench.text(first).size(), 3U);
  EXPECT_EQ(bench.text(second).size(), 3U);
}

TEST(Scheduler, a_stop_takes_effect_within_one_token) {
  Bench bench({.n_ctx = 1024});
  const RequestId id = bench.ask("hello");
  for (int i = 0; i < 5; ++i) bench.scheduler->advance();
  const std::uint64_t n_steps = bench.machine.n_steps;
  bench.sources.at(id).request_stop();
  bench.run();
  EXPECT_EQ(bench.machine.n_steps, n_steps);
  EXPECT_EQ(bench.find<GenerationFinished>(id)->reason, FinishReason::kStopped);
  EXPECT_EQ(bench.text(id).size(), bench.find<GenerationFinished>(id)->stats.generated_tokens)
      << "text under way is shown";
}

TEST(Scheduler, a_stop_inside_the_prefill_keeps_the_finished_chunks) {
  Bench bench({});
  RequestId id = 0;
  bench.machine.before_step = [&] {
    if (bench.machine.n_steps == 2) bench.sources.at(id).request_stop();
  };
  id = bench.ask(letters(40));
  bench.run();
  EXPECT_EQ(bench.find<GenerationFinished>(id)->reason, FinishReason::kStopped);
  EXPECT_EQ(bench.find<GenerationFinished>(id)->stats.generated_tokens, 0U);
  EXPECT_EQ(bench.session->cache().tokens(0).size(), 16U);
}

TEST(Scheduler, a_stop_before_the_start_computes_nothing) {
  Bench bench({});
  const RequestId id = bench.ask("hello");
  bench.sources.at(id).request_stop();
  bench.run();
  EXPECT_EQ(bench.machine.n_steps, 0U);
  EXPECT_EQ(bench.find<GenerationFinished>(id)->reason, FinishReason::kStopped);
}

TEST(Scheduler, a_stop_of_a_waiting_request_takes_effect_while_another_answers) {
  Bench bench({.n_ctx = 1024});
  const RequestId running = bench.ask("hello");
  const RequestId waiting = bench.ask("other");
  for (int i = 0; i < 3; ++i) bench.scheduler->advance();
  bench.sources.at(waiting).request_stop();
  bench.scheduler->advance();
  ASSERT_NE(bench.find<GenerationFinished>(waiting), nullptr);
  EXPECT_EQ(bench.find<GenerationFinished>(waiting)->reason, FinishReason::kStopped);
  EXPECT_EQ(bench.find<GenerationFinished>(running), nullptr);
}

TEST(Scheduler, a_queue_that_is_full_refuses_with_its_bound_and_goes_on) {
  Bench bench({.n_ctx = 1024});
  std::vector<RequestId> ids;
  for (std::size_t i = 0; i <= kMostWaitingRequests; ++i) {
    ids.push_back(bench.ask("hello", 0, 2));
    if (i == 0) bench.scheduler->advance();
  }
  const RequestId refused = bench.ask("one more", 0, 2);
  ASSERT_NE(bench.find<Failed>(refused), nullptr);
  EXPECT_EQ(bench.find<Failed>(refused)->error.code, ErrorCode::kResource);
  EXPECT_NE(bench.find<Failed>(refused)->error.message.text().find("32 requests wait"), std::string::npos);
  bench.run();
  for (const RequestId id : ids) EXPECT_NE(bench.find<GenerationFinished>(id), nullptr) << id;
}

TEST(Scheduler, a_stop_string_ends_the_answer_before_it) {
  Bench bench({});
  bench.machine.next = [](const std::vector<TokenId>& tokens) {
    return TokenId(std::string("?abcdefg")[tokens.size() % 8]);
  };
  GenerateRequest request;
  request.prompt.raw_text = "x";
  request.stop_strings = {"cd"};
  request.sampler.temperature = 0.0F;
  const RequestId id = bench.ask(std::move(request));
  bench.run();
  EXPECT_EQ(bench.text(id), "ab");
  EXPECT_EQ(bench.find<GenerationFinished>(id)->reason, FinishReason::kStopString);
}

TEST(Scheduler, the_prompt_is_read_in_chunks_of_the_batch) {
  Bench bench({.n_ctx = 64, .n_batch = 16});
  bench.ask(letters(40), 0, 1);
  bench.run();
  EXPECT_EQ(bench.machine.n_steps, 3U);
  EXPECT_EQ(bench.machine.n_rows, 40U);
  EXPECT_EQ(bench.machine.widest_step, 16U);
}

TEST(Scheduler, bad_requests_fail_by_name) {
  Bench bench({});
  const auto message = [&](auto change) {
    GenerateRequest request;
    request.prompt.raw_text = "x";
    change(request);
    const RequestId id = bench.ask(std::move(request));
    bench.run();
    const auto* failed = bench.find<Failed>(id);
    return failed == nullptr ? std::string() : failed->error.message.text();
  };
  EXPECT_NE(message([](GenerateRequest& r) { r.n_top_logprobs = 21; }).find("at most 20"), std::string::npos);
  EXPECT_NE(message([](GenerateRequest& r) { r.prompt.raw_text = ""; }).find("empty"), std::string::npos);
  EXPECT_NE(message([](GenerateRequest& r) { r.sampler.top_p = 2.0F; }).find("top-p"), std::string::npos);
  EXPECT_NE(message([](GenerateRequest& r) {
              r.prompt.messages = {{"user", "hi"}};
            }).find("chat template"),
            std::string::npos);
}

TEST(Scheduler, the_plain_form_is_used_once_agreed_to) {
  Bench bench({});
  GenerateRequest request;
  request.prompt.messages = {{"user", "hi"}};
  request.prompt.allow_plain_template = true;
  request.max_tokens = 2;
  const RequestId id = bench.ask(std::move(request));
  bench.run();
  EXPECT_NE(bench.find<GenerationFinished>(id), nullptr);
}

}  // namespace
}  // namespace headroom
