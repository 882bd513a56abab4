#include "backend/cpu/routing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace headroom {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

struct Chosen {
  std::vector<std::uint32_t> ids;
  std::vector<float> weights;
};

Chosen choose(std::vector<float> logits, std::size_t n_used, const LayerSpec& layer = {},
              const std::vector<float>& choice_bias = {}) {
  Chosen chosen{std::vector<std::uint32_t>(n_used, 99), std::vector<float>(n_used, 99)};
  choose_experts(layer, logits, choice_bias.empty() ? nullptr : choice_bias.data(), chosen.ids, chosen.weights);
  return chosen;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

using Ids = std::vector<std::uint32_t>;

TEST(ChooseExperts, takes_the_largest_in_order_with_weights_that_sum_to_one) {
  const Chosen chosen = choose({0.0F, 2.0F, -1.0F, 3.0F, 1.0F}, 3);
  EXPECT_EQ(chosen.ids, (Ids{3, 1, 4}));
  // softmax over all five, of them the three, divided by their sum.
  const double all = std::exp(0.0) + std::exp(2.0) + std::exp(-1.0) + std::exp(3.0) + std::exp(1.0);
  const double three = (std::exp(3.0) + std::exp(2.0) + std::exp(1.0)) / all;
  EXPECT_NEAR(chosen.weights[0], std::exp(3.0) / all / three, 1e-6);
  EXPECT_NEAR(chosen.weights[1], std::exp(2.0) / all / three, 1e-6);
  EXPECT_NEAR(chosen.weights[2], std::exp(1.0) / all / three, 1e-6);
}

TEST(ChooseExperts, the_lower_index_comes_first_of_equal_logits) {
  EXPECT_EQ(choose({1, 1, 1, 1, 1}, 3).ids, (Ids{0, 1, 2}));
  EXPECT_EQ(choose({0, 5, 1, 5, 5, 1}, 4).ids, (Ids{1, 3, 4, 2}));
  EXPECT_EQ(choose({-0.0F, 0.0F, -0.0F}, 2).ids, (Ids{0, 1}));
  EXPECT_FLOAT_EQ(choose({1, 1, 1, 1, 1}, 4).weights[3], 0.25F);
}

TEST(ChooseExperts, all_experts_can_be_chosen) {
  const Chosen chosen = choose({1, 3, 2}, 3);
  EXPECT_EQ(chosen.ids, (Ids{1, 2, 0}));
  EXPECT_FLOAT_EQ(std::accumulate(chosen.weights.begin(), chosen.weights.end(), 0.0F), 1);
}

TEST(ChooseExperts, what_is_no_number_comes_last_and_chooses_different_experts) {
  EXPECT_EQ(choose({kNan, -kInf, kNan, 1}, 3).ids, (Ids{3, 1, 0}));
  const Chosen garbage = choose({kNan, kNan, kNan, kNan}, 3);
  EXPECT_EQ(garbage.ids, (Ids{0, 1, 2}));
  for (const float weight : garbage.weights) EXPECT_TRUE(std::isnan(weight));
  EXPECT_EQ(choose({kInf, kInf, -kInf, 0}, 3).ids, (Ids{0, 1, 3}));
}

TEST(ChooseExperts, large_logits_do_not_overflow) {
  const Chosen chosen = choose({1e30F, -1e30F, 1e30F}, 2);
  EXPECT_EQ(chosen.weights, (std::vector<float>{0.5F, 0.5F}));
}

TEST(ChooseExperts, a_bias_counts_for_the_choice_alone) {
  LayerSpec layer;
  layer.router = RouterKind::kSigmoid;
  // Sigmoids are 0.5, 0.88, 0.27 and 0.73: the bias brings the third one to the front and puts the second one last.
  const Chosen chosen = choose({0, 2, -1, 1}, 3, layer, {0, -1, 1, 0});
  EXPECT_EQ(chosen.ids, (Ids{2, 3, 0}));
  EXPECT_NEAR(chosen.weights[0], sigmoid(-1), 1e-6);
  EXPECT_NEAR(chosen.weights[1], sigmoid(1), 1e-6);
  EXPECT_NEAR(chosen.weights[2], sigmoid(0), 1e-6);
}

TEST(ChooseExperts, weights_are_divided_by_their_sum_and_scaled_as_the_layer_says) {
  LayerSpec layer;
  layer.router = RouterKind::kSigmoidNormed;
  layer.expert_weight_scale = 2.5F;
  const Chosen chosen = choose({0, 2, -1, 1}, 2, layer);
  EXPECT_EQ(chosen.ids, (Ids{1, 3}));
  EXPECT_NEAR(chosen.weights[0], 2.5 * sigmoid(2) / (sigmoid(2) + sigmoid(1)), 1e-6);
  EXPECT_NEAR(chosen.weights[1], 2.5 * sigmoid(1) / (sigmoid(2) + sigmoid(1)), 1e-6);
}

TEST(ChooseExperts, a_softmax_is_over_all_experts) {
  const double all = std::exp(0.0) + std::exp(2.0) + std::exp(-1.0) + std::exp(1.0);
  LayerSpec layer;
  layer.router = RouterKind::kSoftmax;
  const Chosen chosen = choose({0, 2, -1, 1}, 2, layer);
  EXPECT_NEAR(chosen.weights[0], std::exp(2.0) / all, 1e-6);
  EXPECT_NEAR(chosen.weights[1], std::exp(1.0) / all, 1e-6);
  // 0.09, 0.64, 0.03 and 0.24, and the bias: of logits it would choose another expert.
  layer.router = RouterKind::kSoftmaxNormed;
  const Chosen biased = choose({0, 2, -1, 1}, 2, layer, {0, 0, 0.5F, 0});
  EXPECT_EQ(biased.ids, (Ids{1, 2}));
  EXPECT_NEAR(biased.weights[1], std::exp(-1.0) / (std::exp(2.0) + std::exp(-1.0)), 1e-6);
}

TEST(ChooseExperts, a_sum_that_is_nothing_divides_nothing) {
  LayerSpec layer;
  layer.router = RouterKind::kSigmoidNormed;
  EXPECT_EQ(choose({-200, -300, -250}, 2, layer, {0, 1, 2}).weights, (std::vector<float>{0, 0}));
}

TEST(ChooseExperts, what_is_no_number_comes_last_with_a_bias_too) {
  LayerSpec layer;
  for (const RouterKind kind : {RouterKind::kSoftmaxNormed, RouterKind::kSigmoidNormed}) {
    layer.router = kind;
    EXPECT_EQ(choose({kNan, 0, kNan, 1}, 3, layer, {5, 0, 4, 0}).ids, (Ids{3, 1, 0}));
  }
}

TEST(ExpertGroups, every_choice_stands_once_with_its_expert_and_rows_ascend) {
  const std::uint32_t n_experts = 11, n_used = 3, n_rows = 40;
  Ids ids;
  for (std::uint32_t row = 0; row < n_rows; ++row) {
    for (std::uint32_t i = 0; i < n_used; ++i) ids.push_back((row * row + i * 3) % 9);  // 9 and 10 are never chosen
  }
  Ids scratch(ids.size() + 2 * n_experts, 77);
  const ExpertGroups groups(ids, n_experts, scratch.data());
  std::vector<bool> seen(ids.size());
  std::uint32_t next = 0;
  std::int64_t before = -1;
  for (std::uint32_t i = 0; i < groups.n_groups(); ++i) {
    const ExpertGroups::Group group = groups[i];
    EXPECT_GT(static_cast<std::int64_t>(group.expert), before);
    before = group.expert;
    EXPECT_EQ(group.first, next);
    EXPECT_GT(group.n_rows, 0U);
    for (std::uint32_t at = group.first; at < group.first + group.n_rows; ++at) {
      const std::uint32_t choice = groups.choice(at);
      EXPECT_EQ(ids[choice], group.expert);
      EXPECT_FALSE(seen[choice]);
      seen[choice] = true;
      if (at > group.first) {
        EXPECT_GT(choice / n_used, groups.choice(at - 1) / n_used);
      }
    }
    next += group.n_rows;
  }
  EXPECT_EQ(next, ids.size());
  EXPECT_EQ(groups.n_choices(), ids.size());
}

TEST(ExpertGroups, one_row_has_a_group_for_each_of_its_experts) {
  const Ids ids{7, 0, 3};
  Ids scratch(3 + 2 * 8);
  const ExpertGroups groups(ids, 8, scratch.data());
  ASSERT_EQ(groups.n_groups(), 3U);
  EXPECT_EQ(groups[0].expert, 0U);
  EXPECT_EQ(groups[2].expert, 7U);
  EXPECT_EQ(groups.choice(groups[2].first), 0U);
}

}  // namespace
}  // namespace headroom
