// What the engine thread tells the rest of the program: values, each with the id of the request it answers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "backend/backend.h"
#include "base/result.h"
#include "model/model_info.h"
#include "plan/memory_plan.h"
#include "plan/prompt_speed.h"
#include "plan/speed.h"

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
  std::uint64_t allocations_after_load = 0;
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
  std::string template_problem;  // not empty: the file's chat template is absent or cannot be rendered (why); the plain
                                 // form is used once the user agrees
};
struct ModelUnloaded {};
struct Failed {
  Error error;
};  // of any request; what was loaded before stays loaded

struct PrefillProgress {
  std::uint32_t tokens_done = 0, tokens_total = 0, tokens_reused = 0;
};
struct TextDelta {
  std::string text;
};  // whole code points

enum class FinishReason : std::uint8_t { kEndOfTurn, kMaxTokens, kStopString, kStopped, kContextFull };
struct GenerationStats {
  std::uint32_t prompt_tokens = 0, reused_tokens = 0, generated_tokens = 0;
  std::uint32_t decode_steps = 0;  // that decode_seconds covers: the first token comes from the prefill
  double prefill_seconds = 0, decode_seconds = 0;
  std::uint32_t context_used = 0, n_ctx = 0;
  std::uint64_t seed = 0;
  std::uint64_t allocations_after_load = 0;  // of drivers, when the answer ended
};
inline PromptTimes prompt_times(const GenerationStats& stats) {
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
};

struct MemoryReading {                                        // about 5 Hz while something is loaded
  std::vector<std::pair<std::string, MemorySample>> devices;  // by DeviceInfo::id
  std::uint32_t kv_tokens_used = 0;                           // over all slots
  std::uint64_t allocations_after_load = 0;
};

// Answers EngineThread::measure(), by DeviceInfo::id; a device that could not be measured is absent.
struct DevicesMeasured {
  std::vector<std::pair<std::string, DeviceMeasurement>> devices;
};

using EventBody = std::variant<LoadProgress, ModelLoaded, ModelUnloaded, Failed, PrefillProgress, TextDelta,
                               GenerationFinished, PromptTooLong, MemoryReading, DevicesMeasured>;
struct Event {
  RequestId request = 0;  // MemoryReading: 0
  EventBody body;
};

}  // namespace headroom
