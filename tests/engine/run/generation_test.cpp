// What an answer says and what its model thinks, from the first token to the last.
#include "run/generation.h"

#include "engine/run/scheduler_bench.h"

namespace headroom {
namespace {

using test::Bench;

constexpr const char* kTemplate =
    "{% for m in messages %}<{{ m.role }}>{{ m.content.split('</think>')[-1].strip() }}{% endfor %}<assistant>";

std::string thinking(const Bench& bench, RequestId id) {
  std::string text;
  for (const Event& event : bench.events) {
    if (const auto* delta = std::get_if<TextDelta>(&event.body); delta != nullptr && event.request == id)
      text += delta->thinking;
  }
  return text;
}

// A bench whose model says `words` behind every prompt, each letter a token.
struct Speaker {
  explicit Speaker(std::string words) : bench({.n_ctx = 2048, .n_batch = 64, .chat_template = kTemplate}) {
    bench.machine.next = [this, words = std::move(words)](const std::vector<TokenId>& tokens) {
      const std::size_t at = tokens.size() - n_prompt;
      return at < words.size() ? static_cast<TokenId>(words[at]) : TokenId{0};
    };
  }
  RequestId ask(const GenerateRequest& request) {
    const PromptOutcome outcome =
        read_prompt(bench.session->model().text(), request.prompt, bench.session->plan().options);
    n_prompt = std::get<ReadPrompt>(outcome).tokens.size();
    const RequestId id = bench.ask(request);
    bench.run();
    return id;
  }
  static GenerateRequest request(std::vector<ChatMessage> messages) {
    GenerateRequest request;
    request.prompt.messages = std::move(messages);
    request.sampler.temperature = 0.0F;
    return request;
  }

  std::size_t n_prompt = 0;
  Bench bench;
};

TEST(Generation, what_is_thought_comes_apart_from_what_is_said) {
  Speaker model("<think>\nIs it?\n</think>\n\nIt is.");
  const RequestId id = model.ask(Speaker::request({{"user", "a"}}));
  EXPECT_EQ(thinking(model.bench, id), "Is it?");
  EXPECT_EQ(model.bench.text(id), "It is.");
  EXPECT_EQ(model.bench.find<GenerationFinished>(id)->reason, FinishReason::kEndOfTurn);
}

TEST(Generation, each_text_tells_how_far_its_own_context_is_used) {
  Speaker model("It is.");
  const RequestId id = model.ask(Speaker::request({{"user", "a"}}));
  std::uint32_t n_used = 0, n_tokens = 0;
  for (const Event& event : model.bench.events) {
    const auto* delta = std::get_if<TextDelta>(&event.body);
    if (delta == nullptr) continue;
    n_tokens += static_cast<std::uint32_t>(delta->tokens.size());
    EXPECT_EQ(delta->context_used, model.n_prompt + n_tokens);
    n_used = delta->context_used;
  }
  EXPECT_EQ(n_used, model.bench.find<GenerationFinished>(id)->stats.context_used);
}

TEST(Generation, a_text_without_turns_is_told_as_it_is) {
  Speaker model("<think>a</think>b");
  GenerateRequest request = Speaker::request({});
  request.prompt.raw_text = "x";
  const RequestId id = model.ask(request);
  EXPECT_EQ(model.bench.text(id), "<think>a</think>b");
  EXPECT_EQ(thinking(model.bench, id), "");
}

TEST(Generation, a_thought_that_meets_its_limit_is_told_to_its_last_letter) {
  Speaker model("<think>abc</think>d");
  GenerateRequest request = Speaker::request({{"user", "a"}});
  request.max_tokens = 12;
  const RequestId id = model.ask(request);
  EXPECT_EQ(thinking(model.bench, id), "abc</");
  EXPECT_EQ(model.bench.text(id), "");
}

TEST(Generation, a_stop_string_ends_thoughts_and_answers_and_none_reaches_from_one_into_the_other) {
  const auto said = [](const char* stop) {
    Speaker model("<think>abc</think>cde");
    GenerateRequest request = Speaker::request({{"user", "a"}});
    request.stop_strings = {stop};
    const RequestId id = model.ask(request);
    return thinking(model.bench, id) + "|" + model.bench.text(id);
  };
  EXPECT_EQ(said("b"), "a|");
  EXPECT_EQ(said("d"), "abc|c");
  EXPECT_EQ(said("cc"), "abc|cde");
}

TEST(Generation, a_stopped_thought_is_continued_as_one) {
  Speaker model(" of it\n</think>\n\nIt is.");
  GenerateRequest request = Speaker::request({{"user", "a"}, {"assistant", "", "I think"}});
  request.prompt.continue_last = true;
  const RequestId id = model.ask(request);
  EXPECT_EQ(thinking(model.bench, id), " of it");
  EXPECT_EQ(model.bench.text(id), "It is.");
}

// The template leaves out what was thought in earlier turns: behind each answer the prompt is computed from where that
// answer began, and nothing before it twice.
TEST(Generation, a_chat_of_thirty_turns_with_thoughts_computes_each_turn_once_more_at_most) {
  Speaker model("<think>\nIs it so? It may be.\n</think>\n\nIt is.");
  std::vector<ChatMessage> messages;
  std::size_t n_before = 0;
  for (int turn = 0; turn < 30; ++turn) {
    messages.push_back({"user", "And number " + std::to_string(turn) + "?"});
    const RequestId id = model.ask(Speaker::request(messages));
    const auto* end = model.bench.find<GenerationFinished>(id);
    ASSERT_NE(end, nullptr);
    ASSERT_EQ(end->reason, FinishReason::kEndOfTurn);
    EXPECT_GE(end->stats.reused_tokens, n_before) << "turn " << turn;
    n_before = end->stats.prompt_tokens;
    messages.push_back({"assistant", model.bench.text(id), thinking(model.bench, id)});
  }
  EXPECT_EQ(messages.back().content, "It is.");
}

}  // namespace
}  // namespace headroom
