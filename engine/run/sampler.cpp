#include "run/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headroom {
namespace {

// Marks a candidate that was penalized already; ids stay below it because a vocabulary is bounded by the file's tensor
// shapes.
constexpr TokenId kSeen = 0x80000000U;

bool better(const Candidate& a, const Candidate& b) { return a.weight != b.weight ? a.weight > b.weight : a.id < b.id; }

// A damaged model can compute NaN and infinities; they would break the order of the sort.
float finite(float logit) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  return std::isnan(logit) ? -kLargest : std::clamp(logit, -kLargest, kLargest);
}

}  // namespace

Status check_sampler_settings(const SamplerSettings& settings) {
  const auto refuse = [](const char* name, const char* expected, float found) {
    return Error{ErrorCode::kUsage, fmt::format("sampler: {} must be {}, found {}", name, expected, found)};
  };
  if (!(settings.temperature >= 0.0F && settings.temperature <= 100.0F))
    return refuse("temperature", "from 0 to 100", settings.temperature);
  if (!(settings.top_p > 0.0F && settings.top_p <= 1.0F))
    return refuse("top-p", "above 0 and at most 1", settings.top_p);
  if (!(settings.min_p >= 0.0F && settings.min_p <= 1.0F)) return refuse("min-p", "from 0 to 1", settings.min_p);
  if (!(settings.repetition_penalty > 0.0F && settings.repetition_penalty <= 100.0F)) {
    return refuse("repetition penalty", "above 0 and at most 100", settings.repetition_penalty);
  }
  if (!(std::abs(settings.presence_penalty) <= 100.0F))
    return refuse("presence penalty", "from -100 to 100", settings.presence_penalty);
  return ok_status();
}

TokenId argmax(std::span<const float> logits) {
  std::size_t best = 0;
  for (std::size_t id = 1; id < logits.size(); ++id) {
    if (logits[id] > logits[best]) best = id;
  }
  return static_cast<TokenId>(best);
}

Sampler::Sampler(const SamplerSettings& settings, std::uint64_t seed, std::span<Candidate> candidates)
    : settings_(settings), random_(seed), candidates_(candidates) {}

TokenId Sampler::sample(std::span<const float> logits, std::span<const TokenId> recent) {
  CHECK(logits.size() == candidates_.size() && !logits.empty(),
        "the sampler's scratch was made for another vocabulary");
  for (std::size_t id = 0; id < logits.size(); ++id) candidates_[id] = {finite(logits[id]), static_cast<TokenId>(id)};
  penalize(recent);
  if (settings_.temperature == 0.0F) return std::min_element(candidates_.begin(), candidates_.end(), better)->id;
  return draw(narrow());
}

// Repetition: the logit moves towards less likely, by division when positive and by multiplication when negative (CTRL,
// arXiv 1909.05858). Presence: subtracted once from every token seen. Each distinct token is penalized once.
void Sampler::penalize(std::span<const TokenId> recent) {
  const bool repeats = settings_.repetition_penalty != 1.0F;
  if (!repeats && settings_.presence_penalty == 0.0F) return;
  const std::size_t n_window = std::min<std::size_t>(recent.size(), settings_.repetition_window);
  const std::span<const TokenId> window = recent.last(n_window);
  for (const TokenId id : window) {
    if (id >= candidates_.size()) continue;
    Candidate& candidate = candidates_[id];
    if ((candidate.id & kSeen) != 0) continue;
    candidate.id |= kSeen;
    if (repeats) {
      candidate.weight = candidate.weight > 0.0F ? candidate.weight / settings_.repetition_penalty
                                                 : candidate.weight * settings_.repetition_penalty;
    }
    candidate.weight -= settings_.presence_penalty;
  }
  for (const TokenId id : window) {
    if (id < candidates_.size()) candidates_[id].id = id;
  }
}

// The candidates that top-k, min-p and top-p leave, best first, with `weight` still a logit. Never empty.
std::span<Candidate> Sampler::narrow() {
  std::span<Candidate> kept = candidates_;
  if (settings_.top_k > 0 && settings_.top_k < kept.size()) {
    std::nth_element(kept.begin(), kept.begin() + settings_.top_k - 1, kept.end(), better);
    kept = kept.first(settings_.top_k);
  }
  const float best = std::min_element(kept.begin(), kept.end(), better)->weight;
  const auto probability = [best](const Candidate& candidate) {
    return std::exp(static_cast<double>(candidate.weight) - best);
  };
  if (settings_.top_p >= 1.0F && settings_.min_p <= 0.0F) {
    std::sort(kept.begin(), kept.end(), better);
    return kept;
  }
  // The mass is summed by id before anything is cut, so that min-p first and top-p first keep the same set, and so that
  // the sum does not depend on how nth_element left the order.
  if (kept.size() < candidates_.size())
    std::sort(kept.begin(), kept.end(), [](const Candidate& a, const Candidate& b) { return a.id < b.id; });
  double mass = 0.0;
  for (const Candidate& candidate : kept) mass += probability(candidate);
  if (settings_.min_p > 0.0F) {
    const auto too_small = [&](const Candidate& candidate) { return probability(candidate) < settings_.min_p; };
    kept = kept.first(static_cast<std::size_t>(std::remove_if(kept.begin(), kept.end(), too_small) - kept.begin()));
  }
  // Sorted in growing pieces: the nucleus is usually a few tokens of a large vocabulary.
  const double wanted = settings_.top_p >= 1.0F ? 2.0 * mass : settings_.top_p * mass;
  double reached = 0.0;
  std::size_t n_sorted = 0;
  for (std::size_t n_piece = 256; n_sorted < kept.size(); n_piece *= 4) {
    const std::size_t n_end = std::min(kept.size(), n_sorted + n_piece);
    std::partial_sort(kept.begin() + static_cast<std::ptrdiff_t>(n_sorted),
                      kept.begin() + static_cast<std::ptrdiff_t>(n_end), kept.end(), better);
    for (; n_sorted < n_end; ++n_sorted) {
      reached += probability(kept[n_sorted]);
      if (reached >= wanted) return kept.first(n_sorted + 1);
    }
  }
  return kept;
}

TokenId Sampler::draw(std::span<const Candidate> kept) {
  const double best = kept.front().weight;
  const auto probability = [&](const Candidate& candidate) {
    return std::exp((candidate.weight - best) / settings_.temperature);
  };
  double mass = 0.0;
  for (const Candidate& candidate : kept) mass += probability(candidate);
  double left = random_.next_unit() * mass;
  for (const Candidate& candidate : kept) {
    left -= probability(candidate);
    if (left < 0.0) return candidate.id;
  }
  return kept.back().id;
}

}  // namespace headroom
