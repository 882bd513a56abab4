#include "run_report.h"

#include <fmt/format.h>

#include <optional>

#include "plan/speed.h"

namespace headroom::cli {
namespace {

// Tokens per second; nothing where none were computed, or none in a time that could be measured.
std::optional<double> rate(std::uint32_t n, double seconds) {
  return n > 0 && seconds > 0 ? std::optional(n / seconds) : std::nullopt;
}

// An answer that was stopped before its first token may have read only a part of its prompt: no speed is known.
std::optional<double> promptRate(const GenerationFinished& finished) {
  const GenerationStats& stats = finished.stats;
  if (finished.reason == FinishReason::kStopped && stats.generated_tokens == 0) return std::nullopt;
  return rate(stats.prompt_tokens - stats.reused_tokens, stats.prefill_seconds);
}
std::optional<double> answerRate(const GenerationFinished& finished) {
  return rate(finished.stats.decode_steps, finished.stats.decode_seconds);
}

// For a token in the middle of the answer.
std::optional<double> predictedRate(const ModelLoaded& loaded, const GenerationFinished& finished) {
  const GenerationStats& stats = finished.stats;
  if (stats.decode_steps == 0) return std::nullopt;
  return estimate_tokens_per_s(*loaded.model, *loaded.plan, stats.prompt_tokens + stats.generated_tokens / 2);
}

Json rateJson(const std::optional<double>& rate) { return rate ? Json(*rate) : Json(nullptr); }
std::string rateText(const std::optional<double>& rate) {
  return rate ? fmt::format(" at {:.1f} tokens/s", *rate) : std::string();
}

}  // namespace

const char* finishName(FinishReason reason) {
  switch (reason) {
    case FinishReason::kEndOfTurn: return "end_of_turn";
    case FinishReason::kMaxTokens: return "max_tokens";
    case FinishReason::kStopString: return "stop_string";
    case FinishReason::kStopped: return "stopped";
    case FinishReason::kContextFull: return "context_full";
  }
  return "unknown";
}

Json runReport(const ModelLoaded& loaded, const GenerationFinished& finished) {
  const GenerationStats& stats = finished.stats;
  Json arenas = Json::array();
  for (const ArenaReport& arena : loaded.memory.arenas) {
    arenas.push_back({{"device", arena.device},
                      {"lifetime", lifetime_name(arena.lifetime)},
                      {"planned_bytes", arena.planned_bytes},
                      {"mapped_bytes", arena.mapped_bytes}});
  }
  return {{"model", loaded.model->name},
          {"arenas", arenas},
          {"heap_bytes", loaded.memory.heap_bytes},
          {"taken_after_load",
           {{"arenas", stats.grown.n_arenas},
            {"driver_bytes", stats.grown.driver},
            {"mapped_bytes", stats.grown.mapped},
            {"heap_bytes", stats.grown.heap}}},
          {"load_seconds", loaded.seconds},
          {"prompt_tokens", stats.prompt_tokens},
          {"reused_tokens", stats.reused_tokens},
          {"generated_tokens", stats.generated_tokens},
          {"prompt_tokens_per_s", rateJson(promptRate(finished))},
          {"generated_tokens_per_s", rateJson(answerRate(finished))},
          {"predicted_tokens_per_s", rateJson(predictedRate(loaded, finished))},
          {"context_used", stats.context_used},
          {"n_ctx", stats.n_ctx},
          {"finish_reason", finishName(finished.reason)},
          {"seed", stats.seed}};
}

std::string runSummary(const ModelLoaded& loaded, const GenerationFinished& finished) {
  const GenerationStats& stats = finished.stats;
  const std::optional<double> predicted = predictedRate(loaded, finished);
  const std::string expected = predicted ? fmt::format(" (predicted {})", predicted_rate_words(*predicted).text()) : "";
  return fmt::format("prompt {} tokens{}, answer {} tokens{}{}, {}, context {} of {}, seed {}", stats.prompt_tokens,
                     rateText(promptRate(finished)), stats.generated_tokens, rateText(answerRate(finished)), expected,
                     finishName(finished.reason), stats.context_used, stats.n_ctx, stats.seed);
}

}  // namespace headroom::cli
