#include "ui/chat/context_meter.h"

#include <gtest/gtest.h>

#include <QTest>

#include "plan/speed.h"
#include "support/plans.h"

namespace headroom::ui {
namespace {

TEST(ContextMeter, what_was_not_counted_is_an_estimate_by_what_was_learnt) {
  ContextMeter meter;
  EXPECT_FALSE(meter.figures().isEstimate) << "nothing is nothing";
  meter.learn({50, 100});
  meter.estimate(1000);
  EXPECT_EQ(meter.figures().used, 500U);
  EXPECT_TRUE(meter.figures().isEstimate);
  meter.learn({10, 100, true});
  EXPECT_DOUBLE_EQ(meter.tokensPerChar(), 0.5) << "at least so many is no reason for fewer";
  meter.learn({0, 100});
  EXPECT_DOUBLE_EQ(meter.tokensPerChar(), 0.5);
}

TEST(ContextMeter, an_answer_tells_how_far_the_context_is_and_how_fast_it_grows) {
  ContextMeter meter;
  meter.setLength(1000);
  meter.estimate(100);
  meter.start();
  meter.grow(40);
  EXPECT_EQ(meter.figures().used, 40U);
  EXPECT_FALSE(meter.figures().isEstimate);
  EXPECT_EQ(meter.figures().tokensPerSecond, 0) << "one moment has no speed";
  QTest::qSleep(20);
  meter.grow(50);
  EXPECT_GT(meter.figures().tokensPerSecond, 0);
  EXPECT_LE(meter.figures().tokensPerSecond, 10 / 0.02);
  meter.grow(0);
  EXPECT_EQ(meter.figures().used, 50U) << "who does not count says nothing";
  meter.start();
  EXPECT_EQ(meter.figures().tokensPerSecond, 0) << "that was of the answer before";
}

TEST(ContextMeter, the_end_of_an_answer_counts_exactly) {
  ContextMeter meter;
  ChatFigures figures;
  figures.generatedTokens = 20;
  figures.contextUsed = 1001;
  figures.contextLength = 1000;
  figures.decodeSeconds = 2;
  meter.finish(figures, 12);
  EXPECT_EQ(meter.figures().used, 1000U) << "the last token is shown and has no place";
  EXPECT_DOUBLE_EQ(meter.figures().tokensPerSecond, 10);
  EXPECT_DOUBLE_EQ(meter.figures().predictedTokensPerSecond, 12);
  figures.decodeSeconds = 0;
  meter.finish(figures, 12);
  EXPECT_EQ(meter.figures().predictedTokensPerSecond, 0) << "it stands beside no speed";
}

TEST(ContextMeter, a_prompt_that_is_too_long_was_counted) {
  ContextMeter meter;
  meter.estimate(100);
  meter.tooLong(1200, true);
  EXPECT_EQ(meter.figures().used, 1200U);
  EXPECT_FALSE(meter.figures().isEstimate);
  EXPECT_TRUE(meter.figures().isAtLeast);
}

TEST(ContextMeter, a_prediction_is_of_the_middle_of_the_answer_with_the_speeds_that_are_known_now) {
  const ModelInfo model = test::make_model(test::kLlama32_1B);
  DeviceInfo host = test::cpu_with(16 * kGiB);
  host.speed = {};
  const auto plan = test::plan_for(model, {host});
  ChatFigures figures;
  figures.generatedTokens = 1000;
  figures.contextUsed = 3000;
  EXPECT_EQ(predictedTokensPerSecond(model, *plan, {}, figures), 0) << "nobody measured";
  host.speed.read_bytes_per_s = 20e9;
  EXPECT_EQ(predictedTokensPerSecond(model, *plan, {host}, figures),
            *estimate_tokens_per_s(model, *test::plan_for(model, {host}), 2500));
}

}  // namespace
}  // namespace headroom::ui
