#include "plan/choose_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "plan/fixes.h"
#include "plan/plan_options.h"
#include "plan/prompt_speed.h"
#include "support/plans.h"

namespace headroom {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<DeviceInfo> measured(Bytes gpu_bytes) { return test::measured_cpu_and_gpu(gpu_bytes, test::fast_card()); }

class ChooseBatchTest : public testing::Test {
 protected:
  MemoryPlan plan(const std::vector<DeviceInfo>& devices, PlanOptions options) const {
    if (options.devices.empty()) options.devices = {{1}};
    const Result<MemoryPlan> made = plan_memory(model_, devices, options);
    EXPECT_TRUE(made.ok());
    return made.ok() ? *made : MemoryPlan{};
  }
  double seconds(const MemoryPlan& plan, std::uint32_t n_tokens) const {
    return prompt_seconds(model_, plan.devices, plan.placement, plan.streaming, plan.options, n_tokens, 0).value_or(0);
  }
  static std::string notes(const MemoryPlan& plan) {
    std::string all;
    for (const Note& note : plan.notes) all += note.words.text() + "\n";
    return all;
  }

  ModelInfo model_ = test::make_model(test::kLlama3_8B);
};

TEST_F(ChooseBatchTest, a_fast_card_with_room_reads_many_tokens_in_a_step_and_the_plan_says_what_they_take) {
  const std::vector<DeviceInfo> devices = measured(24 * kGiB);
  const MemoryPlan chosen = plan(devices, {.n_ctx = 8192}), least = plan(devices, {.n_ctx = 8192, .n_batch = 256});
  EXPECT_EQ(chosen.options.n_batch, kMostAutoBatch);
  EXPECT_EQ(chosen.program.max_rows, kMostAutoBatch);
  EXPECT_EQ(chosen.placement, least.placement);
  EXPECT_LT(seconds(chosen, 4096) * 1.02, seconds(least, 4096));
  const Bytes more =
      chosen.planned_bytes(1) + chosen.planned_bytes(0) - least.planned_bytes(1) - least.planned_bytes(0);
  EXPECT_GT(more, 0U);
  EXPECT_THAT(notes(chosen), AllOf(HasSubstr("A step reads 2048 tokens"), HasSubstr(format_bytes(more) + " more")));
  EXPECT_THAT(notes(least), Not(HasSubstr("A step reads")));
}

TEST_F(ChooseBatchTest, a_batch_that_was_said_stays) {
  const std::vector<DeviceInfo> devices = measured(24 * kGiB);
  for (const std::uint32_t n_batch : {1U, 64U, 256U, 4096U})
    EXPECT_EQ(plan(devices, {.n_ctx = 8192, .n_batch = n_batch}).options.n_batch, n_batch);
}

// The order in which memory is given away: layers, then context, then steps.
TEST_F(ChooseBatchTest, a_larger_batch_takes_only_what_nothing_else_needs) {
  std::uint32_t before = 0;
  bool was_between = false;
  const PlanOptions at_least{.n_ctx = 8192, .n_batch = kLeastAutoBatch, .n_cpu_ffn = 0, .stream_rows = 0};
  PlanOptions automatic = at_least;
  automatic.n_batch = kAutoBatch;
  for (Bytes bytes = 4 * kGiB; bytes <= 8 * kGiB; bytes += 16 * kMiB) {
    const std::vector<DeviceInfo> devices = measured(bytes);
    const MemoryPlan chosen = plan(devices, automatic), least = plan(devices, at_least);
    EXPECT_EQ(chosen.fits(), least.fits()) << format_bytes(bytes);
    EXPECT_EQ(chosen.placement, least.placement) << format_bytes(bytes);
    const bool is_whole = least.options.n_gpu_layers == static_cast<std::int32_t>(model_.n_layers());
    if (!is_whole) continue;
    EXPECT_GE(chosen.options.n_batch, before) << "more memory, and a smaller batch at " << format_bytes(bytes);
    before = chosen.options.n_batch;
    was_between |= before > kLeastAutoBatch && before < kMostAutoBatch;
  }
  EXPECT_TRUE(was_between) << "no size of the card had room for a part of the rows";
  EXPECT_EQ(before, kMostAutoBatch);
}

TEST_F(ChooseBatchTest, what_the_batch_would_win_is_not_known_or_nothing) {
  std::vector<DeviceInfo> devices = measured(24 * kGiB);
  EXPECT_EQ(plan(devices, {.n_ctx = 8192, .devices = {{0}}}).options.n_batch, kLeastAutoBatch) << "the CPU alone";
  EXPECT_EQ(plan(devices, {.n_ctx = 8192, .n_gpu_layers = 0}).options.n_batch, kLeastAutoBatch) << "no layer there";
  devices[1].speed.products_per_s = 0;
  EXPECT_EQ(plan(devices, {.n_ctx = 8192}).options.n_batch, kLeastAutoBatch) << "prompts were not measured";
  devices[1].speed = {.read_bytes_per_s = 60e9, .op_seconds = 4e-6, .products_per_s = 0.5e12};
  EXPECT_EQ(plan(devices, {.n_ctx = 8192}).options.n_batch, kLeastAutoBatch) << "products are nearly all of the time";
}

TEST_F(ChooseBatchTest, no_step_is_longer_than_a_person_waits_for_a_sign) {
  std::vector<DeviceInfo> devices = measured(24 * kGiB);
  for (const double products : {2e12, 5e12, 10e12, 20e12, 40e12}) {
    devices[1].speed.products_per_s = products;
    const MemoryPlan chosen = plan(devices, {.n_ctx = 8192});
    const bool is_least = chosen.options.n_batch == kLeastAutoBatch;
    EXPECT_TRUE(is_least || seconds(chosen, chosen.options.n_batch) <= 1) << products;
  }
}

TEST_F(ChooseBatchTest, a_short_context_has_no_long_prompts) {
  const std::vector<DeviceInfo> devices = measured(24 * kGiB);
  EXPECT_EQ(plan(devices, {.n_ctx = 512}).options.n_batch, kLeastAutoBatch);
  EXPECT_LE(plan(devices, {.n_ctx = 2048}).options.n_batch, 1024U);
}

// Uploads are the same for every step, so larger steps have fewer of them.
TEST_F(ChooseBatchTest, where_weights_are_streamed_the_larger_step_is_planned_with_the_layers_that_suit_it) {
  const std::vector<DeviceInfo> devices = measured(4 * kGiB);
  const MemoryPlan chosen = plan(devices, {.n_ctx = 8192}), least = plan(devices, {.n_ctx = 8192, .n_batch = 256});
  ASSERT_TRUE(chosen.streaming.is_used());
  EXPECT_GT(chosen.options.n_batch, kLeastAutoBatch);
  EXPECT_LT(seconds(chosen, 4096) * 1.02, seconds(least, 4096));
}

TEST_F(ChooseBatchTest, a_resolved_batch_is_planned_again_as_it_was) {
  for (const Bytes bytes : {5 * kGiB, 9 * kGiB, 24 * kGiB}) {
    const MemoryPlan once = plan(measured(bytes), {.n_ctx = 8192}), again = plan(measured(bytes), once.options);
    EXPECT_EQ(again.options, once.options);
    EXPECT_EQ(again.planned_bytes(1), once.planned_bytes(1));
  }
}

TEST_F(ChooseBatchTest, the_bytes_of_a_batch_are_what_a_plan_without_it_does_not_take) {
  const std::vector<DeviceInfo> devices = measured(24 * kGiB);
  const MemoryPlan one = plan(devices, {.n_ctx = 8192, .n_batch = 1}),
                   many = plan(devices, {.n_ctx = 8192, .n_batch = 512});
  EXPECT_EQ(batch_bytes(model_, one), 0U);
  Bytes sum = 0;
  for (const DeviceIndex device : {0U, 1U}) sum += many.planned_bytes(device) - one.planned_bytes(device);
  EXPECT_EQ(batch_bytes(model_, many), sum);
  EXPECT_GT(sum, 0U);
}

TEST_F(ChooseBatchTest, fixes_of_a_plan_that_does_not_fit_begin_below_the_least_batch) {
  const std::vector<DeviceInfo> devices = measured(24 * kGiB);
  const PlanOptions whole{.n_ctx = 8192, .n_gpu_layers = 32, .n_cpu_ffn = 0, .devices = {{1}}};
  PlanOptions small = whole;
  small.n_batch = 128;
  PlanOptions tight = whole;
  tight.devices[0].headroom = AtMost{plan(devices, small).budgets.front().peak()};
  ASSERT_FALSE(plan(devices, tight).fits());
  const Result<std::vector<Fix>> fixes = find_fixes(model_, devices, tight);
  ASSERT_TRUE(fixes.ok());
  const auto batch = std::ranges::find(*fixes, 128U, [](const Fix& fix) { return fix.options.n_batch; });
  ASSERT_NE(batch, fixes->end());
  EXPECT_TRUE(batch->makes_it_fit);
  EXPECT_THAT(batch->words, HasSubstr("batch 128"));
}

}  // namespace
}  // namespace headroom
