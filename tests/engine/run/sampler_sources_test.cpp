// The real sampler, from candidates where they suffice and from the whole row elsewhere, against a plain one that
// always reads the whole row.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <vector>

#include "run/sampler.h"
#include "support/full_row_sampler.h"

namespace headroom {
namespace {

// A sampler with the room that a session gives it.
class SampledByHand {
 public:
  SampledByHand(const SamplerSettings& settings, std::uint64_t seed, std::size_t n_vocab)
      : known_(n_vocab),
        best_(kMostCandidates),
        ids_(kMostCandidates),
        logits_(kMostCandidates),
        sampler_(settings, seed, known_) {}

  // As a session does it. The sum of an answer may be off by as much as a backend's: here by `sum_error` of that.
  TokenId choose(const std::vector<float>& row, const std::vector<TokenId>& recent, double sum_error = 0) {
    if (std::optional<CandidateQuery> query = sampler_.ask(recent, {best_, ids_, logits_})) {
      ++n_asked;
      answer_query(row, *query);
      query->sum *= 1 + sum_error * kMostSumError;
      if (const std::optional<TokenId> token = sampler_.choose(*query)) return *token;
    }
    ++n_rows;
    return sampler_.choose(row, recent);
  }

  std::size_t n_asked = 0, n_rows = 0;  // queries, and whole rows read

 private:
  std::vector<Candidate> known_, best_;
  std::vector<TokenId> ids_;
  std::vector<float> logits_;
  Sampler sampler_;
};

float normal(std::mt19937& random, float deviation) { return std::normal_distribution<float>(0.0F, deviation)(random); }

// One logit of a row of a kind.
using Kind = std::function<float(std::mt19937&)>;
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      [](std::mt19937& random) { return normal(random, 1); },
      [](std::mt19937& random) { return normal(random, 5); },
      [](std::mt19937& random) { return random() % 50 == 0 ? 12 + normal(random, 2) : normal(random, 2); },
      [](std::mt19937& random) { return static_cast<float>(random() % 4); },
      [](std::mt19937&) { return -2.0F; },
      [](std::mt19937& random) {
        const auto kind = random() % 40;
        return kind == 0 ? std::nanf("") : kind == 1 ? INFINITY : kind < 9 ? -INFINITY : normal(random, 3);
      },
      [](std::mt19937&) { return std::nanf(""); },
      [](std::mt19937& random) { return normal(random, 1) * 1e38F; },
  };
  return all;
}

// Every value of every setting with every other.
std::vector<SamplerSettings> all_settings() {
  std::vector<SamplerSettings> all;
  for (const float temperature : {0.0F, 0.8F, 3.0F})
    for (const std::uint32_t top_k : {0U, 1U, 40U, 500U, 2000U})
      for (const float top_p : {1.0F, 0.95F, 0.3F})
        for (const float min_p : {0.0F, 0.05F, 1.0F})
          for (const float repetition : {1.0F, 1.1F, 0.7F, 100.0F})
            for (const float presence : {0.0F, 0.6F, -1.5F})
              for (const std::uint32_t window : {0U, 64U, 5000U})
                all.push_back({temperature, top_k, top_p, min_p, repetition, presence, window, 0});
  return all;
}

TEST(SamplerSources, every_combination_of_settings_chooses_the_tokens_of_the_whole_row) {
  std::mt19937 random(1);
  std::size_t n_asked = 0, n_enough = 0, n_chosen = 0, i = 0;
  for (const SamplerSettings& settings : all_settings()) {
    // Each combination meets each kind of row and size of vocabulary in turn with the others.
    const std::array<std::size_t, 5> sizes{1, 7, 300, 700, 1500};
    const std::size_t n_vocab = sizes[i++ % sizes.size()];
    SampledByHand sampled(settings, i, n_vocab);
    test::FullRowSampler full(settings, i);
    std::vector<TokenId> recent;
    for (std::size_t step = 0; step < 3; ++step) {
      const Kind& kind = kinds()[(i + step * 3) % kinds().size()];
      std::vector<float> row(n_vocab);
      for (float& logit : row) logit = kind(random);
      for (std::size_t j = 0; j < 30 + step * 200; ++j) recent.push_back(random() % (n_vocab + 5));  // some unknown
      const double sum_error = static_cast<double>(random() % 2001) / 1000.0 - 1.0;
      const TokenId expected = full.choose(row, recent);
      ASSERT_EQ(sampled.choose(row, recent, sum_error), expected)
          << "of " << n_vocab << ", temperature " << settings.temperature << ", top-k " << settings.top_k << ", top-p "
          << settings.top_p << ", min-p " << settings.min_p << ", repetition " << settings.repetition_penalty
          << ", presence " << settings.presence_penalty << ", window " << settings.repetition_window << ", kind "
          << (i + step * 3) % kinds().size();
      recent.push_back(expected);
      ++n_chosen;
    }
    n_asked += sampled.n_asked;
    n_enough += n_chosen - sampled.n_rows;
  }
  // That both ways were gone, and the way back from one to the other.
  EXPECT_GT(n_asked, n_chosen / 2);
  EXPECT_LT(n_asked, n_chosen);
  EXPECT_GT(n_enough, 0U);
}

// The sum is known but for its error: a nucleus that ends within it is left to the whole row.
TEST(SamplerSources, a_nucleus_that_ends_where_the_sum_is_unsure_is_found_in_the_whole_row) {
  // 600 equal tokens, of which the first 100 reach a sixth, or the first 101.
  const SamplerSettings settings{.temperature = 1.0F, .top_k = 0, .top_p = 100.0F / 600.0F, .min_p = 0.0F};
  std::vector<float> row(1024, -100.0F);
  std::fill_n(row.begin(), 600, 0.0F);
  SampledByHand sampled(settings, 3, row.size());
  test::FullRowSampler full(settings, 3);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(sampled.choose(row, {}, i % 2 == 0 ? 0.5 : -0.5), full.choose(row, {}));
  EXPECT_EQ(sampled.n_asked, 20U);
  EXPECT_EQ(sampled.n_rows, 20U);
}

// What is said of the settings: usual ones never need a row.
TEST(SamplerSources, whole_rows_are_read_only_where_nothing_narrows_or_too_little) {
  constexpr std::size_t kVocab = 32000;
  std::mt19937 random(7);
  std::vector<std::vector<float>> rows(8, std::vector<float>(kVocab));
  for (std::vector<float>& row : rows) std::ranges::generate(row, [&] { return normal(random, 3); });
  const auto n_rows_of_20 = [&](const SamplerSettings& settings) {
    SampledByHand sampled(settings, 5, kVocab);
    std::vector<TokenId> recent;
    for (std::size_t i = 0; i < 20; ++i) recent.push_back(sampled.choose(rows[i % rows.size()], recent));
    return sampled.n_rows;
  };
  EXPECT_EQ(n_rows_of_20({}), 0U) << "the settings that a chat begins with";
  EXPECT_EQ(n_rows_of_20({.temperature = 0.8F, .repetition_penalty = 1.1F}), 0U);
  EXPECT_EQ(n_rows_of_20({.temperature = 0.0F, .repetition_penalty = 1.3F, .presence_penalty = -1.0F}), 0U);
  EXPECT_EQ(n_rows_of_20({.top_k = 0, .top_p = 1.0F, .min_p = 0.05F}), 0U);
  EXPECT_EQ(n_rows_of_20({.top_k = 0, .top_p = 0.05F, .min_p = 0.0F, .presence_penalty = 0.5F}), 0U);
  EXPECT_EQ(n_rows_of_20({.top_k = 0, .top_p = 0.99F, .min_p = 0.0F}), 20U) << "a nucleus of thousands";
  EXPECT_EQ(n_rows_of_20({.top_k = 0, .top_p = 1.0F, .min_p = 0.0F}), 20U) << "nothing narrows";
  EXPECT_EQ(n_rows_of_20({.top_k = kMostCandidates + 1}), 20U);
}

}  // namespace
}  // namespace headroom
