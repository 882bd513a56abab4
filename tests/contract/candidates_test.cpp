// Candidates that the CPU finds, with every instruction set and number of threads, against plain loops.
#include "backend/candidates.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "backend/cpu/cpu_candidates.h"
#include "contract/isa_test.h"

namespace headroom {
namespace {

constexpr std::uint32_t kRows = kMostCandidateRows;

struct RowKind {
  const char* name;
  std::function<float(std::mt19937&)> logit;
};

float normal(std::mt19937& random) { return std::normal_distribution<float>(0.0F, 4.0F)(random); }

// The first are what models compute; the others are full of ties, or damaged.
const std::vector<RowKind>& row_kinds() {
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

  Questions(const RowKind& kind, std::uint32_t n_tokens) : n_vocab(n_tokens), logits(std::size_t{kRows} * n_tokens) {
    std::mt19937 random(n_tokens);
    for (float& logit : logits) logit = kind.logit(random);
    const std::uint32_t most = std::min(n_vocab, kMostCandidates);
    const std::array<std::uint32_t, kRows> wanted{1, most, 40, 2, 104, 257, most - most / 3, 17};
    for (std::uint32_t row = 0; row < kRows; ++row) {
      ids.emplace_back();
      for (std::uint32_t i = 0; i < row * 9; ++i) ids.back().push_back(random() % n_vocab);
      best.emplace_back(std::min(most, wanted[row]));
      asked.emplace_back(ids.back().size());
    }
    for (std::uint32_t i = 0; i < kRows; ++i) {
      const std::uint32_t row = kRows - 1 - i;  // in an order of their own
      queries.push_back(
          {.row = row, .wants_sum = i % 2 == 0, .ids = ids[row], .best = best[row], .logits = asked[row]});
    }
  }
};

Questions expected_answers(const RowKind& kind, std::uint32_t n_vocab) {
  Questions answered(kind, n_vocab);
  for (CandidateQuery& query : answered.queries) {
    const std::span<const float> all = answered.logits;
    answer_query(all.subspan(std::size_t{query.row} * n_vocab, n_vocab), query);
  }
  return answered;
}

// What was asked at once, all of it or one by one.
void find(Questions& questions, const KernelTable& kernels, std::uint32_t n_threads, bool one_by_one) {
  ModelInfo model;
  model.n_vocab = questions.n_vocab;
  PlanOptions options;
  options.n_logit_rows = one_by_one ? 1 : kRows;
  const CandidateScratch sizes = candidate_scratch(model, options);
  constexpr std::byte kBehind{0x5A};
  std::vector<std::byte> scratch(sizes.total() + 64, kBehind);
  ThreadPool pool(n_threads);
  const CandidateRows rows{questions.logits.data(), questions.n_vocab, scratch.data(), sizes};
  for (std::size_t i = 0; i < questions.queries.size(); i += sizes.n_rows)
    find_cpu_candidates(rows, kernels, pool, std::span(questions.queries).subspan(i, sizes.n_rows));
  for (std::size_t i = sizes.total(); i < scratch.size(); ++i) ASSERT_EQ(scratch[i], kBehind) << "beyond the scratch";
}

class Candidates : public test::IsaTest {};

TEST_P(Candidates, are_those_of_plain_loops_whatever_the_row_and_the_number_of_threads) {
  const KernelTable kernels = make_kernel_table(GetParam());
  for (const RowKind& kind : row_kinds()) {
    for (const std::uint32_t n_vocab :
         {1U, 2U, 15U, 64U, 65U, 513U, 1024U, 1041U, 5003U, 33000U /* enough for all threads */}) {
      const std::string where = std::string(kind.name) + " of " + std::to_string(n_vocab);
      const Questions expected = expected_answers(kind, n_vocab);
      std::vector<double> sums;
      for (const std::uint32_t n_threads : {1U, 2U, 5U}) {
        Questions found(kind, n_vocab);
        find(found, kernels, n_threads, n_threads == 1);
        for (std::size_t i = 0; i < found.queries.size(); ++i) {
          const CandidateQuery &a = found.queries[i], &b = expected.queries[i];
          for (std::size_t j = 0; j < a.best.size(); ++j) {
            ASSERT_EQ(a.best[j].id, b.best[j].id) << where << ", the best but " << j;
            ASSERT_EQ(a.best[j].logit, b.best[j].logit) << where << ", the best but " << j;
          }
          ASSERT_TRUE(std::ranges::equal(a.logits, b.logits)) << where;
          if (!a.wants_sum) {
            ASSERT_EQ(a.sum, 0) << where;
            continue;
          }
          ASSERT_NEAR(a.sum, b.sum, kMostSumError * b.sum) << where;
          sums.push_back(a.sum);
        }
      }
      const std::size_t n = sums.size() / 3;
      for (std::size_t i = 0; i < n; ++i) ASSERT_TRUE(sums[i] == sums[n + i] && sums[i] == sums[2 * n + i]) << where;
    }
  }
}

TEST(AnswerQuery, orders_by_logit_then_id_and_sums_the_whole_row) {
  const std::vector<float> row{1.0F, 3.0F, std::nanf(""), 3.0F, -INFINITY, 2.0F};
  const std::vector<std::uint32_t> ids{2, 5};
  std::vector<Candidate> best(3);
  std::vector<float> logits(2);
  CandidateQuery query{.row = 0, .wants_sum = true, .ids = ids, .best = best, .logits = logits};
  answer_query(row, query);
  EXPECT_EQ(best[0].id, 1U);
  EXPECT_EQ(best[1].id, 3U);
  EXPECT_EQ(best[2].id, 5U);
  EXPECT_EQ(logits[0], -std::numeric_limits<float>::max());
  EXPECT_EQ(logits[1], 2.0F);
  EXPECT_NEAR(query.sum, 2 + std::exp(-1.0) + std::exp(-2.0), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Isas, Candidates, ::testing::ValuesIn(kIsas), test::isa_test_name);

}  // namespace
}  // namespace headroom
