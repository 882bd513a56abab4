// Candidates that a GPU finds, against plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "gpu_contract/gpu_candidates.h"

namespace headroom {
namespace {

using GpuCandidatesTest = test::GpuCandidateRows;
using test::Questions, test::RowKind;

TEST_F(GpuCandidatesTest, are_those_of_plain_loops_whatever_the_row) {
  for (const std::uint32_t n_vocab : {1U, 2U, 15U, 63U, 64U, 65U, 513U, 1023U, 1024U, 1041U, 5003U, 33000U, 128256U}) {
    for (const bool one_by_one : {false, true}) {
      if (one_by_one && n_vocab > 5003) continue;
      ASSERT_NO_FATAL_FAILURE(make(n_vocab, one_by_one ? 1 : test::kQuestionRows));
      for (const RowKind& kind : test::row_kinds()) {
        Questions found(kind, n_vocab);
        ASSERT_NO_FATAL_FAILURE(find(found));
        ASSERT_NO_FATAL_FAILURE(test::expect_same_answers(found, test::expected_answers(kind, n_vocab),
                                                          std::string(kind.name) + " of " + std::to_string(n_vocab)));
      }
    }
  }
}

// More tokens than there is room for are at least as likely as the last of the best, some more likely and all in few
// blocks: the last one has to be searched for.
TEST_F(GpuCandidatesTest, are_found_where_the_likely_ones_stand_together) {
  constexpr std::uint32_t kVocab = 70000;
  std::uint32_t next = 0;
  const RowKind together{"together", [&](std::mt19937& random) {
                           const std::uint32_t id = next++ % kVocab;
                           if (id >= 20000 && id < 24000) return 5.0F + static_cast<float>(random() % 700) / 64.0F;
                           return id % 64 == 7 ? 5.0F : test::normal(random) - 30.0F;
                         }};
  const auto expected = test::expected_answers(together, kVocab);
  Questions found(together, kVocab);
  ASSERT_NO_FATAL_FAILURE(make(kVocab, test::kQuestionRows));
  ASSERT_NO_FATAL_FAILURE(find(found));
  test::expect_same_answers(found, expected, together.name);
}

TEST_F(GpuCandidatesTest, of_fewer_rows_than_before_are_all_that_is_looked_for) {
  ASSERT_NO_FATAL_FAILURE(make(2000, test::kQuestionRows));
  const RowKind& kind = test::row_kinds().front();
  Questions all(kind, 2000), some(kind, 2000);
  ASSERT_NO_FATAL_FAILURE(find(all));
  const Questions expected = test::expected_answers(kind, 2000);
  for (const std::size_t n : {3U, 1U, 8U}) {
    const std::span<std::byte> others =
        std::span(slices_.inputs.mapped(), slices_.layout.total())
            .subspan((slices_.layout.answers_at + n * gpu_answer(slices_.n_vocab).n_words) * 4);
    std::ranges::fill(others, kBehind);
    ASSERT_TRUE(device_.find(std::span(some.queries).first(n)).ok());
    EXPECT_TRUE(std::ranges::all_of(others, [](std::byte byte) { return byte == kBehind; })) << n;
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(some.queries[i].best.front().id, expected.queries[i].best.front().id);
      EXPECT_EQ(some.queries[i].best.back().id, expected.queries[i].best.back().id);
    }
  }
}

// What a driver answers is no promise of ours.
TEST_F(GpuCandidatesTest, that_are_no_tokens_are_an_error_of_the_device) {
  ASSERT_NO_FATAL_FAILURE(make(2000, test::kQuestionRows));
  Questions asked(test::row_kinds().front(), 2000);
  std::memset(slices_.inputs.mapped() + slices_.layout.answers_at * 4, 0xFF,
              slices_.layout.total() - slices_.layout.answers_at * 4);
  const Status read = GpuCandidates(slices_).read_answers("gpu:0", asked.queries);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kDeviceLost);
  EXPECT_EQ(read.error().message.text(), "gpu:0: expected tokens below 2000, the device answered token 4294967295");
}

}  // namespace
}  // namespace headroom
