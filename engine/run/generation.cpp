#include "run/generation.h"

#include <algorithm>
#include <random>
#include <utility>

namespace headroom {
std::uint64_t choose_seed(std::uint64_t asked) {
  if (asked != 0) return asked;
  std::random_device device;
  // 53 bits, so that a seed survives JSON and spin boxes unchanged.
  const std::uint64_t seed = ((std::uint64_t{device()} << 32U) | device()) & ((std::uint64_t{1} << 53U) - 1);
  return std::max<std::uint64_t>(seed, 1);
}

namespace {

std::span<const TokenId> suppressed_by(const LoadedModel& model) {
  return model.tokenizer == nullptr ? std::span<const TokenId>() : model.tokenizer->special().suppressed;
}

const ThinkingMarks& marks_of(const LoadedModel& model) {
  static const ThinkingMarks kNoMarks;
  return model.chat_prompt == nullptr ? kNoMarks : model.chat_prompt->marks();
}

}  // namespace

Generation::Generation(Session& session, std::uint32_t slot, const GenerateRequest& request, ReadPrompt prompt,
                       std::uint32_t n_reused, const PromptBefore& before, StopToken stop)
    : session_(session),
      prompt_(std::move(prompt.tokens)),
      slot_(slot),
      max_tokens_(request.max_tokens),
      stop_(std::move(stop)),
      stats_{.prompt_tokens = static_cast<std::uint32_t>(prompt_.size()),
             .reused_tokens = n_reused,
             .before = before,
             .n_ctx = session.cache().n_ctx(),
             .seed = choose_seed(request.sampler.seed)},
      sampler_(request.sampler, stats_.seed, session.sampler_scratch(), suppressed_by(session.model())),
      splitter_(marks_of(session.model()), prompt.start),
      stop_strings_(request.stop_strings),
      likeliest_(std::min(request.n_top_logprobs, session.model().info->n_vocab)) {}

std::uint32_t Generation::prompt_left() const {
  return static_cast<std::uint32_t>(prompt_.size() - session_.cache().tokens(slot_).size());
}

std::uint32_t Generation::prompt_rows_left() const { return session_.rows_to_checkpoint(slot_, prompt_left()); }

SlotRows Generation::prompt_rows(std::uint32_t n_rows) const {
  const std::size_t n_held = session_.cache().tokens(slot_).size();
  return {slot_, {prompt_.data() + n_held, n_rows}, n_rows == prompt_left() ? 1U : 0U};
}

PrefillProgress Generation::prefill_progress() const {
  return {static_cast<std::uint32_t>(session_.cache().tokens(slot_).size()), stats_.prompt_tokens,
          stats_.reused_tokens};
}

void Generation::stepped(const Step& step) {
  if (phase_ == Phase::kPrefill) {
    stats_.prefill_seconds += step.seconds;
    stats_.shared_prefill |= step.is_shared;
    return;
  }
  stats_.decode_seconds += step.seconds;
  ++stats_.decode_steps;
  stats_.most_prompt_rows_beside = std::max(stats_.most_prompt_rows_beside, step.n_others_prompt_rows);
}

SampledRow Generation::sampled_row(std::uint32_t row) {
  return {.row = row, .sampler = &sampler_, .likeliest = likeliest_};
}

void Generation::take(const SampledRow& sampled) {
  phase_ = Phase::kDecode;
  next_ = sampled.token;
  if (session_.model().tokenizer->ends_generation(next_)) return finish(FinishReason::kEndOfTurn);
  ++stats_.generated_tokens;
  delta_.tokens.push_back({next_, sampled.logprob, likeliest_});
  say(next_);
  if (phase_ == Phase::kFinished) return;
  if (stats_.generated_tokens == max_tokens_) return finish(FinishReason::kMaxTokens);
  // The context counts every token of prompt and answer: the last one that it holds is shown, and nothing could follow
  // it.
  if (stats_.prompt_tokens + stats_.generated_tokens == stats_.n_ctx) return finish(FinishReason::kContextFull);
}

void Generation::say(TokenId token) {
  const Tokenizer& tokenizer = *session_.model().tokenizer;
  const bool is_mark = marks_of(session_.model()).is_mark(token);
  const std::string bytes = tokenizer.token_bytes(token, is_mark);
  if (say(splitter_.push(is_mark ? bytes : utf8_.push(bytes), is_mark))) finish(FinishReason::kStopString);
}

// True: a stop string was found. None goes from a thought into an answer.
bool Generation::say(const std::vector<TextSpan>& spans) {
  const auto text_of = [this](TextKind kind) -> std::string& {
    return kind == TextKind::kThinking ? delta_.thinking : delta_.text;
  };
  for (const auto& [kind, text] : spans) {
    if (kind != said_) text_of(said_) += stop_strings_.finish();
    said_ = kind;
    const StopStrings::Released released = stop_strings_.push(text);
    text_of(kind) += released.text;
    if (released.stopped) return true;
  }
  return false;
}

TextDelta Generation::take_delta() {
  delta_.context_used = stats_.prompt_tokens + stats_.generated_tokens;
  return std::exchange(delta_, {});
}

// A code point that the answer broke off in the middle of is dropped, unless the model itself ended there.
void Generation::finish(FinishReason reason) {
  if (phase_ == Phase::kFinished) return;
  phase_ = Phase::kFinished;
  reason_ = reason;
  if (reason == FinishReason::kStopString) return;
  if (reason == FinishReason::kEndOfTurn && say(splitter_.push(utf8_.finish(), false))) return;
  if (say(splitter_.finish())) return;
  (said_ == TextKind::kThinking ? delta_.thinking : delta_.text) += stop_strings_.finish();
}

GenerationFinished Generation::finished() const {
  GenerationFinished end{reason_, stats_, session_.take_decode_times()};
  const auto n_held = static_cast<std::uint32_t>(session_.cache().tokens(slot_).size());
  // The last token of an answer is shown but was not computed; it takes its place when the conversation goes on.
  end.stats.context_used =
      std::max(n_held, stats_.generated_tokens > 0 ? stats_.prompt_tokens + stats_.generated_tokens : 0);
  end.stats.grown = session_.growth();
  return end;
}

}  // namespace headroom
