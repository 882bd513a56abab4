// Rows of logits of every kind, what is asked about them, and the answers of plain loops, which every device must give.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "backend/candidates.h"

namespace headroom::test {

inline constexpr std::uint32_t kQuestionRows = kMostCandidateRows;

struct RowKind {
  const char* name;
  std::function<float(std::mt19937&)> logit;
};

inline float normal(std::mt19937& random) { return std::normal_distribution<float>(0.0F, 4.0F)(random); }

// The first are what models compute; the others are full of ties, or damaged.
inline const std::vector<RowKind>& row_kinds() {
  static const std::vector<RowKind> kinds{
      {"random", normal},
      {"sharp", [](std::mt19937& random) { return random() % 97 == 0 ? 30.0F + normal(random) : normal(random); }},
      {"ties", [](std::mt19937& random) { return static_cast<float>(random() % 5); }},
      {"signed zeros", [](std::mt19937& random) { return random() % 2 == 0 ? -0.0F : 0.0F; }},
      {"all equal", [](std::mt19937&) { return 1.5F; }},
      {"not numbers", [](std::mt19937& random) { return random() % 3 == 0 ? std::nanf("") : normal(random); }},
      {"no numbers", [](std::mt19937&) { return std::nanf(""); }},
      {"infinities",
       [](std::mt19937& random) {
         const auto kind = random() % 4;
         return kind == 0 ? INFINITY : kind == 1 ? -INFINITY : normal(random);
       }},
      {"far apart", [](std::mt19937& random) { return normal(random) * 1e37F; }},
  };
  return kinds;
}

// Some rows of logits and the queries about them, each with its own room for answers.
struct Questions {
  std::uint32_t n_vocab;
  std::vector<float> logits;
  std::vector<CandidateQuery> queries;
  std::vector<std::vector<std::uint32_t>> ids;
  std::vector<std::vector<Candidate>> best;
  std::vector<std::vector<float>> asked;

  Questions(const RowKind& kind, std::uint32_t n_tokens)
      : n_vocab(n_tokens), logits(std::size_t{kQuestionRows} * n_tokens) {
    std::mt19937 random(n_tokens);
    for (float& logit : logits) logit = kind.logit(random);
    const std::uint32_t most = std::min(n_vocab, kMostCandidates);
    const std::array<std::uint32_t, kQuestionRows> wanted{1, most, 40, 2, 104, 257, most - most / 3, 17};
    for (std::uint32_t row = 0; row < kQuestionRows; ++row) {
      ids.emplace_back();
      for (std::uint32_t i = 0; i < row * 9; ++i) ids.back().push_back(random() % n_vocab);
      best.emplace_back(std::min(most, wanted[row]));
      asked.emplace_back(ids.back().size());
    }
    for (std::uint32_t i = 0; i < kQuestionRows; ++i) {
      const std::uint32_t row = kQuestionRows - 1 - i;  // in an order of their own
      queries.push_back(
          {.row = row, .wants_sum = i % 2 == 0, .ids = ids[row], .best = best[row], .logits = asked[row]});
    }
  }
};

inline Questions expected_answers(const RowKind& kind, std::uint32_t n_vocab) {
  Questions answered(kind, n_vocab);
  for (CandidateQuery& query : answered.queries) {
    const std::span<const float> all = answered.logits;
    answer_query(all.subspan(std::size_t{query.row} * n_vocab, n_vocab), query);
  }
  return answered;
}

// Tokens, order and logits to the bit, sums within what the contract allows.
inline void expect_same_answers(const Questions& found, const Questions& expected, const std::string& where) {
  for (std::size_t i = 0; i < found.queries.size(); ++i) {
    const CandidateQuery &a = found.queries[i], &b = expected.queries[i];
    for (std::size_t j = 0; j < a.best.size(); ++j) {
      ASSERT_EQ(a.best[j].id, b.best[j].id) << where << ", the best but " << j;
      ASSERT_EQ(a.best[j].logit, b.best[j].logit) << where << ", the best but " << j;
    }
    ASSERT_TRUE(std::ranges::equal(a.logits, b.logits)) << where;
    if (a.wants_sum) {
      ASSERT_NEAR(a.sum, b.sum, kMostSumError * b.sum) << where;
    } else {
      ASSERT_EQ(a.sum, 0) << where;
    }
  }
}

}  // namespace headroom::test
