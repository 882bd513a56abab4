#include "divergence.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headroom::cli {
namespace {

// log of the sum of exponentials: what turns logits into log-probabilities.
double logSumExp(std::span<const float> logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0.0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  return largest + std::log(sum);
}

std::size_t likeliest(std::span<const float> logits) {
  return static_cast<std::size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

// The value below which `share` of the sorted values lie (nearest rank).
double quantile(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

}  // namespace

void Divergence::add(std::span<const float> reference, std::span<const float> ours, std::uint32_t next) {
  const double referenceNorm = logSumExp(reference);
  const double ourNorm = logSumExp(ours);
  double kld = 0.0;
  for (std::size_t id = 0; id < reference.size(); ++id) {
    const double referenceLog = reference[id] - referenceNorm;
    kld += std::exp(referenceLog) * (referenceLog - (ours[id] - ourNorm));
  }
  m_klds.push_back(std::max(kld, 0.0));  // rounding can leave a tiny negative sum
  m_sumReferenceLoss += referenceNorm - reference[next];
  m_sumLoss += ourNorm - ours[next];
  m_nSameTop += likeliest(reference) == likeliest(ours) ? 1 : 0;
}

DivergenceSummary Divergence::summary() const {
  DivergenceSummary summary;
  summary.nPositions = m_klds.size();
  if (m_klds.empty()) return summary;
  const auto n = static_cast<double>(m_klds.size());
  std::vector<double> sorted = m_klds;
  std::sort(sorted.begin(), sorted.end());
  summary.perplexity = std::exp(m_sumLoss / n);
  summary.referencePerplexity = std::exp(m_sumReferenceLoss / n);
  summary.meanKld = std::accumulate(sorted.begin(), sorted.end(), 0.0) / n;
  summary.medianKld = quantile(sorted, 0.5);
  summary.p999Kld = quantile(sorted, 0.999);
  summary.sameTopShare = static_cast<double>(m_nSameTop) / n;
  return summary;
}

}  // namespace headroom::cli
