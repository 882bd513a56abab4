#include "ui/calculator/verdict.h"

#include <gtest/gtest.h>

#include "support/plans.h"
#include "ui/format/format_bytes.h"

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
  EXPECT_TRUE(verdict.speed.startsWith("about ") && verdict.speed.endsWith("tokens/s")) << verdict.speed.toStdString();
  EXPECT_EQ(verdict.heading, QStringLiteral("Fits"));
  ASSERT_EQ(verdict.devices.size(), 1U);
  const DeviceVerdict& device = verdict.devices[0];
  EXPECT_EQ(device.whole, 11 * kGiB);
  EXPECT_EQ(device.used + device.spare(), 11 * kGiB) << "nothing is kept free";
}

TEST(VerdictTest, who_holds_the_rest_is_as_it_was_read_last) {
  DeviceInfo host = test::cpu_with(16 * kGiB);
  host.free_bytes = 11 * kGiB;
  const ModelInfo small = test::make_model(test::kLlama32_1B), large = test::make_model(test::kLlama3_70B);
  OthersNow now{{host.id, {3 * kGiB, {}}}};
  EXPECT_TRUE(verdictOf(small, *test::plan_for(small, {host}), now).detail.contains("Other programs hold 3.00 GiB"));
  const auto tooLarge = test::plan_for(large, {host});
  EXPECT_TRUE(verdictOf(large, *tooLarge, now).sentence.endsWith("other programs hold 3.00 GiB"));
  now[host.id].account.confidence = MemoryConfidence::kAssumed;
  EXPECT_FALSE(verdictOf(small, *test::plan_for(small, {host}), now).detail.contains("hold"));
  EXPECT_FALSE(verdictOf(large, *tooLarge, now).sentence.contains("hold"));
}

TEST(VerdictTest, what_a_plan_takes_is_told_in_parts_that_add_up_to_what_the_verdict_counts) {
  ModelInfo model = test::make_model(test::kLlama32_1B);
  model.heap_bytes = 300 * kMiB;
  PlanOptions options;
  options.devices = {{1}};
  const auto plan = test::plan_for(model, {test::cpu_with(16 * kGiB), test::gpu_with(8 * kGiB, 200 * kMiB)}, options);
  ASSERT_TRUE(plan);
  Bytes whole = 0;
  for (const DeviceBudget& budget : plan->budgets) whole += budget.peak();
  const QString text = takesText(*plan);
  EXPECT_TRUE(text.startsWith("Takes " + formatBytes(whole) + ": " + formatBytes(reservedBytes(*plan)) + " reserved"))
      << text.toStdString();
  EXPECT_TRUE(text.contains("300 MiB for tokenizer and tables") && text.contains("200 MiB for drivers"))
      << text.toStdString();
}

TEST(VerdictTest, nothing_is_said_of_speed_where_nothing_is_known_of_it) {
  const ModelInfo model = test::make_model(test::kLlama32_1B);
  DeviceInfo host = test::cpu_with(16 * kGiB);
  host.speed.read_bytes_per_s = 0;
  EXPECT_FALSE(verdictOf(model, *test::plan_for(model, {host})).speed.contains("tokens"));
}

TEST(VerdictTest, a_plan_that_does_not_fit_is_bad_and_says_by_how_much) {
  const ModelInfo model = test::make_model(test::kLlama3_70B);
  const Verdict verdict = verdictOf(model, *test::plan_for(model, {test::cpu_with(16 * kGiB)}));
  EXPECT_EQ(verdict.tone, Tone::Bad);
  EXPECT_TRUE(verdict.sentence.startsWith(verdict.heading + ": ")) << verdict.sentence.toStdString();
  EXPECT_EQ(verdict.heading, "Does not fit by " + formatBytes(verdict.devices[0].missing));
  EXPECT_GT(verdict.devices[0].used, verdict.devices[0].whole);
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
