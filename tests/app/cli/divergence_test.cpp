#include "divergence.h"

#include <gtest/gtest.h>

#include <cmath>

namespace headroom::cli {
namespace {

std::vector<float> logitsOf(std::initializer_list<double> probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities)
    logits.push_back(static_cast<float>(std::log(p) + 3));  // any offset: softmax takes it away
  return logits;
}

TEST(Divergence, of_equal_logits_is_zero) {
  Divergence divergence;
  const std::vector<float> logits = logitsOf({0.25, 0.25, 0.5});
  divergence.add(logits, logits, 2);
  const DivergenceSummary summary = divergence.summary();
  EXPECT_EQ(summary.nPositions, 1U);
  EXPECT_DOUBLE_EQ(summary.meanKld, 0.0);
  EXPECT_NEAR(summary.perplexity, 2.0, 1e-6);
  EXPECT_DOUBLE_EQ(summary.perplexity, summary.referencePerplexity);
  EXPECT_DOUBLE_EQ(summary.sameTopShare, 1.0);
}

TEST(Divergence, is_the_textbook_sum) {
  Divergence divergence;
  divergence.add(logitsOf({0.5, 0.5}), logitsOf({0.25, 0.75}), 0);
  const double expected = 0.5 * std::log(0.5 / 0.25) + 0.5 * std::log(0.5 / 0.75);
  EXPECT_NEAR(divergence.summary().meanKld, expected, 1e-6);
  EXPECT_NEAR(divergence.summary().perplexity, 4.0, 1e-5);
}

TEST(Divergence, quantiles_are_nearest_ranks) {
  Divergence divergence;
  for (int i = 0; i < 1000; ++i) {
    const double p = 0.5 + 0.0004 * i;  // ever further from one half
    divergence.add(logitsOf({0.5, 0.5}), logitsOf({p, 1 - p}), 0);
  }
  const auto kld = [](double p) { return 0.5 * std::log(0.5 / p) + 0.5 * std::log(0.5 / (1 - p)); };
  EXPECT_NEAR(divergence.summary().medianKld, kld(0.5 + 0.0004 * 499), 1e-5);
  EXPECT_NEAR(divergence.summary().p999Kld, kld(0.5 + 0.0004 * 998), 1e-5);
}

TEST(Divergence, of_nothing_is_empty) { EXPECT_EQ(Divergence().summary().nPositions, 0U); }

}  // namespace
}  // namespace headroom::cli
