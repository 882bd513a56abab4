// One answer, from prompt tokens to its finish, as a state that the scheduler moves on step by step.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/stop.h"
#include "run/engine_thread.h"
#include "run/sampler.h"
#include "run/session.h"
#include "run/stop_strings.h"
#include "text/utf8_stream.h"

namespace headroom {

class Generation {
 public:
  enum class Phase { kPrefill, kDecode, kFinished };

  // `prompt` has 1 to n_ctx - 1 tokens and was accepted by session.begin_prompt(), which reused `n_reused` of them.
  Generation(Session& session, const GenerateRequest& request, std::vector<TokenId> prompt, std::uint32_t n_reused,
             StopToken stop);

  Phase phase() const { return phase_; }
  std::uint32_t slot() const { return slot_; }
  const StopToken& stop_token() const { return stop_; }
  SlotRows next_rows() const { return {slot_, {&next_, 1}, 1}; }  // kDecode: what the next step computes

  // kPrefill: computes the next chunk of the prompt; after the last one the first token is chosen.
  Status prefill_chunk();
  PrefillProgress prefill_progress() const;

  // kDecode: once the step with next_rows() is done, what to sample from its row, and then what was sampled; `seconds`
  // is what the step and the sampling of its rows took.
  SampledRow sampled_row(std::uint32_t row) { return {row, &sampler_, session_.cache().tokens(slot_)}; }
  void decoded(TokenId token, double seconds);

  // Ends the answer now, with kStopped.
  void finish_stopped() { finish(FinishReason::kStopped); }

  // Text since the last call, whole code points.
  std::string take_text() { return std::exchange(text_, {}); }
  bool has_text() const { return !text_.empty(); }

  GenerationFinished finished() const;  // kFinished

 private:
  void take(TokenId token);
  void say(TokenId token);
  void finish(FinishReason reason);

  Session& session_;
  std::vector<TokenId> prompt_;
  std::uint32_t slot_, max_tokens_;
  StopToken stop_;
  GenerationStats stats_;
  Sampler sampler_;
  Utf8Stream utf8_;
  StopStrings stop_strings_;
  Phase phase_ = Phase::kPrefill;
  TokenId next_ = 0;
  std::string text_;
  FinishReason reason_ = FinishReason::kStopped;
};

// The seed of an answer: the one asked for, or for 0 a new one, never 0.
std::uint64_t choose_seed(std::uint64_t asked);

}  // namespace headroom
