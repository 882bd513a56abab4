#include "plan/verification.h"

#include <gtest/gtest.h>

#include "support/model_specs.h"
#include "support/plans.h"

namespace headroom {
namespace {

using Kind = VerifyDifference::Kind;

Verification as_planned() {
  Verification found;
  found.n_ctx = 4096;
  found.n_slots = found.n_full_slots = 2;
  found.refuses_longer_prompt = true;
  found.devices = {{.device = "cuda:0", .planned_bytes = 4 * kGiB, .mapped_bytes = 4 * kGiB},
                   {.device = "cpu", .planned_bytes = kGiB, .mapped_bytes = kGiB}};
  found.n_answers = kVerifyAnswers;
  return found;
}

std::vector<VerifyDifference> differences_of(const Verification& found) {
  return verify_differences(found, VerifyProcess::kEngineAlone);
}

TEST(Verification, what_is_as_planned_has_no_difference) {
  EXPECT_TRUE(differences_of(as_planned()).empty());
  EXPECT_EQ(planned_bytes(as_planned()), 5 * kGiB);
  EXPECT_EQ(mapped_bytes(as_planned()), 5 * kGiB);
}

TEST(Verification, each_difference_is_named_with_its_figures) {
  Verification found = as_planned();
  found.devices[1].mapped_bytes += 4096;
  found.grown.n_arenas = 3;
  found.n_full_slots = 1;
  found.refuses_longer_prompt = false;
  found.grown_by_answers = {.driver = 2 * kMiB, .heap = 3 * kMiB, .mapped = 4 * kMiB};
  EXPECT_EQ(differences_of(found), (std::vector<VerifyDifference>{{Kind::kMapped, "cpu", kGiB, kGiB + 4096},
                                                                  {Kind::kAllocated, {}, 0, 3},
                                                                  {Kind::kNotFull, {}, 2, 1},
                                                                  {Kind::kEndNotRefused, {}, 4096, 4097},
                                                                  {Kind::kDriverGrew, {}, kMiB, 2 * kMiB},
                                                                  {Kind::kHeapGrew, {}, kMiB, 3 * kMiB},
                                                                  {Kind::kMappingsGrew, {}, kMiB, 4 * kMiB}}));
  for (const VerifyDifference& difference : differences_of(found))
    EXPECT_NE(verify_difference_name(difference.kind), "unknown");
}

TEST(Verification, growth_up_to_the_limit_is_allowed_and_the_windows_own_is_not_judged) {
  Verification found = as_planned();
  found.grown_by_answers = {.driver = kMostVerifyGrowth, .heap = kMostVerifyGrowth, .mapped = kMostVerifyGrowth};
  EXPECT_TRUE(differences_of(found).empty());
  found.grown_by_answers.heap = found.grown_by_answers.mapped = kGiB;
  EXPECT_TRUE(verify_differences(found, VerifyProcess::kWithWindow).empty());
  EXPECT_EQ(differences_of(found).size(), 2U);
  found.grown_by_answers.driver = kGiB;
  EXPECT_EQ(verify_differences(found, VerifyProcess::kWithWindow).size(), 1U) << "drivers are the engine's alone";
}

TEST(Verification, how_long_it_takes_grows_with_the_slots_and_is_unknown_without_speeds) {
  const ModelInfo model = test::make_model(test::kLlama32_1B);
  DeviceInfo cpu = make_cpu_device("a CPU", 64 * kGiB, 64 * kGiB, 8);
  const auto seconds = [&](std::uint32_t n_slots) {
    PlanOptions options;
    options.n_ctx = 4096;
    options.n_slots = n_slots;
    const Result<MemoryPlan> plan = plan_memory(model, {&cpu, 1}, options);
    CHECK(plan.ok(), "the plan is made");
    return estimate_verify_seconds(model, *plan);
  };
  EXPECT_FALSE(seconds(1).has_value());
  cpu.speed.read_bytes_per_s = 50e9;
  cpu.speed.products_per_s = 500e9;
  const std::optional<double> one = seconds(1), four = seconds(4);
  ASSERT_TRUE(one && four);
  EXPECT_GT(*one, 1.0);
  EXPECT_GT(*four, *one);
}

}  // namespace
}  // namespace headroom
