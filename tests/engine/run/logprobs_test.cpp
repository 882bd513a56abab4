#include "run/logprobs.h"

#include <gtest/gtest.h>

#include <random>

namespace headroom {
namespace {

std::vector<float> random_row(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0F, 4.0F);
  std::vector<float> row(n);
  for (float& logit : row) logit = normal(random);
  row[5] = row[9];  // equal ones stand in the order of their ids
  return row;
}

// In the plainest words.
std::vector<double> logprobs_of(const std::vector<float>& row) {
  double sum = 0;
  for (const float logit : row) sum += std::exp(static_cast<double>(logit));
  std::vector<double> logs;
  for (const float logit : row) logs.push_back(logit - std::log(sum));
  return logs;
}

TEST(Logprobs, of_a_row_are_those_of_its_softmax_the_likeliest_first) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::vector<float> row = random_row(300, seed);
    const std::vector<double> expected = logprobs_of(row);
    std::vector<TokenId> order(row.size());
    for (TokenId id = 0; id < order.size(); ++id) order[id] = id;
    std::ranges::sort(order, [&](TokenId a, TokenId b) { return is_likelier({row[a], a}, {row[b], b}); });
    std::vector<TokenLogprob> likeliest(7);
    EXPECT_NEAR(read_logprobs(row, 123, likeliest), expected[123], 1e-5);
    for (std::size_t i = 0; i < likeliest.size(); ++i) {
      EXPECT_EQ(likeliest[i].id, order[i]);
      EXPECT_NEAR(likeliest[i].logprob, expected[order[i]], 1e-5);
    }
  }
}

TEST(Logprobs, from_candidates_are_those_of_the_row) {
  const std::vector<float> row = random_row(300, 3);
  std::vector<Candidate> best(32);
  const std::vector<TokenId> ids{7, 250};
  std::vector<float> logits(2);
  CandidateQuery query;
  query.best = std::span(best).first(1);
  query.ids = ids;
  query.logits = logits;
  ask_for_logprobs(query, 5, best);
  EXPECT_EQ(query.best.size(), 5U);
  answer_query(row, query);
  std::vector<TokenLogprob> found(5), expected(5);
  for (const TokenId chosen : {query.best[2].id, TokenId{250}}) {
    EXPECT_NEAR(read_logprobs(query, chosen, found), read_logprobs(row, chosen, expected), 1e-5);
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].id, expected[i].id);
      EXPECT_NEAR(found[i].logprob, expected[i].logprob, 1e-5);
    }
  }
}

TEST(Logprobs, no_more_are_asked_for_than_there_is_room) {
  std::vector<Candidate> best(4);
  CandidateQuery query;
  query.best = std::span(best).first(2);
  ask_for_logprobs(query, 20, best);
  EXPECT_EQ(query.best.size(), 4U);
  EXPECT_TRUE(query.wants_sum);
}

}  // namespace
}  // namespace headroom
