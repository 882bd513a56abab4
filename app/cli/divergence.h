// How far one set of logits is from another, position by position.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headroom::cli {

struct DivergenceSummary {
  std::uint64_t nPositions = 0;
  double perplexity = 0,
         referencePerplexity = 0;  // exp of the mean negative log-likelihood of the text's own next token
  double meanKld = 0, medianKld = 0, p999Kld = 0;  // of KL(reference || ours), in nats
  double sameTopShare = 0;                         // positions where both find the same token likeliest
};

class Divergence {
 public:
  // One position: both rows are (n_vocab); `next` is the token that follows in the text.
  void add(std::span<const float> reference, std::span<const float> ours, std::uint32_t next);
  DivergenceSummary summary() const;

 private:
  double m_sumLoss = 0, m_sumReferenceLoss = 0;
  std::uint64_t m_nSameTop = 0;
  std::vector<double> m_klds;
};

}  // namespace headroom::cli
