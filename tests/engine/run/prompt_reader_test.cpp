#include "run/prompt_reader.h"

#include <gtest/gtest.h>

#include <chrono>

#include "plan/prompt_memory.h"
#include "support/fake_backend.h"

namespace headroom {
namespace {

using namespace std::chrono_literals;

// One that takes as long as a test lets it.
class SlowTokenizer : public fake::CharTokenizer {
 public:
  void encode_to(TokenSink& sink, std::span<const TextPiece> pieces, bool add_special) const override {
    ++n_begun;
    while (is_slow && !sink.is_stopped()) std::this_thread::sleep_for(1ms);
    CharTokenizer::encode_to(sink, pieces, add_special);
  }
  mutable std::atomic<int> n_begun = 0;
  std::atomic<bool> is_slow = true;
};

class PromptReaderTest : public testing::Test {
 protected:
  Status read(RequestId id, std::string text) {
    return reader_.read(id, {tokenizer_, nullptr, {}}, {.raw_text = std::move(text)}, {.n_ctx = 64});
  }
  // Until so many were read, or for long enough to fail.
  std::vector<RequestId> wait_for(std::size_t n) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, 20s, [&] { return read_.size() >= n; });
    return read_;
  }
  void wait_until_begun(int n) {
    for (int i = 0; i < 20'000 && tokenizer_->n_begun < n; ++i) std::this_thread::sleep_for(1ms);
    ASSERT_GE(tokenizer_->n_begun, n);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<RequestId> read_;
  std::shared_ptr<SlowTokenizer> tokenizer_ = std::make_shared<SlowTokenizer>();
  PromptReader reader_{[this](RequestId id, const PromptOutcome& outcome) {
    EXPECT_TRUE(std::holds_alternative<ReadPrompt>(outcome));
    const std::lock_guard lock(mutex_);
    read_.push_back(id);
    changed_.notify_all();
  }};
};

TEST_F(PromptReaderTest, prompts_are_read_in_order_while_whoever_asks_goes_on) {
  for (RequestId id = 1; id <= 3; ++id) ASSERT_TRUE(read(id, "hello").ok());
  EXPECT_TRUE(wait_for(0).empty());
  tokenizer_->is_slow = false;
  EXPECT_EQ(wait_for(3), (std::vector<RequestId>{1, 2, 3}));
}

TEST_F(PromptReaderTest, what_is_dropped_is_not_told_and_the_next_is_read) {
  for (RequestId id = 1; id <= 3; ++id) ASSERT_TRUE(read(id, "hello").ok());
  ASSERT_NO_FATAL_FAILURE(wait_until_begun(1));
  reader_.drop(2);
  reader_.drop(1);
  reader_.drop(99);
  ASSERT_NO_FATAL_FAILURE(wait_until_begun(2));
  tokenizer_->is_slow = false;
  EXPECT_EQ(wait_for(1), std::vector<RequestId>{3});
}

TEST_F(PromptReaderTest, texts_that_wait_are_no_more_than_is_planned) {
  const Bytes most = prompt_memory(1, {.n_ctx = 64}).waiting;
  ASSERT_TRUE(read(1, "hello").ok());
  ASSERT_NO_FATAL_FAILURE(wait_until_begun(1));  // what is read next waits behind it
  ASSERT_TRUE(read(2, std::string(most - 15, 'x')).ok());
  const Status refused = read(3, std::string(20, 'x'));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kResource);
  EXPECT_NE(refused.error().message.text().find(std::to_string(most)), std::string::npos)
      << refused.error().message.text();
  ASSERT_TRUE(read(4, std::string(10, 'x')).ok());
  reader_.drop(2);
  reader_.drop(4);
}

TEST_F(PromptReaderTest, it_ends_in_the_middle_of_a_prompt) {
  for (RequestId id = 1; id <= 3; ++id) ASSERT_TRUE(read(id, "hello").ok());
  ASSERT_NO_FATAL_FAILURE(wait_until_begun(1));
}

}  // namespace
}  // namespace headroom
