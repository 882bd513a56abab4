#include "run/logprobs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace headroom {

void ask_for_logprobs(CandidateQuery& query, std::uint32_t n_top, std::span<Candidate> best) {
  const std::size_t n_best = std::max<std::size_t>(n_top, query.best.size());
  query.best = best.first(std::min(n_best, best.size()));
  query.wants_sum = true;
}

float read_logprobs(const CandidateQuery& answer, TokenId chosen, std::span<TokenLogprob> likeliest) {
  const double log_of_all = answer.best.front().logit + std::log(answer.sum);
  const auto logprob = [&](float logit) { return static_cast<float>(logit - log_of_all); };
  for (std::size_t i = 0; i < likeliest.size(); ++i) likeliest[i] = {answer.best[i].id, logprob(answer.best[i].logit)};
  for (const Candidate& candidate : answer.best) {
    if (candidate.id == chosen) return logprob(candidate.logit);
  }
  const auto asked = std::find(answer.ids.begin(), answer.ids.end(), chosen);
  CHECK(asked != answer.ids.end(), "the chosen token is one of the candidates");
  return logprob(answer.logits[static_cast<std::size_t>(asked - answer.ids.begin())]);
}

float read_logprobs(std::span<const float> row, TokenId chosen, std::span<TokenLogprob> likeliest) {
  CHECK(likeliest.size() <= row.size() && chosen < row.size(), "a row has a logit for each token");
  const auto candidate = [&](TokenId id) { return Candidate{finite_logit(row[id]), id}; };
  double most = -std::numeric_limits<double>::infinity(), sum = 0;
  std::size_t n_found = 0;
  for (TokenId id = 0; id < row.size(); ++id) {
    const Candidate next = candidate(id);
    most = std::max<double>(most, next.logit);
    // The likeliest so far stand sorted, with their logits for now.
    if (likeliest.empty()) continue;
    const auto is_less_likely = [&](const TokenLogprob& found) { return is_likelier(next, {found.logprob, found.id}); };
    const auto end = likeliest.begin() + static_cast<std::ptrdiff_t>(n_found);
    const auto at = std::find_if(likeliest.begin(), end, is_less_likely);
    if (at == likeliest.end()) continue;
    n_found = std::min(n_found + 1, likeliest.size());
    std::move_backward(at, likeliest.begin() + static_cast<std::ptrdiff_t>(n_found) - 1,
                       likeliest.begin() + static_cast<std::ptrdiff_t>(n_found));
    *at = {id, next.logit};
  }
  for (const float logit : row) sum += std::exp(finite_logit(logit) - most);
  const double log_of_all = most + std::log(sum);
  for (TokenLogprob& token : likeliest) token.logprob = static_cast<float>(token.logprob - log_of_all);
  return static_cast<float>(candidate(chosen).logit - log_of_all);
}

}  // namespace headroom
