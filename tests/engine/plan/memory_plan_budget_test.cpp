// What of a device a plan may take, and whether it fits.
#include <gtest/gtest.h>

#include "plan/memory_plan.h"
#include "plan/prompt_memory.h"
#include "support/model_specs.h"
#include "support/plans.h"

namespace headroom {
namespace {

using test::cpu_and_gpu;
using test::cpu_only;

TEST(MemoryPlan, a_load_that_takes_more_than_running_is_held_against_the_limit) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  std::vector<DeviceInfo> devices = cpu_and_gpu();
  const PlanOptions options{.n_ctx = 256, .n_batch = 1, .n_gpu_layers = 22, .devices = {{1}}};
  const DeviceBudget host = test::planned(model, devices, options).budgets.at(1);
  ASSERT_GT(host.loading, host.planned) << "little of it runs here";
  devices[0].free_bytes = host.loading;
  EXPECT_TRUE(test::planned(model, devices, options).fits());
  devices[0].free_bytes = host.loading - 1;
  const MemoryPlan plan = test::planned(model, devices, options);
  EXPECT_FALSE(plan.fits());
  EXPECT_EQ(plan.budgets.at(1).missing(), 1U);
}

TEST(MemoryPlan, the_two_meanings_of_headroom_set_the_limit) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  const auto limit = [&](HeadroomRule rule) {
    return test::planned(model, cpu_only(8 * kGiB), {.devices = {{0, rule}}}).budgets.front().limit;
  };
  EXPECT_EQ(limit(KeepFree{}), 8 * kGiB);
  EXPECT_EQ(limit(KeepFree{3 * kGiB}), 5 * kGiB);
  EXPECT_EQ(limit(KeepFree{9 * kGiB}), 0U);
  EXPECT_EQ(limit(AtMost{2 * kGiB}), 2 * kGiB);
  EXPECT_EQ(limit(AtMost{20 * kGiB}), 8 * kGiB);
}

TEST(MemoryPlan, fits_to_the_byte) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  const Bytes planned_bytes = test::planned(model, cpu_only(), {}).planned_bytes(0);
  EXPECT_TRUE(test::planned(model, cpu_only(planned_bytes), {}).fits());
  const MemoryPlan short_by_one = test::planned(model, cpu_only(planned_bytes - 1), {});
  EXPECT_FALSE(short_by_one.fits());
  EXPECT_EQ(short_by_one.budgets.front().missing(), 1U);
}

TEST(MemoryPlan, the_drivers_share_counts_against_the_budget) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  std::vector<DeviceInfo> devices = cpu_and_gpu();
  const Bytes planned_bytes = test::planned(model, devices, {.n_gpu_layers = 22, .devices = {{1}}}).planned_bytes(1);
  devices[1].free_bytes = planned_bytes + devices[1].driver_bytes;
  EXPECT_TRUE(test::planned(model, devices, {.n_gpu_layers = 22, .devices = {{1}}}).fits());
  devices[1].driver_bytes += 1;
  EXPECT_FALSE(test::planned(model, devices, {.n_gpu_layers = 22, .devices = {{1}}}).fits());
}

TEST(MemoryPlan, what_a_driver_does_not_offer_is_not_held_by_other_programs) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  std::vector<DeviceInfo> devices = cpu_and_gpu();
  const PlanOptions options{.n_gpu_layers = 22, .devices = {{1}}};
  devices[1].free_bytes = devices[1].total_bytes - kGiB;
  const auto held = [&] {
    for (const DeviceBudget& budget : test::planned(model, devices, options).budgets) {
      if (budget.device == 1) return budget.held_by_others;
    }
    return Bytes{0};
  };
  EXPECT_EQ(held(), kGiB);
  devices[1].account.others = 300 * kMiB;
  EXPECT_EQ(held(), 300 * kMiB);
  devices[1].account.others = 2 * kGiB;
  EXPECT_EQ(held(), kGiB) << "what our own model holds is free for the next plan";
  devices[1].account.others.reset();
  devices[1].account.confidence = MemoryConfidence::kAssumed;
  EXPECT_EQ(held(), 0U) << "nobody tells";
}

TEST(MemoryPlan, the_heaps_share_counts_against_the_hosts_budget_alone) {
  ModelInfo model = test::make_model(test::kTinyLlama);
  std::vector<DeviceInfo> devices = cpu_and_gpu();
  const PlanOptions options{.n_gpu_layers = 11, .devices = {{1}}};
  const Bytes planned_bytes = test::planned(model, devices, options).planned_bytes(0);
  model.heap_bytes = 20 * kMiB;
  devices[0].free_bytes = planned_bytes + model.heap_bytes;
  const MemoryPlan plan = test::planned(model, devices, options);
  EXPECT_TRUE(plan.fits());
  EXPECT_EQ(plan.budgets[0].heap, 0U);
  EXPECT_EQ(plan.budgets[1].heap, 20 * kMiB);
  EXPECT_EQ(plan.budgets[1].spare(), 0U);
  model.heap_bytes += 1;
  EXPECT_FALSE(test::planned(model, devices, options).fits());
}

TEST(MemoryPlan, reading_prompts_counts_against_the_hosts_budget_by_the_context) {
  ModelInfo model = test::make_model(test::kTinyLlama);
  std::vector<DeviceInfo> devices = cpu_and_gpu();
  PlanOptions options{.n_ctx = 1024, .n_gpu_layers = 11, .devices = {{1}}};
  const Bytes without = test::planned(model, devices, options).budgets[1].peak();
  model.longest_token_bytes = 64;
  const Bytes prompts = most_prompt_bytes(model, options);
  devices[0].free_bytes = without + prompts;
  const MemoryPlan plan = test::planned(model, devices, options);
  EXPECT_TRUE(plan.fits());
  EXPECT_EQ(plan.budgets[0].prompts, 0U);
  EXPECT_EQ(plan.budgets[1].prompts, prompts);
  EXPECT_EQ(plan.budgets[1].spare(), 0U);
  devices[0].free_bytes -= 1;
  EXPECT_FALSE(test::planned(model, devices, options).fits());
  options.n_ctx = 2048;
  EXPECT_GT(test::planned(model, devices, options).budgets[1].prompts, prompts);
}

}  // namespace
}  // namespace headroom
