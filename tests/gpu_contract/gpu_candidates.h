// A GPU with rows of logits and what a plan gives it to look into them. What it is done by says the
// candidates_under_test.h of the program:
//   CandidateDevice   the first device of the backend: map(plan), prepare(slices), find(queries)
//   kCopiesQueries    kernels read a copy of what is asked, on the device
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "candidates_under_test.h"
#include "contract/candidate_questions.h"
#include "gpu_contract/gpu_fixture.h"

namespace headroom::test {

class GpuCandidateRows : public ::testing::Test {
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
    slices_.logits = map(logits_, Memory::kPageLocked, Bytes{kQuestionRows} * n_vocab * kF32Bytes);
    slices_.scratch = map(scratch_, Memory::kDevice, slices_.sizes.total());
    slices_.inputs = map(inputs_, Memory::kPageLocked, slices_.layout.total());
    slices_.kernel_inputs =
        kCopiesQueries ? map(kernel_inputs_, Memory::kDevice, slices_.layout.total()) : slices_.inputs;
    const Status prepared = device_.prepare(slices_);
    ASSERT_TRUE(prepared.ok()) << prepared.error().message.text();
  }

  // All at once, or one by one.
  void find(Questions& questions) {
    std::memcpy(slices_.logits.mapped(), questions.logits.data(), questions.logits.size() * sizeof(float));
    for (std::size_t i = 0; i < questions.queries.size(); i += slices_.sizes.n_rows) {
      const Status found = device_.find(std::span(questions.queries).subspan(i, slices_.sizes.n_rows));
      ASSERT_TRUE(found.ok()) << found.error().message.text();
    }
    const std::byte* behind = inputs_->mapped() + slices_.layout.total();
    for (; behind < inputs_->mapped() + inputs_->mapped_bytes(); ++behind)
      ASSERT_EQ(*behind, kBehind) << "beyond what the plan has for it";
  }

  static constexpr std::byte kBehind{0x5A};
  CandidateDevice device_;
  std::unique_ptr<GpuArena> logits_, scratch_, inputs_, kernel_inputs_;
  CandidateSlices slices_;

 private:
  GpuSlice map(std::unique_ptr<GpuArena>& arena, Memory memory, Bytes bytes) {
    ArenaPlan plan;
    plan.memory = memory;
    plan.size = round_up(bytes + 1, 64 * kKiB);
    arena = device_.map(plan);
    if (memory == Memory::kPageLocked) std::memset(arena->mapped(), std::to_integer<int>(kBehind), plan.size);
    return {arena.get(), 0, bytes};
  }
};

}  // namespace headroom::test
