// Sessions of a model with states: prompts in pieces, several slots, copies of prefixes, and steps that broke off give
// the texts that computing afresh gives, on whatever devices a test has.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/run/loaded_fixture.h"
#include "engine/run/state_model.h"
#include "format/dtype_table.h"
#include "support/relative_error.h"

namespace headroom::test::states {

inline constexpr std::uint32_t kStateContext = 256, kStateBatch = 24, kStateSlots = 3, kAnswer = 10;

using Tokens = std::vector<TokenId>;

inline Tokens tokens_of(std::size_t n, std::uint32_t seed) {
  Tokens tokens(n);
  for (std::size_t i = 0; i < n; ++i) tokens[i] = static_cast<TokenId>(3 + (i * 37 + seed * 101 + i * i) % 280);
  return tokens;
}

inline Tokens joined(const Tokens& first, const Tokens& second) {
  Tokens all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

inline std::vector<float> read(Session& session, std::uint32_t slot, std::span<const TokenId> rest,
                               std::size_t n_step) {
  while (!rest.empty()) {
    const std::size_t n = std::min(n_step, rest.size());
    const Status done = session.step({slot, rest.first(n), 1}, {});
    CHECK(done.ok(), done.error().message.text().c_str());
    rest = rest.subspan(n);
  }
  return all_logits(session, 1);
}

// What a slot says after `prompt`, the likeliest token each time; `n_reused`: what begin_prompt() is expected to find.
struct Answer {
  Tokens text;
  std::vector<float> first_logits;
};
inline Answer answer(Session& session, std::uint32_t slot, const Tokens& prompt, std::uint32_t n_reused,
                     std::size_t n_step = kStateBatch) {
  const Result<std::uint32_t> reused = session.begin_prompt(slot, prompt);
  CHECK(reused.ok(), reused.error().message.text().c_str());
  EXPECT_EQ(*reused, n_reused);
  Answer said;
  std::vector<float> logits = said.first_logits = read(session, slot, std::span(prompt).subspan(*reused), n_step);
  for (std::uint32_t i = 0; i < kAnswer; ++i) {
    said.text.push_back(static_cast<TokenId>(std::ranges::max_element(logits) - logits.begin()));
    logits = read(session, slot, {&said.text.back(), 1}, 1);
  }
  return said;
}

// The parameter: how many of four layers are not on the CPU. Layers 1 and 3 have attention.
class StateSessions : public ::testing::TestWithParam<std::int32_t> {
 protected:
  StateSessions() : opened_(open_or_die(make_random_model(model_with_states(), folder_.path()))) {}

  virtual std::shared_ptr<const MemoryPlan> plan(const ModelInfo& info, const PlanOptions& options) {
    return plan_or_die(info, options);
  }

  void expect_a_prompt_in_pieces_gives_the_same_text(std::initializer_list<std::size_t> sizes) {
    const Tokens prompt = tokens_of(101, 1);
    const Answer whole = afresh(prompt);
    const std::unique_ptr<Session> session = open();
    for (const std::size_t n_step : sizes) {
      SCOPED_TRACE(n_step);
      session->clear(0);
      const Answer pieces = answer(*session, 0, prompt, 0, n_step);
      EXPECT_EQ(pieces.text, whole.text);
      EXPECT_LT(relative_error(pieces.first_logits, whole.first_logits), 1e-5);
    }
    EXPECT_EQ(session->n_allocations_after_open(), 0U);
  }

  void expect_slots_that_share_steps_say_what_each_says_alone() {
    const std::vector<Tokens> prompts{tokens_of(30, 1), tokens_of(17, 2), tokens_of(41, 3)};
    const std::unique_ptr<Session> session = open();
    std::vector<std::span<const TokenId>> left(prompts.begin(), prompts.end());
    std::vector<Tokens> texts(kStateSlots);
    // Seven tokens of each prompt at a time; who has read its own answers beside the others.
    for (std::uint32_t slot = 0; slot < kStateSlots; ++slot)
      ASSERT_TRUE(session->begin_prompt(slot, prompts[slot]).ok());
    while (std::ranges::any_of(texts, [](const Tokens& text) { return text.size() < kAnswer; })) {
      std::vector<SlotRows> parts;
      for (std::uint32_t slot = 0; slot < kStateSlots; ++slot) {
        if (!left[slot].empty()) {
          parts.push_back({slot, left[slot].first(std::min<std::size_t>(7, left[slot].size())), 1});
        } else if (texts[slot].size() < kAnswer) {
          parts.push_back({slot, {&texts[slot].back(), 1}, 1});
        }
      }
      ASSERT_TRUE(session->step(parts, {}).ok());
      const std::vector<float> logits = all_logits(*session, parts.size());
      const auto n_vocab = static_cast<std::ptrdiff_t>(opened_.info->n_vocab);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::uint32_t slot = parts[i].slot;
        if (!left[slot].empty()) left[slot] = left[slot].subspan(parts[i].tokens.size());
        if (!left[slot].empty()) continue;
        const auto row = logits.begin() + static_cast<std::ptrdiff_t>(i) * n_vocab;
        texts[slot].push_back(static_cast<TokenId>(std::max_element(row, row + n_vocab) - row));
      }
    }
    for (std::uint32_t slot = 0; slot < kStateSlots; ++slot) EXPECT_EQ(texts[slot], afresh(prompts[slot]).text) << slot;
  }

  void expect_a_prefix_is_copied_with_its_state() {
    const Tokens prefix = tokens_of(60, 1), longer = joined(prefix, tokens_of(15, 2));
    const std::unique_ptr<Session> session = open();
    ASSERT_TRUE(session->begin_prompt(0, prefix).ok());
    read(*session, 0, prefix, kStateBatch);
    EXPECT_EQ(answer(*session, 2, longer, 60).text, afresh(longer).text);
    // The first slot is as it was.
    const Tokens other = joined(prefix, tokens_of(9, 3));
    EXPECT_EQ(answer(*session, 0, other, 60).text, afresh(other).text);
  }

  void expect_a_conversation_goes_on_where_it_stands_and_begins_again_where_it_was_changed() {
    const Tokens prompt = tokens_of(50, 1);
    const std::unique_ptr<Session> session = open();
    const Answer first = answer(*session, 0, prompt, 0);
    const Tokens next = joined(joined(prompt, first.text), tokens_of(12, 2));
    EXPECT_EQ(answer(*session, 0, next, 60).text, afresh(next).text);
    Tokens edited = next;
    edited[55] = edited[55] == 7 ? 8 : 7;
    EXPECT_EQ(answer(*session, 0, edited, 0).text, afresh(edited).text);
    // The same prompt again: its last token has to be computed, and the state stands behind it.
    EXPECT_EQ(answer(*session, 0, edited, 0).text, afresh(edited).text);
    EXPECT_EQ(*session->take_back(0, 3), 0U);
  }

  void expect_a_step_that_was_stopped_leaves_its_slots_empty_and_the_others_alone() {
    const Tokens prompt = tokens_of(50, 1), other = tokens_of(30, 2);
    const std::unique_ptr<Session> session = open();
    ASSERT_TRUE(session->begin_prompt(0, prompt).ok() && session->begin_prompt(1, other).ok());
    read(*session, 0, std::span(prompt).first(24), kStateBatch);
    read(*session, 1, std::span(other).first(20), kStateBatch);
    StopSource stop;
    stop.request_stop();
    const Status stopped = session->step({0, std::span(prompt).subspan(24, 10), 1}, stop.token());
    ASSERT_FALSE(stopped.ok());
    EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
    EXPECT_TRUE(session->cache().tokens(0).empty());
    EXPECT_EQ(session->cache().tokens(1).size(), 20U);
    EXPECT_EQ(answer(*session, 1, other, 20).text, afresh(other).text);
    EXPECT_EQ(answer(*session, 0, prompt, 0).text, afresh(prompt).text);
  }

  void expect_planned_is_mapped_with_every_cache_type() {
    const Tokens prompt = tokens_of(90, 4);
    for (const DTypeRow& type : kDTypes) {
      if (!type.is_kv) continue;
      const std::unique_ptr<Session> session = open(type.dtype);
      answer(*session, 0, prompt, 0);
      const MemoryReport report = session->memory_report();
      for (const ArenaReport& arena : report.arenas) EXPECT_EQ(arena.planned_bytes, arena.mapped_bytes) << type.name;
      EXPECT_EQ(report.grown.n_arenas, 0U) << type.name;
    }
  }

 private:
  std::unique_ptr<Session> open(DType kv = DType::kF32) {
    PlanOptions options;
    options.n_ctx = kStateContext;
    options.n_batch = kStateBatch;
    options.n_slots = kStateSlots;
    options.n_logit_rows = kStateSlots;
    options.kv_k = options.kv_v = kv;
    options.n_checkpoints = 0;  // checkpoint_session_test.cpp has them
    options.n_gpu_layers = GetParam();
    options.devices = {{GetParam() > 0 ? 1U : 0U}};
    const std::shared_ptr<const MemoryPlan> made = plan(*opened_.info, options);
    return session_or_die(load_or_die(opened_, made), made);
  }
  Answer afresh(const Tokens& prompt) { return answer(*open(), 0, prompt, 0); }

  TempFolder folder_;
  OpenedFile opened_;
};

}  // namespace headroom::test::states
