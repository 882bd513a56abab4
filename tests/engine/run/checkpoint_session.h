// Checkpoints at work: answers that are generated again, messages that are changed and steps that broke off go on from
// them and say what computing afresh says; of a model with states and of one with narrow windows, on whatever devices a
// test has.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/run/loaded_fixture.h"
#include "engine/run/state_model.h"
#include "support/relative_error.h"

namespace headroom::test::checkpoints {

// A cache of 48 rows of each layer with a window: going back further than a batch finds them overwritten.
inline RandomModelSpec with_windows() {
  RandomModelSpec spec;
  spec.architecture = "gemma3";
  spec.n_layers = 4;
  spec.d_model = 64;
  spec.d_ff = 96;
  spec.window = 20;
  spec.n_ctx_trained = 512;
  return spec;
}

// Every second layer is a short convolution.
inline RandomModelSpec with_convolutions() {
  RandomModelSpec spec;
  spec.architecture = "lfm2";
  spec.n_layers = 4;
  spec.d_model = 64;
  spec.d_ff = 96;
  spec.conv_width = 3;
  spec.n_ctx_trained = 512;
  return spec;
}

// Every second layer has a window; the last two read caches of the first two, and all have layer inputs.
inline RandomModelSpec with_shared_caches() {
  RandomModelSpec spec = with_windows();
  spec.architecture = "gemma4";
  spec.n_experts = 0;
  spec.window_period = 2;
  spec.window_head_dim = 16;
  spec.n_shared_caches = 2;
  spec.input_dim = 8;
  return spec;
}

// Every second layer has a window; scores have sinks, and each row goes through two of four experts.
inline RandomModelSpec with_sinks() {
  RandomModelSpec spec = with_windows();
  spec.architecture = "gpt-oss";
  spec.window_period = 2;
  return spec;
}

inline RandomModelSpec spec_of(const std::string& kind) {
  if (kind == "states") return model_with_states();
  if (kind == "convolutions") return with_convolutions();
  if (kind == "shared_caches") return with_shared_caches();
  if (kind == "sinks") return with_sinks();
  CHECK(kind == "windows", "a kind of model that is not there");
  return with_windows();
}

// The parameters: what cannot go back, a kind of spec_of(); how many of four layers are not on the CPU.
class CheckpointSessions : public ::testing::TestWithParam<std::tuple<std::string, std::int32_t>> {
 protected:
  using Tokens = std::vector<TokenId>;
  static constexpr std::uint32_t kContext = 512, kBatch = 24, kAnswer = 6;

  CheckpointSessions() : opened_(open_or_die(make_random_model(spec(), folder_.path()))) {}

  virtual std::shared_ptr<const MemoryPlan> plan(const ModelInfo& info, const PlanOptions& options) {
    return plan_or_die(info, options);
  }

  static RandomModelSpec spec() { return spec_of(std::get<0>(GetParam())); }

  std::unique_ptr<Session> open(std::int32_t n_checkpoints, std::uint32_t n_slots = 1, DType kv = DType::kF32) {
    PlanOptions options;
    options.n_ctx = kContext;
    options.n_batch = kBatch;
    options.n_slots = n_slots;
    options.kv_k = options.kv_v = kv;
    options.n_checkpoints = n_checkpoints;
    options.n_gpu_layers = std::get<1>(GetParam());
    options.devices = {{options.n_gpu_layers > 0 ? 1U : 0U}};
    const std::shared_ptr<const MemoryPlan> made = plan(*opened_.info, options);
    return session_or_die(load_or_die(opened_, made), made);
  }

  TokenId control() const {
    for (TokenId id = 0;; ++id) {
      if (parts_.tokenizer->is_control(id)) return id;
    }
  }

  // A message between two control tokens, as a template writes one.
  Tokens message(std::size_t n, std::uint32_t seed) {
    Tokens tokens{control(), control()};
    for (std::size_t i = 0; i < n; ++i)
      tokens.push_back(static_cast<TokenId>(10 + (i * 37 + seed * 101 + i * i) % 230));
    tokens.push_back(control());
    return tokens;
  }
  Tokens header() { return {control(), 20, 21}; }  // of the answer to come

  struct Answer {
    Tokens text;
    std::vector<float> first_logits;
    std::uint32_t n_reused = 0, n_computed = 0;
  };
  // As the scheduler reads: steps end where the slot is to have a checkpoint. The likeliest token each time.
  static Answer answer(Session& session, std::uint32_t slot, const Tokens& prompt) {
    const Result<std::uint32_t> reused = session.begin_prompt(slot, prompt);
    CHECK(reused.ok(), reused.error().message.text().c_str());
    Answer said;
    said.n_reused = *reused;
    const auto step = [&](std::span<const TokenId> rows) {
      const Status done = session.step({slot, rows, 1}, {});
      CHECK(done.ok(), done.error().message.text().c_str());
      said.n_computed += static_cast<std::uint32_t>(rows.size());
    };
    for (std::span<const TokenId> rest = std::span(prompt).subspan(*reused); !rest.empty();) {
      const auto n_left = static_cast<std::uint32_t>(std::min<std::size_t>(rest.size(), kBatch));
      const std::uint32_t n = session.rows_to_checkpoint(slot, n_left);
      step(rest.first(n));
      rest = rest.subspan(n);
    }
    std::vector<float> logits = said.first_logits = all_logits(session, 1);
    for (std::uint32_t i = 0; i < kAnswer; ++i) {
      said.text.push_back(static_cast<TokenId>(std::ranges::max_element(logits) - logits.begin()));
      if (i + 1 == kAnswer) break;  // the last one is shown and not computed
      step({&said.text.back(), 1});
      logits = all_logits(session, 1);
    }
    return said;
  }
  void expect_as_afresh(const Answer& found, const Tokens& prompt) {
    const Answer fresh = answer(*open(0), 0, prompt);
    EXPECT_EQ(found.text, fresh.text);
    EXPECT_LT(relative_error(found.first_logits, fresh.first_logits), 1e-5);
  }
  static Tokens joined(std::initializer_list<Tokens> parts) {
    Tokens all;
    for (const Tokens& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  }

  void expect_an_answer_that_is_generated_again_computes_its_header_alone() {
    const Tokens system = message(70, 1), question = message(90, 2);
    const Tokens prompt = joined({system, question, header()});
    const std::unique_ptr<Session> session = open(3);
    const Answer first = answer(*session, 0, prompt);
    EXPECT_EQ(first.n_reused, 0U);
    // A state goes on from the control token that ends the question, and computes it and the header. A window still has
    // all that it needs: the last token is computed.
    const bool has_states = opened_.info->is_recurrent();
    const auto border = static_cast<std::uint32_t>(prompt.size() - 1 - (has_states ? header().size() : 0));
    for (int time = 0; time < 3; ++time) {
      const Answer again = answer(*session, 0, prompt);
      EXPECT_EQ(again.n_reused, border);
      EXPECT_EQ(again.text, first.text);
      EXPECT_LT(relative_error(again.first_logits, first.first_logits), 1e-5);
    }
    expect_as_afresh(first, prompt);
    EXPECT_EQ(session->n_allocations_after_open(), 0U);
  }

  void expect_a_changed_message_goes_on_from_before_it() {
    const Tokens history = joined({message(70, 1), message(60, 2)}), question = message(80, 3), other = message(85, 4);
    const std::unique_ptr<Session> session = open(3);
    answer(*session, 0, joined({history, question, header()}));
    const Tokens changed = joined({history, other, header()});
    const Answer found = answer(*session, 0, changed);
    EXPECT_GE(found.n_reused + 4, history.size());
    expect_as_afresh(found, changed);
  }

  // As many borders as checkpoints: from the last to the first each is taken up once.
  void expect_each_border_can_be_gone_back_to(std::uint32_t n_borders) {
    std::vector<Tokens> messages;
    Tokens all;
    for (std::uint32_t i = 0; i < n_borders; ++i) {
      messages.push_back(message(30 + 3 * i, i));
      all = joined({all, messages.back()});
    }
    const std::unique_ptr<Session> session = open(static_cast<std::int32_t>(2 * n_borders));
    answer(*session, 0, joined({all, header()}));
    for (std::size_t n_kept = n_borders - 1; n_kept >= 1; --n_kept) {
      SCOPED_TRACE(n_kept);
      Tokens kept;
      for (std::size_t i = 0; i < n_kept; ++i) kept = joined({kept, messages[i]});
      const Tokens prompt = joined({kept, message(25, 50 + static_cast<std::uint32_t>(n_kept)), header()});
      const Answer found = answer(*session, 0, prompt);
      EXPECT_GE(found.n_reused + 4, kept.size());
      expect_as_afresh(found, prompt);
    }
  }

  void expect_a_stopped_prompt_goes_on_from_its_last_checkpoint() {
    const Tokens prompt = joined({message(70, 1), message(60, 2), message(90, 3), header()});
    const std::unique_ptr<Session> session = open(4);
    ASSERT_TRUE(session->begin_prompt(0, prompt).ok());
    std::size_t n_read = 0;
    while (n_read < 160) {
      const std::uint32_t n = session->rows_to_checkpoint(0, kBatch);
      ASSERT_TRUE(session->step({0, std::span(prompt).subspan(n_read, n), 0}, {}).ok());
      n_read += n;
    }
    StopSource stop;
    stop.request_stop();
    const Status stopped = session->step({0, std::span(prompt).subspan(n_read, 10), 0}, stop.token());
    ASSERT_FALSE(stopped.ok());
    EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
    EXPECT_GE(session->cache().tokens(0).size(), 130U) << "the border between the second message and the third";
    const Answer found = answer(*session, 0, prompt);
    EXPECT_GE(found.n_reused, 130U);
    expect_as_afresh(found, prompt);
  }

  void expect_another_conversation_begins_from_a_checkpoint_of_a_slot_that_is_further() {
    const Tokens system = message(90, 1);
    const Tokens first = joined({system, message(120, 2), header()}),
                 second = joined({system, message(40, 3), header()});
    const std::unique_ptr<Session> session = open(3, 2);
    const Answer held = answer(*session, 0, first);
    const Answer found = answer(*session, 1, second);
    EXPECT_GE(found.n_reused + 4, system.size());
    expect_as_afresh(found, second);
    EXPECT_EQ(answer(*session, 0, first).text, held.text) << "the first slot is as it was";
    EXPECT_EQ(answer(*session, 1, second).text, found.text) << "and the second one has checkpoints of its own";
  }

  void expect_planned_is_mapped(std::initializer_list<DType> caches, std::initializer_list<std::int32_t> numbers) {
    for (const DType kv : caches) {
      for (const std::int32_t n : numbers) {
        const std::unique_ptr<Session> session = open(n, 2, kv);
        const Tokens prompt = joined({message(70, 1), message(90, 2), header()});
        const Tokens text = answer(*session, 0, prompt).text;
        EXPECT_EQ(answer(*session, 0, prompt).text, text);
        for (const ArenaReport& arena : session->memory_report().arenas)
          EXPECT_EQ(arena.planned_bytes, arena.mapped_bytes) << arena.device;
        EXPECT_EQ(session->n_allocations_after_open(), 0U);
        EXPECT_EQ(session->plan().bytes_of(RegionGroup::kCheckpoints) > 0, n > 0);
      }
    }
  }

  TempFolder folder_;
  OpenedFile opened_;
  TextParts parts_ = read_text_parts(opened_.file).value();
};

}  // namespace headroom::test::checkpoints
