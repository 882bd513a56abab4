#include "backend/cpu/routing.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace headroom {
namespace {

bool comes_before(float a, float b) { return a > b || (std::isnan(b) && !std::isnan(a)); }

// In the place of the logits.
void to_probabilities(const LayerSpec& layer, std::span<float> logits) {
  const float scale = layer.router_scale;
  if (is_sigmoid(layer.router)) {
    for (float& x : logits) x = 1.0F / (1.0F + std::exp(-scale * x));
    return;
  }
  float most = -std::numeric_limits<float>::infinity(), sum = 0;
  for (const float x : logits) most = x > most ? x : most;
  for (float& x : logits) {
    x = std::exp(scale * (x - most));
    if (!std::isnan(x)) sum += x;
  }
  for (float& x : logits) x /= sum;
}

}  // namespace

void choose_experts(const LayerSpec& layer, std::span<float> logits, const float* choice_bias,
                    std::span<std::uint32_t> ids, std::span<float> weights) {
  CHECK(ids.size() <= logits.size() && weights.size() == ids.size(), "a row goes through more experts than there are");
  // The sum of a softmax over all experts cancels out where weights are divided by theirs.
  const bool needs_all = layer.router != RouterKind::kSoftmaxNormed || choice_bias != nullptr;
  if (needs_all) to_probabilities(layer, logits);
  const auto score = [&](std::uint32_t expert) {
    return choice_bias == nullptr ? logits[expert] : logits[expert] + choice_bias[expert];
  };
  std::size_t n_chosen = 0;
  for (std::uint32_t expert = 0; expert < logits.size(); ++expert) {
    std::size_t at = n_chosen;
    while (at > 0 && comes_before(score(expert), score(ids[at - 1]))) --at;
    if (at == ids.size()) continue;
    n_chosen = std::min(n_chosen + 1, ids.size());
    std::copy_backward(ids.begin() + static_cast<std::ptrdiff_t>(at),
                       ids.begin() + static_cast<std::ptrdiff_t>(n_chosen) - 1,
                       ids.begin() + static_cast<std::ptrdiff_t>(n_chosen));
    ids[at] = expert;
  }
  float sum = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const float logit = logits[ids[i]];
    sum += weights[i] = needs_all ? logit : std::exp(layer.router_scale * (logit - logits[ids[0]]));
  }
  const float divisor = divides_by_sum(layer.router) ? std::max(sum, kLeastWeightSum) : 1.0F;
  for (float& weight : weights) weight = weight / divisor * layer.expert_weight_scale;
}

ExpertGroups::ExpertGroups(std::span<const std::uint32_t> ids, std::uint32_t n_experts, std::uint32_t* scratch)
    : order_(scratch),
      experts_(order_ + ids.size()),
      ends_(experts_ + n_experts),
      n_choices_(static_cast<std::uint32_t>(ids.size())) {
  // By expert: how many, then where the next one goes, then where they end.
  std::fill_n(ends_, n_experts, 0U);
  for (const std::uint32_t expert : ids) {
    CHECK(expert < n_experts, "a row goes through an expert that the layer does not have");
    ++ends_[expert];
  }
  std::uint32_t next = 0;
  for (std::uint32_t expert = 0; expert < n_experts; ++expert) {
    const std::uint32_t n = ends_[expert];
    ends_[expert] = next;
    next += n;
  }
  for (std::uint32_t choice = 0; choice < n_choices_; ++choice) order_[ends_[ids[choice]]++] = choice;
  for (std::uint32_t expert = 0, first = 0; expert < n_experts; ++expert) {
    const std::uint32_t end = ends_[expert];
    if (end == first) continue;
    experts_[n_groups_] = expert;
    ends_[n_groups_++] = end;
    first = end;
  }
}

}  // namespace headroom
