#include "run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom::cli {
namespace {

using testing::HasSubstr;

GenerationFinished finished(FinishReason reason, std::uint32_t generated) {
  GenerationFinished end{reason, {}};
  end.stats.prompt_tokens = 1000;
  end.stats.generated_tokens = generated;
  end.stats.decode_steps = generated > 0 ? generated - 1 : 0;
  end.stats.prefill_seconds = 2;
  end.stats.decode_seconds = end.stats.decode_steps * 0.1;
  return end;
}

Json reportOf(const GenerationFinished& end) {
  ModelLoaded loaded;
  loaded.model = std::make_shared<const ModelInfo>();
  return runReport(loaded, end);
}

TEST(RunReport, speeds_are_those_that_were_measured) {
  const GenerationFinished end = finished(FinishReason::kEndOfTurn, 11);
  EXPECT_EQ(reportOf(end)["prompt_tokens_per_s"], 500.0);
  EXPECT_NEAR(reportOf(end)["generated_tokens_per_s"], 10.0, 1e-9);
  EXPECT_THAT(runSummary(end), HasSubstr("prompt 1000 tokens at 500.0 tokens/s, answer 11 tokens at 10.0 tokens/s"));
}

TEST(RunReport, a_prompt_that_was_not_read_to_its_end_has_no_speed) {
  const GenerationFinished end = finished(FinishReason::kStopped, 0);
  EXPECT_TRUE(reportOf(end)["prompt_tokens_per_s"].is_null());
  EXPECT_TRUE(reportOf(end)["generated_tokens_per_s"].is_null());
  EXPECT_THAT(runSummary(end), testing::StartsWith("prompt 1000 tokens, answer 0 tokens, stopped"));
}

TEST(RunReport, an_answer_that_was_stopped_after_its_first_token_has_the_speed_of_its_prompt) {
  const GenerationFinished end = finished(FinishReason::kStopped, 1);
  EXPECT_EQ(reportOf(end)["prompt_tokens_per_s"], 500.0);
  EXPECT_TRUE(reportOf(end)["generated_tokens_per_s"].is_null()) << "the first token comes from the prompt";
  EXPECT_THAT(runSummary(end), HasSubstr("answer 1 tokens, stopped"));
}

TEST(RunReport, an_answer_that_ends_at_once_has_the_speed_of_its_prompt) {
  EXPECT_EQ(reportOf(finished(FinishReason::kEndOfTurn, 0))["prompt_tokens_per_s"], 500.0);
}

}  // namespace
}  // namespace headroom::cli
