#include "plan/plan_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/model_specs.h"

namespace headroom {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class PlanOptionsTest : public testing::Test {
 protected:
  // The error must name the option, what was expected and what was found.
  void expect_refused(const PlanOptions& options, const char* option, const char* expected, const char* found) const {
    const Result<MemoryPlan> plan = plan_memory(model_, devices_, options);
    ASSERT_FALSE(plan.ok()) << option;
    EXPECT_EQ(plan.error().code, ErrorCode::kUsage);
    EXPECT_THAT(plan.error().message.text(), AllOf(HasSubstr(option), HasSubstr(expected), HasSubstr(found)));
  }

  ModelInfo model_ = test::make_model(test::kLlama3_8B);
  std::vector<DeviceInfo> devices_{test::cpu_with(32 * kGiB), test::gpu_with(24 * kGiB)};
};

TEST_F(PlanOptionsTest, an_unknown_device_is_refused) { expect_refused({.devices = {{7}}}, "device", "below 2", "7"); }

TEST_F(PlanOptionsTest, devices_without_a_cpu_are_refused) {
  devices_.erase(devices_.begin());
  expect_refused({}, "devices", "CPU", "1 other");
}

TEST_F(PlanOptionsTest, more_slots_than_batch_rows_are_planned_for_a_step_of_all_slots) {
  const auto plan = plan_memory(model_, devices_, {.n_ctx = 64, .n_slots = 300});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->options.n_batch, 256U);
  EXPECT_EQ(plan->program.max_rows, 300U);
}

TEST_F(PlanOptionsTest, positions_that_no_float_holds_are_refused) {
  EXPECT_TRUE(plan_memory(model_, devices_, {.n_ctx = 16777216}).ok());
  expect_refused({.n_ctx = 16777217}, "n_ctx", "at most 16777216", "16777217");
}

TEST_F(PlanOptionsTest, slots_beyond_the_limit_are_refused) {
  expect_refused({.n_slots = 65537}, "n_slots", "1 to 65536", "65537");
}

TEST_F(PlanOptionsTest, no_slots_are_refused) { expect_refused({.n_slots = 0}, "n_slots", "1 to", "found 0"); }

TEST_F(PlanOptionsTest, a_batch_beyond_the_limit_is_refused) {
  expect_refused({.n_batch = 65537}, "n_batch", "1 to 65536", "65537");
}

// Each expert that a row chose is a workgroup, and no driver has more than 65,535 in that dimension.
TEST_F(PlanOptionsTest, steps_of_more_rows_than_a_gpus_dispatch_has_workgroups_are_refused) {
  model_ = test::make_model(test::kQwen3_30B_A3B);  // 8 experts of each row
  const auto refusal = [&](PlanOptions options) {
    options.n_ctx = 16384;
    const Result<MemoryPlan> plan = plan_memory(model_, devices_, options);
    return plan.ok() ? std::string() : plan.error().message.text();
  };
  const PlanOptions on_gpu{.devices = {{1}}};
  PlanOptions options = on_gpu;
  options.n_batch = 8191;
  EXPECT_EQ(refusal(options), "");
  options.n_batch = 8192;
  EXPECT_EQ(refusal(options), "n_batch 8192 with n_slots 1: expected steps of at most 8191 rows of " + model_.name +
                                  " on Test GPU, found 8192; lower n_batch or n_slots");
  EXPECT_EQ(plan_memory(model_, devices_, options).error().code, ErrorCode::kUsage);
  options.n_gpu_layers = 0;
  EXPECT_NE(refusal(options), "") << "weights may be streamed there";
  options.stream_rows = 0;
  EXPECT_EQ(refusal(options), "") << "nothing is there";
  options = on_gpu;
  options.devices = {{0}};
  options.n_batch = 65536;
  EXPECT_EQ(refusal(options), "") << "the CPU has no such limit";
  options = on_gpu;
  options.n_ctx = 64, options.n_slots = 8192;
  EXPECT_THAT(plan_memory(model_, devices_, options).error().message.text(),
              HasSubstr("with n_slots 8192: expected steps of at most 8191 rows"));
}

TEST_F(PlanOptionsTest, an_automatic_batch_has_no_more_rows_than_a_gpus_dispatch_has_workgroups) {
  model_ = test::make_model(test::kQwen3_30B_A3B);
  for (LayerSpec& layer : model_.layers) layer.n_experts = 512, layer.n_experts_used = 512;
  const auto plan = plan_memory(model_, devices_, {.n_ctx = 4096, .devices = {{1}}});
  ASSERT_TRUE(plan.ok()) << plan.error().message.text();
  EXPECT_EQ(plan->options.n_batch, 127U);
}

TEST_F(PlanOptionsTest, logit_rows_outside_slots_and_batch_are_refused) {
  expect_refused({.n_slots = 4, .n_logit_rows = 3}, "n_logit_rows", "decode step (4)", "found 3");
  expect_refused({.n_slots = 4, .n_draft = 7, .n_logit_rows = 31}, "n_logit_rows", "decode step (32)", "found 31");
  expect_refused({.n_batch = 8, .n_draft = 8}, "n_draft", "at most 7", "found 8");
  expect_refused({.n_draft = 32}, "n_draft", "at most 31", "found 32");
  expect_refused({.n_logit_rows = 257}, "n_logit_rows", "any step (256)", "found 257");
}

TEST_F(PlanOptionsTest, layers_on_the_cpu_device_or_beyond_the_model_are_refused) {
  expect_refused({.n_gpu_layers = 5, .devices = {{0}}}, "n_gpu_layers", "0 or auto", "found 5");
  expect_refused({.n_gpu_layers = 33, .devices = {{1}}}, "n_gpu_layers", "0 to 32", "found 33");
  expect_refused({.n_gpu_layers = -2, .devices = {{1}}}, "n_gpu_layers", "0 to 32", "found -2");
}

TEST_F(PlanOptionsTest, a_device_named_twice_and_ffns_without_their_layers_are_refused) {
  expect_refused({.devices = {{1}, {0}, {1}}}, "device", "each device once", "cuda:0 twice");
  expect_refused({.n_cpu_ffn = 1, .devices = {{0}}}, "n_cpu_ffn", "0 or auto", "found 1");
  expect_refused({.n_cpu_ffn = 33, .devices = {{1}}}, "n_cpu_ffn", "0 to 32", "found 33");
  expect_refused({.n_cpu_ffn = -2, .devices = {{1}}}, "n_cpu_ffn", "0 to 32", "found -2");
  expect_refused({.n_gpu_layers = 4, .n_cpu_ffn = 5, .devices = {{1}}}, "n_cpu_ffn", "0 to 4", "found 5");
}

TEST_F(PlanOptionsTest, a_kv_type_without_a_kernel_on_the_device_is_refused) {
  devices_[1].kv_types = {DType::kF16, DType::kQ8_0};
  expect_refused({.kv_k = DType::kF8E4M3, .devices = {{1}}}, "kv_k", "f16, q8_0", "fp8");
  expect_refused({.kv_v = DType::kQ4_0, .devices = {{1}}}, "kv_v", "f16, q8_0", "q4_0");
  expect_refused({.kv_k = DType::kQ4_K}, "kv_k", "f32, f16, q8_0, q4_0, fp8", "q4_k");
}

TEST_F(PlanOptionsTest, a_model_without_layers_is_refused) {
  model_.layers.clear();
  expect_refused({}, "Llama 3 8B", "one layer", "none");
}

TEST_F(PlanOptionsTest, the_default_context_is_the_trained_one_up_to_4096) {
  EXPECT_EQ(resolve_options(model_, devices_, {})->n_ctx, 4096U);
  model_.n_ctx_trained = 2048;
  EXPECT_EQ(resolve_options(model_, devices_, {})->n_ctx, 2048U);
  EXPECT_EQ(resolve_options(model_, devices_, {.n_ctx = 9000})->n_ctx, 9000U);
}

TEST_F(PlanOptionsTest, one_logit_row_per_slot_is_the_default) {
  EXPECT_EQ(resolve_options(model_, devices_, {.n_slots = 3})->n_logit_rows, 3U);
  EXPECT_EQ(resolve_options(model_, devices_, {.n_slots = 3, .n_draft = 4})->n_logit_rows, 15U);
}

}  // namespace
}  // namespace headroom
