#include "run_report.h"

#include <fmt/format.h>

namespace headroom::cli {
namespace {

double rate(std::uint32_t n, double seconds) { return seconds > 0 ? n / seconds : 0.0; }
double promptRate(const GenerationStats& stats) {
  return rate(stats.prompt_tokens - stats.reused_tokens, stats.prefill_seconds);
}
double answerRate(const GenerationStats& stats) { return rate(stats.decode_steps, stats.decode_seconds); }

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
                      {"lifetime", arena.lifetime == Lifetime::kModel ? "model" : "session"},
                      {"planned_bytes", arena.planned_bytes},
                      {"mapped_bytes", arena.mapped_bytes}});
  }
  return {{"model", loaded.model->name},
          {"arenas", arenas},
          {"allocations_after_load", stats.allocations_after_load},
          {"load_seconds", loaded.seconds},
          {"prompt_tokens", stats.prompt_tokens},
          {"reused_tokens", stats.reused_tokens},
          {"generated_tokens", stats.generated_tokens},
          {"prompt_tokens_per_s", promptRate(stats)},
          {"generated_tokens_per_s", answerRate(stats)},
          {"context_used", stats.context_used},
          {"n_ctx", stats.n_ctx},
          {"finish_reason", finishName(finished.reason)},
          {"seed", stats.seed}};
}

std::string runSummary(const GenerationFinished& finished) {
  const GenerationStats& stats = finished.stats;
  return fmt::format(
      "prompt {} tokens at {:.1f} tokens/s, answer {} tokens at {:.1f} tokens/s, {}, context {} of {}, seed {}",
      stats.prompt_tokens, promptRate(stats), stats.generated_tokens, answerRate(stats), finishName(finished.reason),
      stats.context_used, stats.n_ctx, stats.seed);
}

}  // namespace headroom::cli
