// What the engine thread tells the rest of the program: values, each with the id of the request it answers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "backend/backend.h"
#include "base/memory_growth.h"
#include "base/result.h"
#include "model/model_info.h"
#include "plan/memory_plan.h"
#include "plan/prompt_speed.h"
#include "plan/speed.h"
#include "plan/verification.h"
#include "run/logprobs.h"
#include "text/thinking.h"

namespace headroom {

using RequestId = std::uint64_t;  // grows; 0 is never used

struct ArenaReport {
  std::string device;  // DeviceInfo::id
  Lifetime lifetime = Lifetime::kModel;
  Bytes planned_bytes = 0, mapped_bytes = 0;
};

// Counters of the loaded model: planned against mapped, and what was allocated since.
struct MemoryReport {
  std::vector<ArenaReport> arenas;
  MemoryGrowth grown{};  // since then
  Bytes heap_bytes = 0;  // on the host, beside the arenas: measured while the model was loaded and the session opened
};

struct LoadProgress {
  Bytes bytes_done = 0, bytes_total = 0;
};
struct ModelLoaded {
  std::shared_ptr<const ModelInfo> model;  // as loaded, and the plan too, with the heap's share as it was measured
  std::shared_ptr<const MemoryPlan> plan;
  MemoryReport memory;
  double seconds = 0;
  Message template_problem;  // not empty: the file's chat template is absent or cannot be rendered (why); the plain
                             // form is used once the user agrees
  ThinkingChoices thinking_choices = {};
};
struct ModelUnloaded {};
struct Failed {
  Error error;
};  // of any request; what was loaded before stays loaded

struct PrefillProgress {
  std::uint32_t tokens_done = 0, tokens_total = 0, tokens_reused = 0;
};
// A token of an answer. The one that ends a turn is none.
struct AnswerToken {
  TokenId id = 0;
  // Where GenerateRequest::n_top_logprobs asked for them: its own, and those of the likeliest, the likeliest first.
  float logprob = 0;
  std::vector<TokenLogprob> likeliest;
};
// What an answer grew by since the last one. Text may come later than its tokens: a code point may take several of
// them, and what may become a stop string waits.
struct TextDelta {
  std::string text;  // whole code points
  std::vector<AnswerToken> tokens;
  std::string thinking{};          // before the answer, without marks; likewise
  std::uint32_t context_used = 0;  // positions of prompt and answer, with these tokens
};

// What the slot held that a prompt was given, before anything was computed. With the tokens that were reused it says
// why they are not more: another conversation had the slot; or the texts differ behind shared_tokens; or the slot could
// be taken up only earlier, at a checkpoint. Where a part of another slot was copied, more are reused than were shared.
struct PromptBefore {
  std::uint32_t held_tokens = 0;
  // With so many of them the prompt begins: at most with all of it but its last token.
  std::uint32_t shared_tokens = 0;
  bool was_others = false;  // they belonged to another conversation
};

enum class FinishReason : std::uint8_t { kEndOfTurn, kMaxTokens, kStopString, kStopped, kContextFull };
struct GenerationStats {
  std::uint32_t prompt_tokens = 0, reused_tokens = 0, generated_tokens = 0;
  PromptBefore before;
  std::uint32_t decode_steps = 0;  // that decode_seconds covers: the first token comes from the prefill
  double prefill_seconds = 0, decode_seconds = 0;
  // How many of all steps it waited for a slot once its prompt was read, and the most rows of prompts that a decode
  // step of it had beside (kPromptRowsBesideAnswers).
  std::uint64_t waited_steps = 0;
  std::uint32_t most_prompt_rows_beside = 0;
  bool shared_prefill = false;  // a step of its prompt had other rows, too: prefill_seconds are not its own
  std::uint32_t context_used = 0, n_ctx = 0;
  std::uint64_t seed = 0;
  MemoryGrowth grown{};  // since the load, when the answer ended
};
// None where its steps were shared: they say nothing of how fast a prompt is read.
inline PromptTimes prompt_times(const GenerationStats& stats) {
  if (stats.shared_prefill) return {};
  return {stats.prompt_tokens - stats.reused_tokens, stats.reused_tokens, stats.prefill_seconds};
}
struct GenerationFinished {
  FinishReason reason = FinishReason::kEndOfTurn;
  GenerationStats stats;
  DecodeTimes decode_times;  // since the last answer ended, of steps that no other answer shared
};

// The prompt alone does not fit (or just fits and leaves no room for an answer): nothing was computed, the cache is as
// it was.
struct PromptTooLong {
  std::uint32_t prompt_tokens = 0, n_ctx = 0;
  // Not 0: the bytes of a text that was not tokenized, because it has more than n_ctx tokens stand for, most_bytes.
  // prompt_tokens are then the fewest that it can have.
  Bytes text_bytes = 0, most_bytes = 0;
};

struct MemoryReading {  // about 5 Hz while it computes or loads, 1 Hz while a model is loaded
  std::vector<std::pair<std::string, MemorySample>> devices;  // by DeviceInfo::id
  std::uint32_t kv_tokens_used = 0;                           // over all slots
  MemoryGrowth grown{};                                       // since the load
};

// Answers EngineThread::measure(), by DeviceInfo::id; a device that could not be measured is absent.
struct DevicesMeasured {
  std::vector<std::pair<std::string, DeviceMeasurement>> devices;
};

// Answers EngineThread::verify(), behind VerifyProgress as often as readings of memory.
struct Verified {
  Verification found;
};

using EventBody =
    std::variant<LoadProgress, ModelLoaded, ModelUnloaded, Failed, PrefillProgress, TextDelta, GenerationFinished,
                 PromptTooLong, MemoryReading, DevicesMeasured, VerifyProgress, Verified>;
struct Event {
  RequestId request = 0;  // MemoryReading: 0
  EventBody body;
};

}  // namespace headroom
