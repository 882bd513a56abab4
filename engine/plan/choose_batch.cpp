#include "plan/choose_batch.h"

#include <algorithm>
#include <optional>

#include "plan/plan_options.h"
#include "plan/prompt_speed.h"
#include "plan/speed.h"

namespace headroom {
namespace {

// Memory is worth something too: a larger batch has to read a long prompt this many times as fast as the best so far.
constexpr double kWorthMemory = 1.02;
// A person sees a prompt go on after each step.
constexpr double kLongestStepSeconds = 1;
// An answer may take so many times as long as with the best so far: sums of the same times differ by roundings.
constexpr double kNoSlower = 1.001;
constexpr std::uint32_t kLongPromptTokens = 4096;

std::uint32_t long_prompt(const PlanOptions& options) { return std::clamp(options.n_ctx / 2, 1U, kLongPromptTokens); }

// Times of a layout; absent where a device in use was not measured.
struct Times {
  double long_prompt = 0, step = 0, answer = 0;
};
std::optional<Times> times_of(const ModelInfo& model, std::span<const DeviceInfo> devices, const ArenaLayout& layout) {
  const auto prompt = [&](std::uint32_t n_tokens) {
    return prompt_seconds(model, devices, layout.placement, layout.streaming, layout.options, n_tokens, 0);
  };
  const std::optional<double> whole = prompt(long_prompt(layout.options)), step = prompt(layout.options.n_batch),
                              answer = typical_answer_seconds(model, devices, layout.placement, layout.streaming,
                                                              layout.options);
  if (!whole || !step || !answer) return std::nullopt;
  return Times{*whole, *step, *answer};
}

Bytes planned(const ArenaLayout& layout) {
  Bytes sum = 0;
  for (const DeviceBudget& budget : layout.budgets) sum += budget.planned;
  return sum;
}

bool has_gpu_layers(std::span<const DeviceInfo> devices, const ArenaLayout& layout) {
  return std::ranges::any_of(layout.placement.layers, [&](const LayerPlacement& at) {
    const DeviceKind kind = devices[at.attention].kind;
    return kind != DeviceKind::kCpu && kind != DeviceKind::kReference;
  });
}

// Whether larger steps may pay for streaming where steps of the least batch do not: then layers are shared out anew.
bool may_stream(std::span<const DeviceInfo> devices, const PlanOptions& asked, const ArenaLayout& layout) {
  const auto is_on_cpu = [&](const LayerPlacement& at) { return at.ffn == layout.cpu; };
  return asked.stream_rows == kAutoRows && std::ranges::any_of(layout.placement.layers, is_on_cpu) &&
         std::ranges::any_of(gpus_of(layout.options, devices),
                             [&](DeviceIndex gpu) { return devices[gpu].takes_streams(); });
}

}  // namespace

ArenaLayout choose_batch(const ModelInfo& model, std::span<const DeviceInfo> devices, const PlanOptions& asked,
                         ArenaLayout least, const PlanWithBatch& layout_with) {
  if (!has_gpu_layers(devices, least)) return least;
  const std::optional<Times> first = times_of(model, devices, least);
  if (!first) return least;
  const PlanOptions from = may_stream(devices, asked, least) ? asked : least.options;
  ArenaLayout best = least;
  Times now = *first;
  const std::uint32_t most = std::min(kMostAutoBatch, most_step_rows(model, devices, asked));
  for (std::uint32_t n_batch = 2 * kLeastAutoBatch; n_batch <= most; n_batch *= 2) {
    if (n_batch > long_prompt(least.options)) break;  // no step would have so many rows
    PlanOptions options = from;
    options.n_batch = n_batch;
    Result<ArenaLayout> layout = layout_with(options);
    if (!layout || !layout->fits()) break;
    const std::optional<Times> times = times_of(model, devices, *layout);
    if (!times || times->step > kLongestStepSeconds) break;
    if (times->long_prompt * kWorthMemory > now.long_prompt || times->answer > now.answer * kNoSlower) continue;
    best = std::move(*layout);
    now = *times;
  }
  if (best.options.n_batch == least.options.n_batch) return least;
  if (best.choices.empty()) best.choices = least.choices;  // the same layers, for the same reasons
  const Bytes before = planned(least), after = planned(best);
  best.choices.push_back(
      {Message::say("A step reads {} tokens of a prompt: {} are predicted to take {} s, in steps of {} {} s. "
                    "That takes {} more.",
                    best.options.n_batch, long_prompt(best.options), two_digits(now.long_prompt), least.options.n_batch,
                    two_digits(first->long_prompt), amount(saturating_sub(after, before)))});
  return best;
}

Bytes batch_bytes(const ModelInfo& model, const MemoryPlan& plan) {
  PlanOptions one = plan.options;
  one.n_batch = 1 + one.n_draft;
  one.n_logit_rows = std::min(one.n_logit_rows, one.step_rows());
  const Result<ArenaLayout> least = compute_arenas(model, plan.devices, one, Keep::kSizesOnly);
  Bytes now = 0;
  for (const DeviceBudget& budget : plan.budgets) now += budget.planned;
  return least && planned(*least) < now ? now - planned(*least) : 0;
}

}  // namespace headroom
