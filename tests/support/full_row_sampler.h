// The sampler as its settings are described, in plain steps over a whole row of logits: what the real one must agree
// with, whatever it looked at.
#pragma once

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <vector>

#include "backend/candidates.h"
#include "run/random.h"
#include "text/sampler_settings.h"

namespace headroom::test {

class FullRowSampler {
 public:
  FullRowSampler(const SamplerSettings& settings, std::uint64_t seed) : settings_(settings), random_(seed) {}

  std::uint32_t choose(const std::vector<float>& logits, std::span<const std::uint32_t> recent) {
    std::vector<Candidate> tokens;
    for (std::uint32_t id = 0; id < logits.size(); ++id) tokens.push_back({finite_logit(logits[id]), id});
    penalize(tokens, recent);
    std::vector<Candidate> sorted = tokens;
    std::sort(sorted.begin(), sorted.end(), is_likelier);
    if (settings_.temperature == 0.0F) return sorted.front().id;
    if (settings_.top_k > 0) sorted.resize(std::min<std::size_t>(sorted.size(), settings_.top_k));
    return draw(cut(sorted));
  }

 private:
  void penalize(std::vector<Candidate>& tokens, std::span<const std::uint32_t> recent) const {
    const std::size_t n_window = std::min<std::size_t>(recent.size(), settings_.repetition_window);
    const std::set<std::uint32_t> seen(recent.end() - static_cast<std::ptrdiff_t>(n_window), recent.end());
    for (Candidate& token : tokens) {
      if (!seen.contains(token.id)) continue;
      const float penalty = settings_.repetition_penalty;
      token.logit = token.logit > 0.0F ? token.logit / penalty : token.logit * penalty;
      token.logit = finite_logit(token.logit - settings_.presence_penalty);
    }
  }

  // Min-p and top-p of what top-k left, best first. The mass is summed by id.
  std::vector<Candidate> cut(const std::vector<Candidate>& sorted) const {
    const auto probability = [&](const Candidate& token) {
      return std::exp(double{token.logit} - sorted.front().logit);
    };
    std::vector<Candidate> by_id = sorted;
    std::sort(by_id.begin(), by_id.end(), [](const Candidate& a, const Candidate& b) { return a.id < b.id; });
    double mass = 0, reached = 0;
    for (const Candidate& token : by_id) mass += probability(token);
    std::vector<Candidate> kept;
    for (const Candidate& token : sorted) {
      if (settings_.min_p > 0.0F && probability(token) < settings_.min_p) break;
      kept.push_back(token);
      reached += probability(token);
      if (settings_.top_p < 1.0F && reached >= settings_.top_p * mass) break;
    }
    return kept;
  }

  std::uint32_t draw(const std::vector<Candidate>& kept) {
    const auto weight = [&](const Candidate& token) {
      return std::exp((token.logit - double{kept.front().logit}) / settings_.temperature);
    };
    double mass = 0;
    for (const Candidate& token : kept) mass += weight(token);
    double left = random_.next_unit() * mass;
    for (const Candidate& token : kept) {
      left -= weight(token);
      if (left < 0.0) return token.id;
    }
    return kept.back().id;
  }

  SamplerSettings settings_;
  Random random_;
};

}  // namespace headroom::test
