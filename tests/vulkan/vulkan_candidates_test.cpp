// Candidates that a Vulkan device finds, against plain loops.
#include "backend/vulkan/vulkan_candidates.h"
#include "backend/vulkan/vulkan_arena.h"

#include <gtest/gtest.h>

#include <cstring>

#include "contract/candidate_questions.h"
#include "vulkan/vulkan_fixture.h"

namespace headroom {
namespace {

using test::Questions, test::RowKind;

// A device with rows of logits and what a plan gives it to look into them.
class VulkanCandidatesTest : public testing::Test {
 protected:
  void make(std::uint32_t n_vocab, std::uint32_t n_rows_at_once) {
    ModelInfo model;
    model.n_vocab = n_vocab;
    PlanOptions options;
    options.n_batch = options.n_slots = 1;
    options.n_logit_rows = n_rows_at_once;
    slices_.n_vocab = n_vocab;
    slices_.sizes = candidate_scratch(model, options);
    slices_.layout = gpu_inputs(model, options);
    const Bytes logits_bytes = Bytes{test::kQuestionRows} * n_vocab * kF32Bytes;
    slices_.logits = map(logits_, Memory::kPageLocked, logits_bytes);
    slices_.scratch = map(scratch_, Memory::kDevice, slices_.sizes.total());
    slices_.inputs = map(inputs_, Memory::kPageLocked, slices_.layout.total());
    slices_.asked = slices_.inputs;
    candidates_ = test::take(VulkanCandidates::record(device_, *pipelines_, slices_));
  }

  // All at once, or one by one.
  void find(Questions& questions) {
    std::memcpy(slices_.logits.mapped(), questions.logits.data(), questions.logits.size() * sizeof(float));
    for (std::size_t i = 0; i < questions.queries.size(); i += slices_.sizes.n_rows) {
      const auto group = std::span(questions.queries).subspan(i, slices_.sizes.n_rows);
      const Status found = candidates_->find(group);
      ASSERT_TRUE(found.ok()) << found.error().message;
    }
    const std::byte* behind = inputs_->mapped() + slices_.layout.total();
    for (; behind < inputs_->mapped() + inputs_->mapped_bytes(); ++behind)
      ASSERT_EQ(*behind, std::byte{0x5A}) << "beyond what the plan has for it";
  }

  std::shared_ptr<VulkanDevice> device_ = test::take(VulkanDevice::open(vulkan_cards().cards.at(0)));
  std::unique_ptr<VulkanPipelines> pipelines_ = test::take(VulkanPipelines::open(device_, {}));
  std::unique_ptr<VulkanArena> logits_, scratch_, inputs_;
  CandidateSlices slices_;
  std::unique_ptr<VulkanCandidates> candidates_;

 private:
  GpuSlice map(std::unique_ptr<VulkanArena>& arena, Memory memory, Bytes bytes) {
    ArenaPlan plan;
    plan.memory = memory;
    plan.size = round_up(bytes + 1, 64 * kKiB);
    arena = test::take(VulkanArena::map(device_, plan));
    if (memory == Memory::kPageLocked) std::memset(arena->mapped(), 0x5A, plan.size);
    return {arena.get(), 0, bytes};
  }
};

TEST_F(VulkanCandidatesTest, are_those_of_plain_loops_whatever_the_row) {
  for (const std::uint32_t n_vocab : {1U, 2U, 15U, 63U, 64U, 65U, 513U, 1023U, 1024U, 1041U, 5003U, 33000U, 128256U}) {
    for (const bool one_by_one : {false, true}) {
      if (one_by_one && n_vocab > 5003) continue;
      make(n_vocab, one_by_one ? 1 : test::kQuestionRows);
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
TEST_F(VulkanCandidatesTest, are_found_where_the_likely_ones_stand_together) {
  constexpr std::uint32_t kVocab = 70000;
  std::uint32_t next = 0;
  const RowKind together{"together", [&](std::mt19937& random) {
                           const std::uint32_t id = next++ % kVocab;
                           if (id >= 20000 && id < 24000) return 5.0F + static_cast<float>(random() % 700) / 64.0F;
                           return id % 64 == 7 ? 5.0F : test::normal(random) - 30.0F;
                         }};
  const auto expected = test::expected_answers(together, kVocab);
  Questions found(together, kVocab);
  make(kVocab, test::kQuestionRows);
  ASSERT_NO_FATAL_FAILURE(find(found));
  test::expect_same_answers(found, expected, together.name);
}

TEST_F(VulkanCandidatesTest, of_fewer_rows_than_before_are_all_that_is_looked_for) {
  make(2000, test::kQuestionRows);
  const RowKind& kind = test::row_kinds().front();
  Questions all(kind, 2000), some(kind, 2000);
  ASSERT_NO_FATAL_FAILURE(find(all));
  const Questions expected = test::expected_answers(kind, 2000);
  for (const std::size_t n : {3U, 1U, 8U}) {
    const std::span<std::byte> others =
        std::span(slices_.inputs.mapped(), slices_.layout.total())
            .subspan((slices_.layout.answers_at + n * gpu_answer(slices_.n_vocab).n_words) * 4);
    std::ranges::fill(others, std::byte{0x5A});
    ASSERT_TRUE(candidates_->find(std::span(some.queries).first(n)).ok());
    EXPECT_TRUE(std::ranges::all_of(others, [](std::byte byte) { return byte == std::byte{0x5A}; })) << n;
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(some.queries[i].best.front().id, expected.queries[i].best.front().id);
      EXPECT_EQ(some.queries[i].best.back().id, expected.queries[i].best.back().id);
    }
  }
}

TEST_F(VulkanCandidatesTest, of_a_vocabulary_that_the_driver_cannot_look_through_are_refused) {
  make(64, 1);
  slices_.n_vocab = 1U << 27;
  const auto refused = VulkanCandidates::record(device_, *pipelines_, slices_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(refused.error().message.find("vulkan:0: expected a vocabulary of at most "), std::string::npos)
      << refused.error().message;
}

}  // namespace
}  // namespace headroom
