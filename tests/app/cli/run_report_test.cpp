#include "run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/speed.h"
#include "support/model_specs.h"

namespace headroom::cli {
namespace {

using testing::HasSubstr;

GenerationFinished finished(FinishReason reason, std::uint32_t generated) {
  GenerationFinished end{reason, {}, {}};
  end.stats.prompt_tokens = 1000;
  end.stats.generated_tokens = generated;
  end.stats.decode_steps = generated > 0 ? generated - 1 : 0;
  end.stats.prefill_seconds = 2;
  end.stats.decode_seconds = end.stats.decode_steps * 0.1;
  return end;
}

// Without weights: only its cache is read.
ModelLoaded loadedModel(double readBytesPerS) {
  auto model = std::make_shared<ModelInfo>(test::make_model(test::kTinyLlama));
  model->weights.clear();
  std::vector<DeviceInfo> devices{test::cpu_with(64 * kGiB)};
  devices.front().speed.read_bytes_per_s = readBytesPerS;
  ModelLoaded loaded;
  loaded.plan = std::make_shared<const MemoryPlan>(*plan_memory(*model, devices, {.n_ctx = 2048}));
  loaded.model = std::move(model);
  return loaded;
}

Json reportOf(const GenerationFinished& end) { return runReport(loadedModel(0), end); }
std::string summaryOf(const GenerationFinished& end) { return runSummary(loadedModel(0), end); }

TEST(RunReport, speeds_are_those_that_were_measured) {
  const GenerationFinished end = finished(FinishReason::kEndOfTurn, 11);
  EXPECT_EQ(reportOf(end)["prompt_tokens_per_s"], 500.0);
  EXPECT_NEAR(reportOf(end)["generated_tokens_per_s"], 10.0, 1e-9);
  EXPECT_THAT(summaryOf(end), HasSubstr("prompt 1000 tokens at 500.0 tokens/s, answer 11 tokens at 10.0 tokens/s"));
}

TEST(RunReport, what_was_predicted_stands_beside_what_was_achieved) {
  const GenerationFinished end = finished(FinishReason::kEndOfTurn, 11);
  const ModelLoaded loaded = loadedModel(1e9);
  const double bytes = 2.0 * 22 * 4 * 64 * 2 * 1005;  // K and V of F16 at the middle of the answer
  EXPECT_NEAR(runReport(loaded, end)["predicted_tokens_per_s"], 1e9 / bytes, 1e-6);
  EXPECT_THAT(runSummary(loaded, end), HasSubstr("answer 11 tokens at 10.0 tokens/s (predicted 44), end_of_turn"));
  EXPECT_TRUE(reportOf(end)["predicted_tokens_per_s"].is_null()) << "of a machine that was never measured";
  EXPECT_TRUE(runReport(loaded, finished(FinishReason::kStopped, 1))["predicted_tokens_per_s"].is_null());
}

TEST(RunReport, a_prompt_that_was_not_read_to_its_end_has_no_speed) {
  const GenerationFinished end = finished(FinishReason::kStopped, 0);
  EXPECT_TRUE(reportOf(end)["prompt_tokens_per_s"].is_null());
  EXPECT_TRUE(reportOf(end)["generated_tokens_per_s"].is_null());
  EXPECT_THAT(summaryOf(end), testing::StartsWith("prompt 1000 tokens, answer 0 tokens, stopped"));
}

TEST(RunReport, an_answer_that_was_stopped_after_its_first_token_has_the_speed_of_its_prompt) {
  const GenerationFinished end = finished(FinishReason::kStopped, 1);
  EXPECT_EQ(reportOf(end)["prompt_tokens_per_s"], 500.0);
  EXPECT_TRUE(reportOf(end)["generated_tokens_per_s"].is_null()) << "the first token comes from the prompt";
  EXPECT_THAT(summaryOf(end), HasSubstr("answer 1 tokens, stopped"));
}

TEST(RunReport, an_answer_that_ends_at_once_has_the_speed_of_its_prompt) {
  EXPECT_EQ(reportOf(finished(FinishReason::kEndOfTurn, 0))["prompt_tokens_per_s"], 500.0);
}

}  // namespace
}  // namespace headroom::cli
