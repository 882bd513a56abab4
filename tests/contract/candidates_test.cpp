// Candidates that the CPU finds, with every instruction set and number of threads, against plain loops.
#include <vector>

#include "backend/cpu/cpu_candidates.h"
#include "contract/candidate_questions.h"
#include "contract/isa_test.h"

namespace headroom {
namespace {

using test::Questions, test::RowKind;

// What was asked at once, all of it or one by one.
void find(Questions& questions, const KernelTable& kernels, std::uint32_t n_threads, bool one_by_one) {
  ModelInfo model;
  model.n_vocab = questions.n_vocab;
  PlanOptions options;
  options.n_logit_rows = one_by_one ? 1 : test::kQuestionRows;
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
  for (const RowKind& kind : test::row_kinds()) {
    for (const std::uint32_t n_vocab :
         {1U, 2U, 15U, 64U, 65U, 513U, 1024U, 1041U, 5003U, 33000U /* enough for all threads */}) {
      const std::string where = std::string(kind.name) + " of " + std::to_string(n_vocab);
      const Questions expected = test::expected_answers(kind, n_vocab);
      std::vector<double> sums;
      for (const std::uint32_t n_threads : {1U, 2U, 5U}) {
        Questions found(kind, n_vocab);
        find(found, kernels, n_threads, n_threads == 1);
        ASSERT_NO_FATAL_FAILURE(test::expect_same_answers(found, expected, where));
        for (const CandidateQuery& query : found.queries) {
          if (query.wants_sum) sums.push_back(query.sum);
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
