// How fast a plan reads a prompt, from its products and what devices were measured to do; and how long a typical answer
// takes with it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plan/memory_plan.h"

namespace headroom {

// What a device does for a prompt.
struct PromptWork {
  // By DType: bytes of weights, each read once in every step, of experts those that its rows go through; and
  // multiply-adds with them.
  std::array<double, kNDTypes> weight_bytes{}, products{};
  // By DType of the cache: multiply-adds of scores and of values; of F32 also those with states.
  std::array<double, kNDTypes> attend_products{};
  std::uint64_t n_ops = 0;
  // Absent where the device has work of a kind for which it has no figure.
  std::optional<double> seconds(const DeviceSpeed& speed) const;
};

// A prompt on one device: what it computes with weights that stand there, and with those that are streamed to it
// meanwhile, of which all bytes are uploaded in every step.
struct DevicePromptWork {
  PromptWork resident, streamed;
  double uploaded_bytes = 0;
};

// (devices.size()), of n_tokens after n_cached positions, in steps of n_batch. Only the last token has logits.
std::vector<DevicePromptWork> prompt_work(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                          const Placement& placement, const WeightStreaming& streaming,
                                          const PlanOptions& options, std::uint32_t n_tokens, std::uint32_t n_cached);

// How long that takes, with what crosses between devices. Absent where a device that has work has no known speed.
std::optional<double> prompt_seconds(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                     const Placement& placement, const WeightStreaming& streaming,
                                     const PlanOptions& options, std::uint32_t n_tokens, std::uint32_t n_cached);

// Tokens per second of a prompt where each part is computed where its weights stand. Absent where steps of this prompt
// stream weights, and where a device that has work has no known speed.
std::optional<double> estimate_prompt_tokens_per_s(const ModelInfo& model, const MemoryPlan& plan,
                                                   std::uint32_t n_tokens, std::uint32_t n_cached);

// What plans are compared by: one that decodes fast may read prompts slowly, and the other way round. A question with a
// page or two of text that is read for it, and an answer of a few paragraphs: what a person waits for in one turn of a
// conversation. The rest of the conversation is in the cache already, so it is not read again.
inline constexpr std::uint32_t kTypicalPromptTokens = 1000;
inline constexpr std::uint32_t kTypicalAnswerTokens = 300;

// Seconds of at most half a context of prompt, and the answer behind it. The prompt takes no time where a device in use
// was not measured for prompts; absent where one was not measured at all.
std::optional<double> typical_answer_seconds(const ModelInfo& model, std::span<const DeviceInfo> devices,
                                             const Placement& placement, const WeightStreaming& streaming,
                                             const PlanOptions& options);

// A prompt that was read: tokens that were computed after n_cached that were there.
struct PromptTimes {
  std::uint32_t n_tokens = 0, n_cached = 0;
  double seconds = 0;
};

// How many times as long as predicted it took; absent where nothing is predicted, or where the prompt is so short that
// it says more about the moment.
std::optional<double> prompt_slowdown(const ModelInfo& model, const MemoryPlan& plan, const PromptTimes& times);

}  // namespace headroom
