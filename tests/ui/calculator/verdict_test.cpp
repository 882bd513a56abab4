#include "ui/calculator/verdict.h"

#include <gtest/gtest.h>

#include "support/plans.h"

namespace headroom::ui {
namespace {

TEST(VerdictTest, a_plan_that_fits_is_good_and_says_who_holds_the_rest_and_how_fast) {
  const ModelInfo model = test::make_model(test::kLlama32_1B);
  DeviceInfo host = test::cpu_with(16 * kGiB);
  host.free_bytes = 11 * kGiB;
  host.speed.read_bytes_per_s = 50e9;
  const Verdict verdict = verdictOf(model, *test::plan_for(model, {host}));
  EXPECT_EQ(verdict.tone, Tone::Good);
  EXPECT_TRUE(verdict.sentence.startsWith("Fits: ")) << verdict.sentence.toStdString();
  EXPECT_TRUE(verdict.detail.contains("Other programs hold 5.00 GiB of 16.0 GiB.")) << verdict.detail.toStdString();
  EXPECT_TRUE(verdict.detail.contains("about ") && verdict.detail.contains("tokens/s")) << verdict.detail.toStdString();
}

TEST(VerdictTest, nothing_is_said_of_speed_where_nothing_is_known_of_it) {
  const ModelInfo model = test::make_model(test::kLlama32_1B);
  DeviceInfo host = test::cpu_with(16 * kGiB);
  host.speed.read_bytes_per_s = 0;
  EXPECT_FALSE(verdictOf(model, *test::plan_for(model, {host})).detail.contains("tokens"));
}

TEST(VerdictTest, a_plan_that_does_not_fit_is_bad_and_says_by_how_much) {
  const ModelInfo model = test::make_model(test::kLlama3_70B);
  const Verdict verdict = verdictOf(model, *test::plan_for(model, {test::cpu_with(16 * kGiB)}));
  EXPECT_EQ(verdict.tone, Tone::Bad);
  EXPECT_TRUE(verdict.sentence.startsWith("Does not fit by ")) << verdict.sentence.toStdString();
}

TEST(VerdictTest, a_measured_driver_is_told_with_its_share) {
  const ModelInfo model = test::make_model(test::kLlama32_1B);
  PlanOptions options;
  options.devices = {{1}};
  const auto plan = test::plan_for(model, {test::cpu_with(16 * kGiB), test::gpu_with(8 * kGiB, 300 * kMiB)}, options);
  ASSERT_TRUE(plan);
  const QString detail = verdictOf(model, *plan).detail;
  EXPECT_TRUE(detail.contains("The driver takes 300 MiB (measured).")) << detail.toStdString();
}

}  // namespace
}  // namespace headroom::ui
