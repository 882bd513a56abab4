#include "plan/verification.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "plan/prompt_speed.h"
#include "plan/speed.h"

namespace headroom {

std::string_view verify_difference_name(VerifyDifference::Kind kind) {
  switch (kind) {
    case VerifyDifference::Kind::kMapped: return "mapped";
    case VerifyDifference::Kind::kAllocated: return "allocated";
    case VerifyDifference::Kind::kNotFull: return "not_full";
    case VerifyDifference::Kind::kEndNotRefused: return "end_not_refused";
    case VerifyDifference::Kind::kDriverGrew: return "driver_grew";
    case VerifyDifference::Kind::kHeapGrew: return "heap_grew";
    case VerifyDifference::Kind::kMappingsGrew: return "mappings_grew";
  }
  return "unknown";
}

std::vector<VerifyDifference> verify_differences(const Verification& found, VerifyProcess process) {
  using Kind = VerifyDifference::Kind;
  std::vector<VerifyDifference> differences;
  for (const VerifiedDevice& device : found.devices) {
    if (device.planned_bytes != device.mapped_bytes)
      differences.push_back({Kind::kMapped, device.device, device.planned_bytes, device.mapped_bytes});
  }
  if (found.grown.n_arenas > 0) differences.push_back({Kind::kAllocated, {}, 0, found.grown.n_arenas});
  if (found.n_full_slots != found.n_slots)
    differences.push_back({Kind::kNotFull, {}, found.n_slots, found.n_full_slots});
  if (!found.refuses_longer_prompt)
    differences.push_back({Kind::kEndNotRefused, {}, found.n_ctx, std::uint64_t{found.n_ctx} + 1});
  const auto judge = [&](Kind kind, Bytes grown) {
    if (grown > kMostVerifyGrowth) differences.push_back({kind, {}, kMostVerifyGrowth, grown});
  };
  judge(Kind::kDriverGrew, found.grown_by_answers.driver);
  if (process == VerifyProcess::kEngineAlone) {
    judge(Kind::kHeapGrew, found.grown_by_answers.heap);
    judge(Kind::kMappingsGrew, found.grown_by_answers.mapped);
  }
  return differences;
}

Bytes planned_bytes(const Verification& found) {
  return std::accumulate(found.devices.begin(), found.devices.end(), Bytes{0},
                         [](Bytes sum, const VerifiedDevice& device) { return sum + device.planned_bytes; });
}

Bytes mapped_bytes(const Verification& found) {
  return std::accumulate(found.devices.begin(), found.devices.end(), Bytes{0},
                         [](Bytes sum, const VerifiedDevice& device) { return sum + device.mapped_bytes; });
}

std::optional<double> estimate_verify_seconds(const ModelInfo& model, const MemoryPlan& plan) {
  const PlanOptions& options = plan.options;
  const auto prompt = [&](std::uint32_t n_tokens) {
    return prompt_seconds(model, plan.devices, plan.placement, plan.streaming, options, n_tokens, 0);
  };
  const std::optional<double> slot = prompt(options.n_ctx);
  const std::optional<double> question = prompt(std::min(kVerifyPromptTokens, options.n_ctx));
  const std::optional<double> rate = estimate_tokens_per_s(model, plan);
  if (!slot || !question || !rate || !(*rate > 0)) return std::nullopt;
  const std::uint32_t n_decoded =
      kVerifyStages * kVerifyTimedTokens + kVerifyLastTokens * options.n_slots + kVerifyAnswers * kVerifyAnswerTokens;
  return options.n_slots * *slot + kVerifyAnswers * *question + n_decoded / *rate;
}

}  // namespace headroom
