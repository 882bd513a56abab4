#include "plan/fixes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/plan/fix_texts.h"
#include "plan/solve.h"
#include "support/model_specs.h"

namespace headroom {
namespace {

using test::with_text;
using testing::HasSubstr;

std::vector<std::string> texts(const std::vector<Fix>& fixes) {
  std::vector<std::string> out;
  for (const Fix& fix : fixes) out.push_back(fix.words.text());
  return out;
}

std::vector<DeviceInfo> with_gpu(Bytes gpu_bytes) {
  std::vector<DeviceInfo> devices{test::cpu_with(64 * kGiB), test::gpu_with(gpu_bytes)};
  devices[0].speed.read_bytes_per_s = 50e9;
  devices[1].speed.read_bytes_per_s = 800e9;
  return devices;
}

// Each fix says exactly what its own plan says.
void expect_exact(const ModelInfo& model, const std::vector<DeviceInfo>& devices, const PlanOptions& asked,
                  const std::vector<Fix>& fixes) {
  const MemoryPlan before = *plan_memory(model, devices, asked);
  const auto worst =
      std::max_element(before.budgets.begin(), before.budgets.end(),
                       [](const DeviceBudget& a, const DeviceBudget& b) { return a.missing() < b.missing(); });
  for (const Fix& fix : fixes) {
    const Result<MemoryPlan> after = plan_memory(model, devices, fix.options);
    ASSERT_TRUE(after.ok()) << fix.words.text() << ": " << after.error().message.text();
    EXPECT_EQ(after->fits(), fix.makes_it_fit) << fix.words.text();
    const Bytes planned_after = after->planned_bytes(worst->device);
    if (planned_after > 0) {
      EXPECT_EQ(fix.freed, worst->planned > planned_after ? worst->planned - planned_after : 0) << fix.words.text();
    }
    EXPECT_FALSE(fix.options == asked) << fix.words.text();
  }
}

TEST(Fixes, of_a_plan_that_fits_are_none) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  EXPECT_TRUE(find_fixes(model, std::vector<DeviceInfo>{test::cpu_with(64 * kGiB)}, {})->empty());
}

TEST(Fixes, are_exact_and_sorted_for_any_model) {
  for (std::uint32_t seed = 0; seed < 25; ++seed) {
    const ModelInfo model = test::random_model(seed);
    const std::vector<DeviceInfo> roomy{test::cpu_with(kGiB << 10)};
    PlanOptions asked{.n_ctx = 6000, .n_slots = 1 + seed % 3};
    const Bytes needed = plan_memory(model, roomy, asked)->planned_bytes(0);
    const std::vector<DeviceInfo> devices{test::cpu_with(needed * (60 + seed) / 100)};
    const std::vector<Fix> fixes = *find_fixes(model, devices, asked);
    expect_exact(model, devices, asked, fixes);
    EXPECT_TRUE(std::is_sorted(fixes.begin(), fixes.end(), [](const Fix& a, const Fix& b) {
      return a.makes_it_fit != b.makes_it_fit ? a.makes_it_fit : a.price < b.price;
    })) << seed;
  }
}

TEST(Fixes, q8_kv_comes_first_when_it_suffices) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const PlanOptions asked{.n_ctx = 32768, .n_gpu_layers = 32, .devices = {{1}}};
  const std::vector<DeviceInfo> devices = with_gpu(8 * kGiB);
  const std::vector<Fix> fixes = *find_fixes(model, devices, asked);
  ASSERT_FALSE(fixes.empty());
  EXPECT_THAT(fixes.front().words.text(),
              testing::AllOf(HasSubstr("KV as Q8: frees 1.77"), HasSubstr("quality unchanged")));
  EXPECT_TRUE(fixes.front().makes_it_fit);
  EXPECT_EQ(with_text(fixes, "KV as FP8")->quality, QualityLoss::kNearlyNone);
  EXPECT_EQ(with_text(fixes, "KV as Q4")->quality, QualityLoss::kSome);
  expect_exact(model, devices, asked, fixes);
}

TEST(Fixes, fewer_layers_state_how_much_slower_it_gets) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const PlanOptions asked{.n_ctx = 16384, .n_gpu_layers = 32, .devices = {{1}}};
  const std::vector<Fix> fixes = *find_fixes(model, with_gpu(6 * kGiB), asked);
  const Fix* layers = with_text(fixes, "to CPU");
  ASSERT_NE(layers, nullptr) << testing::PrintToString(texts(fixes));
  EXPECT_TRUE(layers->makes_it_fit);
  ASSERT_TRUE(layers->slowdown);
  EXPECT_GT(*layers->slowdown, 0.3);
  EXPECT_LT(*layers->slowdown, 1.0);
  EXPECT_THAT(layers->words.text(), HasSubstr("% slower"));
}

TEST(Fixes, ffns_alone_may_go_to_the_cpu) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const PlanOptions asked{.n_ctx = 16384, .n_gpu_layers = 32, .devices = {{1}}};
  const std::vector<DeviceInfo> devices = with_gpu(6 * kGiB);
  const std::vector<Fix> fixes = *find_fixes(model, devices, asked);
  const Fix* ffn = with_text(fixes, " layers on the CPU");
  ASSERT_NE(ffn, nullptr) << testing::PrintToString(texts(fixes));
  EXPECT_TRUE(ffn->makes_it_fit);
  EXPECT_EQ(ffn->options.n_gpu_layers, 32);
  ASSERT_GT(ffn->options.n_cpu_ffn, 0);
  EXPECT_GT(*ffn->slowdown, 0.0);
  PlanOptions one_fewer = ffn->options;
  --one_fewer.n_cpu_ffn;
  EXPECT_FALSE(plan_memory(model, devices, one_fewer)->fits()) << "as few as must go";
  expect_exact(model, devices, asked, fixes);
}

TEST(Fixes, name_the_device_that_lacks_most_among_several) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  std::vector<DeviceInfo> devices = with_gpu(2600 * kMiB);
  devices.push_back(test::gpu_with(2600 * kMiB));
  devices[2].name = "Second GPU";
  const PlanOptions asked{.n_ctx = 2048, .n_gpu_layers = 32, .devices = {{1, KeepFree{0}}, {2, KeepFree{kGiB}}}};
  const MemoryPlan plan = *plan_memory(model, devices, asked);
  ASSERT_FALSE(plan.fits());
  const std::vector<Fix> fixes = *find_fixes(model, devices, asked);
  const Fix* headroom = with_text(fixes, " free on Second GPU instead of 1.00 GiB");
  ASSERT_NE(headroom, nullptr) << testing::PrintToString(texts(fixes));
  EXPECT_TRUE(headroom->makes_it_fit);
  EXPECT_EQ(headroom->options.headroom_of(1), HeadroomRule(KeepFree{0}));
  EXPECT_LT(std::get<KeepFree>(headroom->options.headroom_of(2)).bytes, kGiB);
  expect_exact(model, devices, asked, fixes);
}

TEST(Fixes, a_shorter_context_is_offered_round_and_to_the_position) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const PlanOptions asked{.n_ctx = 65536};
  const std::vector<DeviceInfo> devices{test::cpu_with(9 * kGiB)};
  const std::vector<Fix> fixes = *find_fixes(model, devices, asked);
  const std::uint32_t longest = longest_context(model, devices, asked, 65536)->options->n_ctx;
  std::vector<std::uint32_t> offered;
  for (const Fix& fix : fixes) {
    if (fix.options.n_ctx != 65536) offered.push_back(fix.options.n_ctx);
  }
  EXPECT_THAT(offered, testing::Contains(longest));
  EXPECT_THAT(offered, testing::Contains(longest / 256 * 256));
}

TEST(Fixes, fewer_slots_a_smaller_batch_and_less_headroom_are_offered) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const std::vector<DeviceInfo> roomy{test::cpu_with(64 * kGiB)};
  PlanOptions asked{.n_ctx = 8192, .n_slots = 4, .n_batch = 2048, .devices = {{0, KeepFree{kGiB}}}};
  const Bytes needed = plan_memory(model, roomy, asked)->planned_bytes(0);
  const std::vector<DeviceInfo> devices{test::cpu_with(needed + kGiB / 2)};
  const std::vector<Fix> fixes = *find_fixes(model, devices, asked);
  EXPECT_NE(with_text(fixes, "3 answers at once"), nullptr) << testing::PrintToString(texts(fixes));
  EXPECT_NE(with_text(fixes, "batch "), nullptr);
  const Fix* headroom = with_text(fixes, "keep 512 MiB free instead of 1.00 GiB");
  ASSERT_NE(headroom, nullptr) << testing::PrintToString(texts(fixes));
  EXPECT_TRUE(headroom->makes_it_fit);
  expect_exact(model, devices, asked, fixes);
}

// By a dozen plans, where 4,096 slots are asked for and far fewer fit.
TEST(Fixes, the_most_slots_that_fit_are_found_far_below_what_was_asked) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const std::vector<DeviceInfo> devices{test::cpu_with(16 * kGiB)};
  const PlanOptions asked{.n_ctx = 1024, .n_slots = 4096};
  const std::vector<Fix> fixes = *find_fixes(model, devices, asked);
  const Fix* const fewer = with_text(fixes, " answers at once");
  ASSERT_NE(fewer, nullptr) << testing::PrintToString(texts(fixes));
  PlanOptions options = fewer->options;
  EXPECT_TRUE(plan_memory(model, devices, options)->fits());
  ++options.n_slots;
  EXPECT_FALSE(plan_memory(model, devices, options)->fits());
}

TEST(Fixes, are_combined_when_no_single_one_suffices) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const std::vector<DeviceInfo> roomy{test::cpu_with(64 * kGiB)};
  const PlanOptions asked{.n_ctx = 32768, .n_slots = 4};
  PlanOptions small = asked;
  small.n_slots = 1;
  small.kv_k = small.kv_v = DType::kF8E4M3;
  const std::vector<DeviceInfo> devices{test::cpu_with(plan_memory(model, roomy, small)->planned_bytes(0))};
  const std::vector<Fix> fixes = *find_fixes(model, devices, asked);
  ASSERT_FALSE(fixes.empty());
  EXPECT_TRUE(fixes.front().makes_it_fit) << testing::PrintToString(texts(fixes));
  EXPECT_NE(with_text(fixes, "KV as FP8 and 1 answer at a time"), nullptr) << testing::PrintToString(texts(fixes));
  expect_exact(model, devices, asked, fixes);
}

TEST(Fixes, that_only_help_are_still_named_when_nothing_suffices) {
  const ModelInfo model = test::make_model(test::kLlama3_70B);
  const std::vector<Fix> fixes = *find_fixes(model, std::vector<DeviceInfo>{test::cpu_with(4 * kGiB)}, {.n_ctx = 8192});
  ASSERT_FALSE(fixes.empty());
  for (const Fix& fix : fixes) {
    EXPECT_FALSE(fix.makes_it_fit);
    EXPECT_GT(fix.freed, 0U);
  }
}

}  // namespace
}  // namespace headroom
