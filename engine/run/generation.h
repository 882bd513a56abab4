// One answer, from prompt tokens to its finish, as a state that the scheduler moves on step by step.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/stop.h"
#include "run/event.h"
#include "run/generate_request.h"
#include "run/read_prompt.h"
#include "run/sampler.h"
#include "run/session.h"
#include "run/stop_strings.h"
#include "text/thinking_splitter.h"
#include "text/utf8_stream.h"

namespace headroom {

class Generation {
 public:
  enum class Phase { kPrefill, kDecode, kFinished };

  // `prompt` has 1 to n_ctx - 1 tokens and was accepted by session.begin_prompt() for `slot`, which reused `n_reused`
  // of them.
  Generation(Session& session, std::uint32_t slot, const GenerateRequest& request, ReadPrompt prompt,
             std::uint32_t n_reused, const PromptBefore& before, StopToken stop);

  Phase phase() const { return phase_; }
  std::uint32_t slot() const { return slot_; }
  const StopToken& stop_token() const { return stop_; }
  // kPrefill: at least 1. What a step may have of it at most: to its end, or to the slot's next checkpoint.
  std::uint32_t prompt_rows_left() const;

  // What the next step computes of it: the next so many tokens of the prompt, or the last token of the answer.
  SlotRows prompt_rows(std::uint32_t n_rows) const;
  SlotRows answer_row() const { return {slot_, {&next_, 1}, 1}; }

  // A step that it had rows in: how long it took, and what others had in it.
  struct Step {
    double seconds = 0;
    std::uint32_t n_others_prompt_rows = 0;
    bool is_shared = false;
  };
  // Where a row of the step that comes has logits: what samples from it.
  SampledRow sampled_row(std::uint32_t row);
  // Once the step is done: the prompt is read so far, or one token further; and what was sampled.
  void stepped(const Step& step);
  void take(const SampledRow& sampled);

  PrefillProgress prefill_progress() const;
  void waited(std::uint64_t n_steps) { stats_.waited_steps = n_steps; }

  // Ends the answer now, with kStopped.
  void finish_stopped() { finish(FinishReason::kStopped); }

  // Text and tokens since the last call.
  TextDelta take_delta();
  bool has_delta() const { return !delta_.text.empty() || !delta_.thinking.empty() || !delta_.tokens.empty(); }

  GenerationFinished finished() const;  // kFinished

 private:
  std::uint32_t prompt_left() const;
  void say(TokenId token);
  bool say(const std::vector<TextSpan>& spans);
  void finish(FinishReason reason);

  Session& session_;
  std::vector<TokenId> prompt_;
  std::uint32_t slot_, max_tokens_;
  StopToken stop_;
  GenerationStats stats_;
  Sampler sampler_;
  Utf8Stream utf8_;
  ThinkingSplitter splitter_;
  TextKind said_ = TextKind::kAnswer;  // of what stop_strings_ holds
  StopStrings stop_strings_;
  Phase phase_ = Phase::kPrefill;
  TokenId next_ = 0;
  std::vector<TokenLogprob> likeliest_;  // of the row that is sampled: as many as were asked for
  TextDelta delta_;
  FinishReason reason_ = FinishReason::kStopped;
};

// The seed of an answer: the one asked for, or for 0 a new one, never 0.
std::uint64_t choose_seed(std::uint64_t asked);

}  // namespace headroom
