#include "plan/solve.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/layout.h"
#include "plan/plan_options.h"
#include "support/model_specs.h"

namespace headroom {
namespace {

using testing::HasSubstr;

bool fits(const ModelInfo& model, const std::vector<DeviceInfo>& devices, const PlanOptions& options) {
  const Result<MemoryPlan> plan = plan_memory(model, devices, options);
  return plan.ok() && plan->fits();
}

// Memory somewhere between the smallest plan and a roomy one, so that the answers lie inside their ranges.
std::vector<DeviceInfo> tight_devices(const ModelInfo& model, std::uint32_t seed, bool with_gpu) {
  const std::vector<DeviceInfo> roomy{test::cpu_with(kGiB << 10)};
  const Bytes least = plan_memory(model, roomy, {.n_ctx = 1})->planned_bytes(0);
  const Bytes most = plan_memory(model, roomy, {.n_ctx = 4000})->planned_bytes(0);
  std::vector<DeviceInfo> devices{test::cpu_with(least + (most - least) * (seed % 7) / 8)};
  if (with_gpu) {
    devices[0] = test::cpu_with(2 * most + 64 * kMiB);
    devices.push_back(test::gpu_with(least / 2 + (most - least) * (seed % 5) / 4 + 20 * kMiB, 10 * kMiB));
  }
  return devices;
}

TEST(Solve, the_longest_context_is_exact) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const ModelInfo model = test::random_model(seed);
    const bool with_gpu = seed % 2 == 1;
    const std::vector<DeviceInfo> devices = tight_devices(model, seed, with_gpu);
    PlanOptions options{.n_batch = 64, .devices = {{with_gpu ? 1U : 0U}}};
    if (with_gpu && seed % 4 == 1) options.n_gpu_layers = static_cast<std::int32_t>(model.n_layers());
    const SolveAnswer answer = *longest_context(model, devices, options, 3000);
    std::uint32_t longest = 0;
    for (std::uint32_t n_ctx = 1; n_ctx <= 3000; ++n_ctx) {
      PlanOptions tried = options;
      tried.n_ctx = n_ctx;
      // Caches grow by whole groups, so only the borders of groups need a plan.
      if ((n_ctx % kKvRowStep <= 1 || n_ctx == 3000) && compute_arenas(model, devices, tried, Keep::kSizesOnly)->fits())
        longest = n_ctx;
    }
    ASSERT_EQ(answer.options.has_value(), longest > 0) << "seed " << seed;
    if (longest == 0) continue;
    EXPECT_EQ(answer.options->n_ctx, longest) << "seed " << seed << ": " << answer.words.text();
    EXPECT_TRUE(fits(model, devices, *answer.options));
    PlanOptions one_more = *answer.options;
    ++one_more.n_ctx;
    EXPECT_EQ(fits(model, devices, one_more), answer.is_capped);
    EXPECT_THAT(answer.words.text(), HasSubstr(std::to_string(longest)));
  }
}

TEST(Solve, the_trained_context_is_the_limit_unless_told) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  const std::vector<DeviceInfo> devices{test::cpu_with(64 * kGiB)};
  const SolveAnswer trained = *longest_context(model, devices, {});
  EXPECT_EQ(trained.options->n_ctx, 2048U);
  EXPECT_TRUE(trained.is_capped);
  EXPECT_THAT(trained.words.text(), HasSubstr("all that the model was trained with"));
  EXPECT_GT(longest_context(model, devices, {}, 4294967295U)->options->n_ctx, 1000000U);
}

TEST(Solve, what_the_planner_bounds_is_not_all_that_a_model_was_trained_with) {
  ModelInfo model = test::make_model(test::kTinyLlama);
  model.n_ctx_trained = 2 * kMaxContext;
  const SolveAnswer answer = *longest_context(model, std::vector{test::cpu_with(4096 * kGiB)}, {});
  EXPECT_EQ(answer.options->n_ctx, kMaxContext);
  EXPECT_EQ(answer.words.text(), fmt::format("The longest context that fits is {} positions.", kMaxContext));
}

TEST(Solve, the_most_layers_are_exact) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const ModelInfo model = test::random_model(seed);
    const std::vector<DeviceInfo> devices = tight_devices(model, seed, true);
    PlanOptions options{.n_ctx = 2000, .devices = {{1}}};
    const SolveAnswer answer = *most_layers(model, devices, options);
    std::int32_t most = -1;
    for (std::int32_t n = 0; n <= static_cast<std::int32_t>(model.n_layers()); ++n) {
      options.n_gpu_layers = n;
      if (fits(model, devices, options)) most = n;
    }
    ASSERT_EQ(answer.options.has_value(), most >= 0) << "seed " << seed;
    if (most >= 0) {
      EXPECT_EQ(answer.options->n_gpu_layers, most) << "seed " << seed;
    }
  }
}

TEST(Solve, the_lightest_kv_is_the_least_lossy_pair_that_fits) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const auto cpu_for = [&](DType k, DType v) {
    const std::vector<DeviceInfo> roomy{test::cpu_with(64 * kGiB)};
    return std::vector<DeviceInfo>{
        test::cpu_with(plan_memory(model, roomy, {.n_ctx = 8192, .kv_k = k, .kv_v = v})->planned_bytes(0))};
  };
  for (const auto& [k, v] : {std::pair{DType::kF16, DType::kF16}, std::pair{DType::kF16, DType::kQ8_0},
                             std::pair{DType::kQ8_0, DType::kQ8_0}, std::pair{DType::kQ8_0, DType::kQ4_0},
                             std::pair{DType::kQ4_0, DType::kQ4_0}}) {
    const SolveAnswer answer = *lightest_kv(model, cpu_for(k, v), {.n_ctx = 8192});
    ASSERT_TRUE(answer.options) << answer.words.text();
    EXPECT_EQ(answer.options->kv_k, k) << answer.words.text();
    EXPECT_EQ(answer.options->kv_v, v) << answer.words.text();
  }
}

TEST(Solve, a_kv_type_for_checking_is_never_proposed) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const std::vector<DeviceInfo> roomy{test::cpu_with(640 * kGiB)};
  const SolveAnswer answer = *lightest_kv(model, roomy, {.n_ctx = 8192, .kv_k = DType::kF32, .kv_v = DType::kF32});
  ASSERT_TRUE(answer.options) << answer.words.text();
  EXPECT_EQ(answer.options->kv_k, DType::kF16);
  EXPECT_EQ(answer.options->kv_v, DType::kF16);
}

TEST(Solve, the_lightest_kv_has_a_kernel_on_the_device) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  std::vector<DeviceInfo> devices{test::cpu_with(64 * kGiB), test::gpu_with(5 * kGiB)};
  devices[1].kv_types = {DType::kF16, DType::kQ4_0};
  const SolveAnswer answer = *lightest_kv(model, devices, {.n_ctx = 8192, .n_gpu_layers = 32, .devices = {{1}}});
  ASSERT_TRUE(answer.options) << answer.words.text();
  EXPECT_TRUE(answer.options->kv_k == DType::kQ4_0 || answer.options->kv_v == DType::kQ4_0);
}

TEST(Solve, nothing_that_fits_is_an_answer_with_its_reason) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const std::vector<DeviceInfo> devices{test::cpu_with(kGiB), test::gpu_with(kGiB)};
  for (const SolveAnswer& answer :
       {*longest_context(model, devices, {}), *most_layers(model, devices, {.devices = {{1}}}),
        *lightest_kv(model, devices, {})}) {
    EXPECT_FALSE(answer.options);
    EXPECT_THAT(answer.words.text(), testing::AllOf(HasSubstr("misses"), HasSubstr("GiB on Test CPU")));
  }
}

TEST(Solve, options_that_make_no_sense_are_errors) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  const std::vector<DeviceInfo> devices{test::cpu_with(kGiB)};
  EXPECT_FALSE(longest_context(model, devices, {.n_slots = 0}).ok());
  EXPECT_FALSE(lightest_kv(model, devices, {.devices = {{3}}}).ok());
  const Result<SolveAnswer> layers = most_layers(model, devices, {});
  ASSERT_FALSE(layers.ok());
  EXPECT_THAT(layers.error().message.text(), HasSubstr("expected a GPU"));
}

}  // namespace
}  // namespace headroom
