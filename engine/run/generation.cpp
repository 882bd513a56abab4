#include "run/generation.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

std::uint64_t choose_seed(std::uint64_t asked) {
  if (asked != 0) return asked;
  std::random_device device;
  // 53 bits, so that a seed survives JSON and spin boxes unchanged.
  const std::uint64_t seed = ((std::uint64_t{device()} << 32U) | device()) & ((std::uint64_t{1} << 53U) - 1);
  return std::max<std::uint64_t>(seed, 1);
}

Generation::Generation(Session& session, const GenerateRequest& request, std::vector<TokenId> prompt,
                       std::uint32_t n_reused, StopToken stop)
    : session_(session),
      prompt_(std::move(prompt)),
      slot_(request.slot),
      max_tokens_(request.max_tokens),
      stop_(std::move(stop)),
      stats_{.prompt_tokens = static_cast<std::uint32_t>(prompt_.size()),
             .reused_tokens = n_reused,
             .n_ctx = session.cache().n_ctx(),
             .seed = choose_seed(request.sampler.seed)},
      sampler_(request.sampler, stats_.seed, session.sampler_scratch()),
      stop_strings_(request.stop_strings) {}

Status Generation::prefill_chunk() {
  const Clock::time_point start = Clock::now();
  const std::size_t n_held = session_.cache().tokens(slot_).size();
  const std::size_t n_left = prompt_.size() - n_held;
  const std::size_t n_chunk = std::min<std::size_t>(n_left, session_.plan().options.n_batch);
  const std::span<const TokenId> chunk(prompt_.data() + n_held, n_chunk);
  const Status done = session_.step({slot_, chunk, n_chunk == n_left ? 1U : 0U}, stop_);
  stats_.prefill_seconds += seconds_since(start);
  if (!done || n_chunk < n_left) return done;
  SampledRow first = sampled_row(0);
  if (Status sampled = session_.sample({&first, 1}); !sampled) return sampled;
  phase_ = Phase::kDecode;
  take(first.token);
  return ok_status();
}

PrefillProgress Generation::prefill_progress() const {
  return {static_cast<std::uint32_t>(session_.cache().tokens(slot_).size()), stats_.prompt_tokens,
          stats_.reused_tokens};
}

void Generation::decoded(TokenId token, double seconds) {
  const Clock::time_point start = Clock::now();
  take(token);
  stats_.decode_seconds += seconds + seconds_since(start);
  ++stats_.decode_steps;
}

void Generation::take(TokenId token) {
  next_ = token;
  if (session_.model().tokenizer->ends_generation(next_)) return finish(FinishReason::kEndOfTurn);
  ++stats_.generated_tokens;
  say(next_);
  if (phase_ == Phase::kFinished) return;
  if (stats_.generated_tokens == max_tokens_) return finish(FinishReason::kMaxTokens);
  // The context counts every token of prompt and answer: the last one that it holds is shown, and nothing could follow
  // it.
  if (stats_.prompt_tokens + stats_.generated_tokens == stats_.n_ctx) return finish(FinishReason::kContextFull);
}

void Generation::say(TokenId token) {
  StopStrings::Released released =
      stop_strings_.push(utf8_.push(session_.model().tokenizer->token_bytes(token, false)));
  text_ += released.text;
  if (released.stopped) finish(FinishReason::kStopString);
}

// A code point that the answer broke off in the middle of is dropped, unless the model itself ended there.
void Generation::finish(FinishReason reason) {
  if (phase_ == Phase::kFinished) return;
  phase_ = Phase::kFinished;
  reason_ = reason;
  if (reason == FinishReason::kStopString) return;
  text_ += stop_strings_.finish();
  if (reason == FinishReason::kEndOfTurn) text_ += utf8_.finish();
}

GenerationFinished Generation::finished() const {
  GenerationFinished end{reason_, stats_, session_.take_decode_times()};
  const auto n_held = static_cast<std::uint32_t>(session_.cache().tokens(slot_).size());
  // The last token of an answer is shown but was not computed; it takes its place when the conversation goes on.
  end.stats.context_used =
      std::max(n_held, stats_.generated_tokens > 0 ? stats_.prompt_tokens + stats_.generated_tokens : 0);
  end.stats.allocations_after_load = session_.n_allocations_after_open();
  return end;
}

}  // namespace headroom
