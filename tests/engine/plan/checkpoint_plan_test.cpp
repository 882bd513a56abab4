// Checkpoints in the plan: which models have them, how many, and what they take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "plan/choose_checkpoints.h"
#include "plan/formulas.h"
#include "plan/kv_regions.h"
#include "plan/plan_options.h"
#include "support/plans.h"

namespace headroom {
namespace {

using test::cpu_and_gpu;
using test::cpu_only;
using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;

constexpr Bytes kStateBytes = 156'893'184;  // of one slot of the 27B: state_plan_test.cpp has the sum

ModelInfo qwen35() { return test::make_model(test::kQwen35_27B); }

TEST(CheckpointPlan, each_is_as_large_as_the_states_of_its_slot) {
  for (const std::int32_t n : {0, 1, 5}) {
    for (const std::uint32_t n_slots : {1U, 3U}) {
      const MemoryPlan plan =
          test::planned(qwen35(), cpu_only(), {.n_ctx = 1024, .n_slots = n_slots, .n_checkpoints = n});
      EXPECT_EQ(plan.bytes_of(RegionGroup::kCheckpoints), static_cast<Bytes>(n) * n_slots * kStateBytes);
      EXPECT_EQ(plan.options.n_checkpoints, n);
    }
  }
}

// Of layers with a window all rows of the slot: (window 1,024 + batch 256) rows x 16 heads x 128 elements x 2 bytes, of
// keys and of values, of 52 layers of 62. The others have all of the context and need none.
TEST(CheckpointPlan, of_a_window_is_its_cache) {
  const ModelInfo model = test::make_model(test::kGemma3_27B);
  const MemoryPlan plan = test::planned(model, cpu_only(), {.n_ctx = 8192, .n_checkpoints = 2});
  EXPECT_EQ(plan.bytes_of(RegionGroup::kCheckpoints), Bytes{2} * 52 * 2 * 1280 * 16 * 128 * 2);
  const MemoryPlan narrow = test::planned(model, cpu_only(), {.n_ctx = 1024, .n_checkpoints = 2});
  EXPECT_EQ(narrow.bytes_of(RegionGroup::kCheckpoints), 0U) << "each layer has the whole context";
  EXPECT_EQ(narrow.options.n_checkpoints, 0);
}

TEST(CheckpointPlan, models_that_can_go_back_have_none) {
  for (const std::int32_t n : {kAutoCheckpoints, 4}) {
    const MemoryPlan plan =
        test::planned(test::make_model(test::kQwen3_8B), cpu_only(), {.n_ctx = 4096, .n_checkpoints = n});
    EXPECT_EQ(plan.options.n_checkpoints, 0);
    EXPECT_EQ(plan.bytes_of(RegionGroup::kCheckpoints), 0U);
    for (const Note& note : plan.notes)
      EXPECT_EQ(note.words.text().find("heckpoint"), std::string::npos) << note.words.text();
  }
}

// An eighth of what is free beside the plan with two: with 8, 6 and then fewer than one checkpoint in it.
TEST(CheckpointPlan, auto_takes_an_eighth_of_what_is_left) {
  const MemoryPlan two = test::planned(qwen35(), cpu_only(64 * kGiB), {.n_ctx = 1024, .n_checkpoints = 2});
  const Bytes asked = two.budgets[0].peak();
  const auto chosen = [&](Bytes spare) {
    const MemoryPlan plan = test::planned(qwen35(), cpu_only(asked + spare), {.n_ctx = 1024});
    EXPECT_TRUE(plan.fits());
    return plan.options.n_checkpoints;
  };
  EXPECT_EQ(chosen(64 * kGiB), kMostAutoCheckpoints);
  EXPECT_EQ(chosen(8 * 4 * (kStateBytes + kMiB)), 6);
  EXPECT_EQ(chosen(8 * kStateBytes - kMiB), 2);
  EXPECT_EQ(chosen(0), 2);
}

TEST(CheckpointPlan, auto_does_without_where_two_are_too_many) {
  const MemoryPlan none = test::planned(qwen35(), cpu_only(64 * kGiB), {.n_ctx = 1024, .n_checkpoints = 0});
  const MemoryPlan plan = test::planned(qwen35(), cpu_only(none.budgets[0].peak() + kMiB), {.n_ctx = 1024});
  EXPECT_TRUE(plan.fits());
  EXPECT_EQ(plan.options.n_checkpoints, 0);
  EXPECT_THAT(plan.notes, Contains(Field(&Note::words, HasSubstr("there are no checkpoints"))));
}

TEST(CheckpointPlan, auto_gives_windows_few_and_never_a_plan_that_does_not_fit) {
  const ModelInfo model = test::make_model(test::kGemma3_27B);
  const MemoryPlan none = test::planned(model, cpu_only(64 * kGiB), {.n_ctx = 8192, .n_checkpoints = 0});
  const auto chosen = [&](Bytes spare) {
    return test::planned(model, cpu_only(none.budgets[0].peak() + spare), {.n_ctx = 8192}).options.n_checkpoints;
  };
  EXPECT_EQ(chosen(64 * kGiB), kMostAutoWindowCheckpoints);
  EXPECT_EQ(chosen(kGiB), 0);
}

TEST(CheckpointPlan, stand_with_their_layer_and_are_told_apart) {
  std::vector<DeviceInfo> devices = cpu_and_gpu();
  test::set_kind(devices[1], DeviceKind::kReference);
  const ModelInfo model = qwen35();
  const MemoryPlan plan = test::planned(model, devices,
                                        {.n_ctx = 1024,
                                         .n_checkpoints = 3,
                                         .kv_k = DType::kF32,
                                         .kv_v = DType::kF32,
                                         .n_gpu_layers = 6,
                                         .devices = {{1}}});
  EXPECT_EQ(plan.bytes_of(RegionGroup::kCheckpoints, 1), 3 * plan.bytes_of(RegionGroup::kState, 1));
  EXPECT_EQ(plan.bytes_of(RegionGroup::kCheckpoints, 0), 3 * plan.bytes_of(RegionGroup::kState, 0));
  const std::vector<Formula> formulas = plan_formulas(model, plan);
  const auto matrices = std::ranges::find(formulas, Message::say("Checkpoints of matrix state"), &Formula::label);
  ASSERT_NE(matrices, formulas.end());
  EXPECT_THAT(matrices->expression, HasSubstr("1 slots x 3 checkpoints x 3145728 bytes"));
  EXPECT_THAT(plan.notes, Contains(Field(&Note::words,
                                         AllOf(HasSubstr("3 checkpoints of"), HasSubstr(format_bytes(kStateBytes))))));
}

TEST(CheckpointPlan, counts_that_make_no_sense_are_refused) {
  for (const std::int32_t n : {-2, kMostCheckpoints + 1}) {
    const Result<MemoryPlan> refused = plan_memory(qwen35(), cpu_only(), {.n_ctx = 1024, .n_checkpoints = n});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().message.text(), "n_checkpoints: expected auto or 0 to 64, found " + std::to_string(n));
  }
}

TEST(CheckpointPlan, options_planned_again_give_the_same_plan) {
  const MemoryPlan plan = test::planned(qwen35(), cpu_only(), {.n_ctx = 1024});
  const MemoryPlan again = test::planned(qwen35(), cpu_only(), plan.options);
  EXPECT_EQ(again.options, plan.options);
  EXPECT_EQ(again.planned_bytes(0), plan.planned_bytes(0));
}

}  // namespace
}  // namespace headroom
