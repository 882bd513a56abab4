#include "run/prompt.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "base/heap.h"
#include "plan/prompt_memory.h"
#include "run/load_model.h"
#include "support/fake_backend.h"

namespace headroom {
namespace {

TextParts fake_parts() {
  fake::Machine machine;
  TextParts parts = fake::make_loaded({}, machine)->text();
  return parts;
}

PlanOptions context_of(std::uint32_t n_ctx) { return {.n_ctx = n_ctx}; }

PromptText raw(std::string text) { return {.raw_text = std::move(text)}; }

TEST(Prompt, a_text_of_n_ctx_tokens_or_more_is_too_long_with_its_number) {
  const TextParts parts = fake_parts();
  const PromptOutcome fits = read_prompt(parts, raw(std::string(31, 'x')), context_of(32));
  EXPECT_EQ(std::get<ReadPrompt>(fits).tokens.size(), 31U);
  const PromptOutcome too_long = read_prompt(parts, raw(std::string(32, 'x')), context_of(32));
  EXPECT_EQ(std::get<PromptTooLong>(too_long).prompt_tokens, 32U);
}

TEST(Prompt, a_text_that_cannot_fit_is_refused_by_its_bytes) {
  const TextParts parts = fake_parts();
  const auto refused = refuse_by_bytes(parts, raw(std::string(16 << 20, 'x')), context_of(4096));
  ASSERT_TRUE(refused);
  const auto too_long = std::get<PromptTooLong>(*refused);
  EXPECT_EQ(too_long.text_bytes, Bytes{16} << 20U);
  EXPECT_EQ(too_long.most_bytes, 4096U);
  EXPECT_FALSE(refuse_by_bytes(parts, raw(std::string(4095, 'x')), context_of(4096)));
}

TEST(Prompt, messages_are_refused_by_what_there_is_memory_for_and_with_both_numbers) {
  const TextParts parts = fake_parts();
  PromptText prompt;
  const Bytes most = prompt_memory(1, context_of(4096)).waiting;
  prompt.messages = {{"user", std::string(most - 4, 'x')}};
  EXPECT_FALSE(refuse_by_bytes(parts, prompt, context_of(4096))) << "a template may leave it out";
  prompt.messages.front().content += 'x';
  const auto refused = refuse_by_bytes(parts, prompt, context_of(4096));
  ASSERT_TRUE(refused);
  const Error error = std::get<Error>(*refused);
  EXPECT_EQ(error.code, ErrorCode::kDoesNotFit);
  EXPECT_NE(error.message.text().find(std::to_string(most + 1)), std::string::npos) << error.message.text();
  EXPECT_NE(error.message.text().find(std::to_string(most)), std::string::npos) << error.message.text();
}

TEST(Prompt, a_stop_ends_a_template_and_a_text) {
  TextParts parts = fake_parts();
  StopSource source;
  source.request_stop();
  PromptText prompt;
  prompt.messages = {{"user", "hello"}};
  prompt.allow_plain_template = true;
  for (const PromptText& each : {prompt, raw("hello")}) {
    const PromptOutcome stopped = read_prompt(parts, each, context_of(64), source.token());
    EXPECT_EQ(std::get<Error>(stopped).code, ErrorCode::kCancelled);
  }
}

// The most that the heap grew by while `work` ran.
template <class Work>
Bytes peak_of(Work work) {
  std::atomic<bool> is_done = false;
  const Bytes before = heap_bytes_in_use();
  Bytes most = before;
  std::thread watch([&] {
    while (!is_done) most = std::max(most, heap_bytes_in_use());
  });
  work();
  is_done = true;
  watch.join();
  return most - before;
}

// Real vocabularies: the heap grows by no more than the plan has for prompts, whatever the text is.
TEST(Prompt, reading_takes_no_more_of_the_heap_than_is_planned) {
  const auto folder = std::filesystem::path(HEADROOM_SHARED_DATA) / "tokenizers";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no public vocabularies at " << folder;
  if (heap_bytes_in_use() == 0) GTEST_SKIP() << "the allocator does not tell";
  for (const char* name : {"llama-spm.gguf", "gpt-2.gguf", "falcon.gguf"}) {
    const Result<ModelFile> file = open_model_file(folder / name);
    ASSERT_TRUE(file.ok()) << file.error().message.text();
    Result<TextParts> parts = read_text_parts(*file);
    ASSERT_TRUE(parts.ok()) << parts.error().message.text();
    const PlanOptions options = context_of(8192);
    const PromptMemory memory = prompt_memory(parts->tokenizer->longest_token_bytes(), options);
    for (const char* unit : {"a", " ", "\n", "x y ", "word, and 12 more. ", "\xF0\x9F\x99\x82", "\xFF", "-="}) {
      // As long as a text can be that is not refused by its bytes, with what the template adds.
      const std::size_t most =
          (options.n_ctx - std::size_t{8}) * std::min(parts->tokenizer->longest_token_bytes(), kMostTokenBytes);
      std::string text;
      while (text.size() + std::string_view(unit).size() <= most) text += unit;
      PromptText prompt;
      prompt.messages = {{"user", text}};
      prompt.allow_plain_template = true;
      for (const PromptText& each : {raw(text), prompt}) {
        PromptOutcome outcome;
        const Bytes peak = peak_of([&] { outcome = read_prompt(*parts, each, options); });
        const auto* too_long = std::get_if<PromptTooLong>(&outcome);
        ASSERT_FALSE(std::holds_alternative<Error>(outcome)) << name << ": " << std::get<Error>(outcome).message;
        ASSERT_TRUE(too_long == nullptr || too_long->text_bytes == 0) << "it was read to its end";
        EXPECT_LE(peak, memory.total() - memory.waiting) << name << ": " << unit << " of " << text.size() << " bytes";
      }
    }
  }
}

}  // namespace
}  // namespace headroom
