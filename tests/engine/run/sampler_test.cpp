#include "run/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace headroom {
namespace {

// Everything off: the model's own distribution.
SamplerSettings plain() {
  SamplerSettings settings;
  settings.temperature = 1.0F;
  settings.top_k = 0;
  settings.top_p = 1.0F;
  settings.min_p = 0.0F;
  return settings;
}

std::map<TokenId, int> count(const SamplerSettings& settings, const std::vector<float>& logits, int n_draws) {
  std::vector<Candidate> scratch(logits.size());
  Sampler sampler(settings, 7, scratch);
  std::map<TokenId, int> counts;
  for (int i = 0; i < n_draws; ++i) ++counts[sampler.choose(logits, {})];
  return counts;
}

std::set<TokenId> support(const SamplerSettings& settings, const std::vector<float>& logits) {
  std::set<TokenId> ids;
  for (const auto& [id, n] : count(settings, logits, 4000)) ids.insert(id);
  return ids;
}

// Logits of given probabilities.
std::vector<float> logits_of(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  return logits;
}

TEST(Random, gives_the_numbers_of_the_published_recurrence) {
  // Computed apart from our code, with big integers, from the recurrence of the paper: default increment, seed 42.
  Random random(42);
  for (const std::uint32_t expected : {3270867926U, 1795671209U, 1924641435U, 1143034755U})
    EXPECT_EQ(random.next_u32(), expected);
}

TEST(Random, units_are_uniform) {
  Random a(1);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double unit = a.next_unit();
    ASSERT_GE(unit, 0.0);
    ASSERT_LT(unit, 1.0);
    sum += unit;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.015);  // five standard deviations of the mean of 10,000 uniform numbers
}

TEST(Sampler, temperature_0_takes_the_likeliest_and_ties_go_to_the_lowest_id) {
  SamplerSettings settings = plain();
  settings.temperature = 0.0F;
  EXPECT_EQ(support(settings, {1.0F, 3.0F, 3.0F, 2.0F}), (std::set<TokenId>{1}));
  EXPECT_EQ(argmax(std::vector<float>{1.0F, 3.0F, 3.0F, 2.0F}), 1U);
}

TEST(Sampler, frequencies_follow_the_probabilities) {
  const std::map<TokenId, int> counts = count(plain(), logits_of({0.5, 0.3, 0.2}), 20000);
  EXPECT_NEAR(counts.at(0) / 20000.0, 0.5, 0.018);  // five standard deviations
  EXPECT_NEAR(counts.at(1) / 20000.0, 0.3, 0.018);
  EXPECT_NEAR(counts.at(2) / 20000.0, 0.2, 0.018);
}

TEST(Sampler, temperature_flattens_after_the_filters) {
  SamplerSettings settings = plain();
  settings.temperature = 2.0F;
  // Square roots of 0.64 and 0.36, scaled to one: 0.8 / 1.4.
  const std::map<TokenId, int> counts = count(settings, logits_of({0.64, 0.36}), 20000);
  EXPECT_NEAR(counts.at(0) / 20000.0, 0.8 / 1.4, 0.018);
  settings.top_p = 0.6F;
  EXPECT_EQ(support(settings, logits_of({0.64, 0.36})), (std::set<TokenId>{0}))
      << "top-p sees the model's own distribution";
}

TEST(Sampler, top_k_keeps_k_and_breaks_ties_by_id) {
  SamplerSettings settings = plain();
  settings.top_k = 2;
  EXPECT_EQ(support(settings, {1.0F, 2.0F, 1.0F, 1.0F}), (std::set<TokenId>{0, 1}));
}

TEST(Sampler, top_p_keeps_the_smallest_set_that_reaches_p) {
  SamplerSettings settings = plain();
  settings.top_p = 0.75F;
  EXPECT_EQ(support(settings, logits_of({0.1, 0.5, 0.1, 0.3})), (std::set<TokenId>{1, 3}));
  settings.top_p = 0.85F;
  EXPECT_EQ(support(settings, logits_of({0.1, 0.5, 0.1, 0.3})), (std::set<TokenId>{0, 1, 3}));
}

TEST(Sampler, min_p_is_a_share_of_the_likeliest) {
  SamplerSettings settings = plain();
  settings.min_p = 0.25F;
  EXPECT_EQ(support(settings, logits_of({0.5, 0.3, 0.15, 0.05})), (std::set<TokenId>{0, 1, 2}));
}

TEST(Sampler, a_large_nucleus_is_found_across_sorting_pieces) {
  std::vector<float> logits(5000, 0.0F);
  SamplerSettings settings = plain();
  settings.top_p = 0.5F;
  const std::set<TokenId> ids = support(settings, logits);
  EXPECT_LT(*ids.rbegin(), 2500U);
  EXPECT_GT(*ids.rbegin(), 2300U);
}

TEST(Sampler, repetition_penalty_divides_positive_and_multiplies_negative_logits_once_each) {
  SamplerSettings settings = plain();
  settings.temperature = 0.0F;
  settings.repetition_penalty = 2.0F;
  std::vector<Candidate> scratch(3);
  Sampler sampler(settings, 1, scratch);
  const std::vector<TokenId> recent{0, 0, 0};
  EXPECT_EQ(sampler.choose(std::vector<float>{4.0F, 1.9F, 0.0F}, recent), 0U)
      << "4 / 2 stays above 1.9: penalized once, not per occurrence";
  EXPECT_EQ(sampler.choose(std::vector<float>{4.0F, 2.1F, 0.0F}, recent), 1U);
  EXPECT_EQ(sampler.choose(std::vector<float>{-1.0F, -1.5F, -9.0F}, recent), 1U) << "-1 * 2 is below -1.5";
}

TEST(Sampler, presence_penalty_is_subtracted_within_the_window_only) {
  SamplerSettings settings = plain();
  settings.temperature = 0.0F;
  settings.presence_penalty = 1.0F;
  settings.repetition_window = 2;
  std::vector<Candidate> scratch(3);
  Sampler sampler(settings, 1, scratch);
  EXPECT_EQ(sampler.choose(std::vector<float>{1.5F, 1.0F, 0.0F}, std::vector<TokenId>{2, 0}), 1U);
  EXPECT_EQ(sampler.choose(std::vector<float>{1.5F, 1.0F, 0.0F}, std::vector<TokenId>{0, 2, 2}), 0U);
}

// By every way to choose: the likeliest, top-k, a nucleus, all.
TEST(Sampler, suppressed_tokens_are_never_chosen) {
  const std::vector<float> logits{9.0F, 1.0F, 8.0F, 2.0F, -3.0F};
  const std::vector<TokenId> suppressed{0, 2, 77};  // of another vocabulary, too
  for (const auto& [temperature, top_k, top_p] :
       {std::tuple{0.0F, 0U, 1.0F}, {1.0F, 2U, 1.0F}, {1.0F, 0U, 0.9F}, {100.0F, 0U, 1.0F}}) {
    SamplerSettings settings = plain();
    settings.temperature = temperature;
    settings.top_k = top_k;
    settings.top_p = top_p;
    settings.repetition_penalty = 1.5F;
    std::vector<Candidate> scratch(logits.size());
    Sampler sampler(settings, 7, scratch, suppressed);
    std::set<TokenId> chosen;
    for (int i = 0; i < 400; ++i) chosen.insert(sampler.choose(logits, std::vector<TokenId>{0, 3}));
    EXPECT_FALSE(chosen.contains(0) || chosen.contains(2));
    EXPECT_EQ(chosen.size(), temperature == 0.0F ? 1U : top_k > 0 ? 2U : temperature > 1 ? 3U : 2U) << top_p;
    std::vector<Candidate> best(8);
    std::vector<TokenId> ids(8);
    std::vector<float> of_ids(8);
    const auto query = sampler.ask(std::vector<TokenId>{0, 3}, {best, ids, of_ids});
    if (!query) continue;
    EXPECT_THAT(query->ids, ::testing::ElementsAre(0, 2, 3)) << "the logits of all that are penalized";
    EXPECT_GE(query->best.size(), std::min<std::size_t>(4, logits.size()));
  }
}

TEST(Sampler, a_seed_gives_one_sequence) {
  const std::vector<float> logits(100, 0.0F);
  std::vector<Candidate> scratch_a(100), scratch_b(100);
  Sampler a(plain(), 42, scratch_a), b(plain(), 42, scratch_b);
  std::vector<TokenId> first, second;
  for (int i = 0; i < 50; ++i) {
    first.push_back(a.choose(logits, {}));
    second.push_back(b.choose(logits, {}));
  }
  EXPECT_EQ(first, second);
  EXPECT_GT(std::set<TokenId>(first.begin(), first.end()).size(), 20U);
}

TEST(Sampler, logits_that_are_not_numbers_are_never_chosen_nor_fatal) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  SamplerSettings settings;
  EXPECT_EQ(support(settings, {nan, 1.0F, -infinity}), (std::set<TokenId>{1}));
  EXPECT_EQ(support(settings, {1.0F, infinity, nan}), (std::set<TokenId>{1}));
  EXPECT_LT(*support(settings, {nan, nan, nan}).rbegin(), 3U);
}

TEST(Sampler, settings_out_of_range_are_named) {
  const auto message = [](auto change) {
    SamplerSettings settings;
    change(settings);
    const Status status = check_sampler_settings(settings);
    return status ? std::string() : status.error().message.text();
  };
  EXPECT_EQ(message([](SamplerSettings&) {}), "");
  EXPECT_THAT(message([](SamplerSettings& s) { s.temperature = -1.0F; }), testing::HasSubstr("temperature"));
  EXPECT_THAT(message([](SamplerSettings& s) { s.top_p = 0.0F; }), testing::HasSubstr("top-p"));
  EXPECT_THAT(message([](SamplerSettings& s) { s.min_p = 1.5F; }), testing::HasSubstr("min-p"));
  EXPECT_THAT(message([](SamplerSettings& s) { s.repetition_penalty = 0.0F; }), testing::HasSubstr("repetition"));
  EXPECT_THAT(message([](SamplerSettings& s) { s.presence_penalty = std::numeric_limits<float>::quiet_NaN(); }),
              testing::HasSubstr("presence"));
}

}  // namespace
}  // namespace headroom
