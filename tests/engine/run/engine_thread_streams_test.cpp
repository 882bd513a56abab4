// Streams of random requests against the real engine thread with four slots: the same texts as one after the other.
//
// A reference device computes: each row by itself, in double, so that a text does not depend on how many rows a step
// has. On a CPU more rows go through kernels that add in another order, and a tie may fall the other way.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "base/heap.h"
#include "engine/run/engine_fixture.h"
#include "plan/prompt_memory.h"
#include "run/share_rows.h"
#include "support/reference_devices.h"

namespace headroom {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace): the fixture's names

struct ToldAnswer {
  std::string text;
  std::vector<TokenId> tokens;
  std::optional<GenerationFinished> finished;
  bool is_too_long = false, has_failed = false;
};

// What is told of each request.
class ToldAnswers {
 public:
  void take(const Event& event) {
    const std::lock_guard lock(mutex_);
    if (event.request == 0) return;
    ToldAnswer& answer = answers_[event.request];
    if (const auto* delta = std::get_if<TextDelta>(&event.body)) {
      answer.text += delta->text;
      for (const AnswerToken& token : delta->tokens) answer.tokens.push_back(token.id);
    }
    if (const auto* end = std::get_if<GenerationFinished>(&event.body)) answer.finished = *end;
    answer.is_too_long |= std::holds_alternative<PromptTooLong>(event.body);
    answer.has_failed |= std::holds_alternative<Failed>(event.body);
    if (!end_of_request(event.body).empty()) ++n_ended_;
    changed_.notify_all();
  }
  bool wait_for_ends(std::size_t n) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(2), [&] { return n_ended_ >= n; });
  }
  // And forgets them all.
  std::map<RequestId, ToldAnswer> take_answers() {
    const std::lock_guard lock(mutex_);
    n_ended_ = 0;
    return std::exchange(answers_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<RequestId, ToldAnswer> answers_;
  std::size_t n_ended_ = 0;
};

class EngineThreadStreams : public testing::Test {
 protected:
#ifdef __SANITIZE_THREAD__
  static constexpr std::uint32_t kRequests = 150, kPrompts = 40;  // a clock runs some twenty times slower
#else
  static constexpr std::uint32_t kRequests = 2000, kPrompts = 300;
#endif
  static constexpr std::uint32_t kContext = 160, kSlots = 4, kBatch = 96, kMostTokens = 24, kMostInFlight = 24;

  static RandomModelSpec tiny() {
    RandomModelSpec spec;
    spec.n_layers = 1;
    spec.d_model = 32;
    spec.n_heads = 2;
    spec.n_kv_heads = 1;
    spec.d_ff = 32;
    return spec;
  }
  PlanOptions options_of(std::uint32_t n_slots) const {
    PlanOptions options = context_of(kContext);
    options.n_batch = kBatch;
    options.n_slots = n_slots;
    options.n_gpu_layers = 1;
    options.devices = {{1}};
    return options;
  }
  std::string random_text(std::size_t n) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i) text += static_cast<char>('a' + random_() % 26);
    return text;
  }
  // Many begin alike, some are near the end of the context, and a few beyond it.
  std::vector<std::string> random_prompts() {
    std::vector<std::string> beginnings, prompts;
    for (const std::size_t n : {0, 20, 40, 60, 90}) beginnings.push_back(random_text(n));
    while (prompts.size() < kPrompts) {
      const std::size_t n_more = random_() % 20 == 0 ? 60 + random_() % 60 : 1 + random_() % 40;
      prompts.push_back(beginnings[random_() % beginnings.size()] + random_text(n_more));
    }
    return prompts;
  }
  static GenerateRequest greedy(const std::string& prompt, std::uint32_t max_tokens) {
    GenerateRequest request = ask(prompt, max_tokens);
    request.sampler.temperature = 0;
    return request;
  }
  void load(EngineThread& engine, std::uint32_t n_slots) {
    engine.load(model_.request(options_of(n_slots)));
    ASSERT_TRUE(told_.wait_for_ends(1));
    told_.take_answers();
  }
  // As long as any request asks for.
  std::vector<ToldAnswer> one_after_the_other(const std::vector<std::string>& prompts) {
    EngineThread engine([this](const Event& event) { told_.take(event); }, make_backend);
    load(engine, 1);
    std::vector<ToldAnswer> answers;
    for (const std::string& prompt : prompts) {
      const RequestId id = engine.generate(greedy(prompt, kMostTokens));
      EXPECT_TRUE(told_.wait_for_ends(1));
      answers.push_back(told_.take_answers()[id]);
    }
    return answers;
  }

  struct Asked {
    std::size_t prompt = 0;
    std::uint32_t max_tokens = 0;
    ConversationId conversation = 0;
    bool is_stopped = false;
  };
  void run_stream(EngineThread& engine, const std::vector<std::string>& prompts,
                  const std::vector<ToldAnswer>& expected, std::uint32_t n_requests);
  void check(const Asked& asked, const ToldAnswer& found, const ToldAnswer& expected);

  ReferenceDevices devices_{"64MiB"};
  OnDisk model_{tiny()};
  std::mt19937 random_{7};
  ToldAnswers told_;
  std::map<FinishReason, std::uint32_t> n_by_reason_;
  std::uint32_t n_too_long_ = 0, n_reused_ = 0, most_rows_beside_ = 0;
  std::uint64_t longest_wait_ = 0;
};

void EngineThreadStreams::check(const Asked& asked, const ToldAnswer& found, const ToldAnswer& expected) {
  ASSERT_FALSE(found.has_failed);
  ASSERT_EQ(found.is_too_long && !asked.is_stopped, expected.is_too_long && !asked.is_stopped);
  n_too_long_ += found.is_too_long ? 1 : 0;
  if (!found.finished) return;
  const GenerationStats& stats = found.finished->stats;
  ++n_by_reason_[found.finished->reason];
  ASSERT_EQ(found.tokens.size(), stats.generated_tokens);
  ASSERT_LE(found.tokens.size(), expected.tokens.size());
  ASSERT_TRUE(std::equal(found.tokens.begin(), found.tokens.end(), expected.tokens.begin()));
  ASSERT_TRUE(expected.text.starts_with(found.text)) << found.text << " of " << expected.text;
  if (found.finished->reason != FinishReason::kStopped) {
    ASSERT_EQ(found.tokens.size(), std::min<std::size_t>(asked.max_tokens, expected.tokens.size()));
  } else {
    ASSERT_TRUE(asked.is_stopped);
  }
  ASSERT_FALSE(stats.grown.engine_took_something());
  n_reused_ += stats.reused_tokens > 0 ? 1 : 0;
  most_rows_beside_ = std::max(most_rows_beside_, stats.most_prompt_rows_beside);
  longest_wait_ = std::max(longest_wait_, stats.waited_steps);
  // No answer takes more steps than the context has positions. Those that are ahead of one that names no conversation
  // when it comes are all that can begin before it, in four slots; of a conversation they may all be its own.
  const std::uint64_t n_ahead = asked.conversation == 0 ? kMostWaitingRequests / kSlots : kMostWaitingRequests;
  ASSERT_LE(stats.waited_steps, (n_ahead + 1) * kContext);
}

void EngineThreadStreams::run_stream(EngineThread& engine, const std::vector<std::string>& prompts,
                                     const std::vector<ToldAnswer>& expected, std::uint32_t n_requests) {
  std::map<RequestId, Asked> asked;
  std::vector<RequestId> to_stop;
  for (std::uint32_t n = 0; n < n_requests; ++n) {
    ASSERT_TRUE(told_.wait_for_ends(n < kMostInFlight ? 0 : n + 1 - kMostInFlight));
    const Asked next{random_() % prompts.size(), 1 + static_cast<std::uint32_t>(random_() % kMostTokens),
                     random_() % 3 == 0 ? 0 : 1 + random_() % 8, random_() % 8 == 0};
    GenerateRequest request = greedy(prompts[next.prompt], next.max_tokens);
    request.conversation = next.conversation;
    const RequestId id = engine.generate(std::move(request));
    asked[id] = next;
    if (next.is_stopped) to_stop.push_back(id);
    // Some while they wait, some while they are answered, some when they are over.
    if (!to_stop.empty() && random_() % 6 == 0) {
      engine.stop(to_stop.front());
      to_stop.erase(to_stop.begin());
    }
  }
  ASSERT_TRUE(told_.wait_for_ends(n_requests)) << "nobody is forgotten";
  const std::map<RequestId, ToldAnswer> answers = told_.take_answers();
  ASSERT_EQ(answers.size(), n_requests);
  for (const auto& [id, one] : asked) {
    ASSERT_NO_FATAL_FAILURE(check(one, answers.at(id), expected[one.prompt])) << "request " << id;
  }
}

TEST_F(EngineThreadStreams, random_requests_give_the_texts_of_one_after_the_other_and_nobody_starves) {
  const std::vector<std::string> prompts = random_prompts();
  const std::vector<ToldAnswer> expected = one_after_the_other(prompts);
  EngineThread engine([this](const Event& event) { told_.take(event); }, make_backend);
  ASSERT_NO_FATAL_FAILURE(load(engine, kSlots));
  ASSERT_NO_FATAL_FAILURE(run_stream(engine, prompts, expected, kRequests / 4));
  const Bytes warm = heap_bytes_in_use();
  ASSERT_NO_FATAL_FAILURE(run_stream(engine, prompts, expected, kRequests - kRequests / 4));
  EXPECT_LT(heap_bytes_in_use(), warm + 64 * kKiB) << "of none of the requests anything is kept";
  for (const FinishReason reason : {FinishReason::kMaxTokens, FinishReason::kContextFull, FinishReason::kStopped})
    EXPECT_GT(n_by_reason_[reason], 0U) << static_cast<int>(reason);
  EXPECT_GT(n_too_long_, 0U);
  EXPECT_GT(n_reused_, kRequests / 4) << "prefixes are shared";
  EXPECT_GT(most_rows_beside_, 0U) << "answers had prompts beside them";
  EXPECT_LE(most_rows_beside_, kPromptRowsBesideAnswers);
  EXPECT_GT(longest_wait_, 0U);
}

}  // namespace
}  // namespace headroom
