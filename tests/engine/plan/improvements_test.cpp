#include "plan/improvements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "engine/plan/fix_texts.h"
#include "plan/speed.h"
#include "support/model_specs.h"

namespace headroom {
namespace {

using test::with_text;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<DeviceInfo> with_gpus(std::initializer_list<Bytes> gpus) {
  std::vector<DeviceInfo> devices{test::cpu_with(64 * kGiB)};
  devices[0].speed.read_bytes_per_s = 50e9;
  for (const Bytes bytes : gpus) {
    devices.push_back(test::gpu_with(bytes));
    devices.back().id = devices.back().name = "GPU " + std::to_string(devices.size() - 2);
    devices.back().speed.read_bytes_per_s = 800e9;
  }
  return devices;
}

// Each says what its own plan says, against the plan as asked, where a conversation stands.
void expect_true(const ModelInfo& model, const std::vector<DeviceInfo>& devices, const PlanOptions& asked,
                 const std::vector<Fix>& improvements) {
  const MemoryPlan before = *plan_memory(model, devices, asked);
  const std::uint64_t n_positions = before.options.n_ctx / 2;
  double price = 0, fastest = 1.0;
  for (const Fix& fix : improvements) {
    const MemoryPlan after = *plan_memory(model, devices, fix.options);
    EXPECT_TRUE(after.fits()) << fix.words.text();
    const double now = *estimate_tokens_per_s(model, after, std::min<std::uint64_t>(n_positions, after.options.n_ctx));
    EXPECT_DOUBLE_EQ(*fix.tokens_per_s, now) << fix.words.text();
    EXPECT_DOUBLE_EQ(*fix.speedup, now / *estimate_tokens_per_s(model, before, n_positions)) << fix.words.text();
    EXPECT_GE(*fix.speedup, fastest * kLeastSpeedup) << fix.words.text();
    EXPECT_GE(fix.price, price) << fix.words.text();
    EXPECT_FALSE(fix.slowdown) << fix.words.text();
    fastest = *fix.speedup;
    price = fix.price;
  }
  EXPECT_LE(improvements.size(), kMaxImprovements);
}

TEST(Improvements, a_lighter_cache_brings_all_layers_to_the_gpu) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const PlanOptions asked{.n_ctx = 32768, .devices = {{1}}};
  const std::vector<DeviceInfo> devices = with_gpus({8 * kGiB});
  const PlanOptions now = plan_memory(model, devices, asked)->options;
  ASSERT_TRUE(now.n_gpu_layers < 32 || now.n_cpu_ffn > 0);
  const std::vector<Fix> found = *find_improvements(model, devices, asked);
  expect_true(model, devices, asked, found);
  const Fix* kv = with_text(found, "KV as Q8");
  ASSERT_NE(kv, nullptr);
  EXPECT_THAT(kv->words.text(), AllOf(StartsWith("KV as Q8: all 32 layers on the GPU, about "),
                                      HasSubstr(" times as fast ("), HasSubstr(" tokens/s), quality unchanged")));
  EXPECT_EQ(kv->options.kv_k, DType::kQ8_0);
}

TEST(Improvements, layers_that_were_held_back_by_hand_are_given_back) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const PlanOptions asked{.n_ctx = 2048, .n_gpu_layers = 10, .devices = {{1}}};
  const std::vector<Fix> found = *find_improvements(model, with_gpus({24 * kGiB}), asked);
  expect_true(model, with_gpus({24 * kGiB}), asked, found);
  ASSERT_FALSE(found.empty());
  EXPECT_THAT(found.front().words.text(), StartsWith("automatic split: all 32 layers on the GPU, about "));
  EXPECT_EQ(found.front().options.n_gpu_layers, kAutoLayers);
}

TEST(Improvements, another_card_of_this_machine_is_named) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const PlanOptions asked{.n_ctx = 4096, .devices = {{1, KeepFree{kGiB}}}};
  std::vector<DeviceInfo> devices = with_gpus({4 * kGiB, 8 * kGiB});
  std::vector<Fix> found = *find_improvements(model, devices, asked);
  expect_true(model, devices, asked, found);
  const Fix* second = with_text(found, "with GPU 1 too: all 32 layers on the GPUs");
  ASSERT_NE(second, nullptr) << (found.empty() ? "none" : found.front().words.text());
  ASSERT_EQ(second->options.devices.size(), 2U);
  EXPECT_EQ(second->options.devices[0], asked.devices[0]) << "its rule stays";
  EXPECT_EQ(second->options.devices[1].headroom, HeadroomRule(KeepFree{kGiB})) << "and holds for the other, too";
  const auto is_named = [&](const std::function<void(DeviceInfo&)>& make) {
    std::vector<DeviceInfo> others = devices;
    make(others[2]);
    const std::vector<Fix> offered = *find_improvements(model, others, asked);
    return with_text(offered, "GPU 1") != nullptr;
  };
  EXPECT_TRUE(is_named([](DeviceInfo& card) { card.proof = Proof::kPassed; }));
  EXPECT_FALSE(is_named([](DeviceInfo& card) { card.is_present = false; })) << "a card that is not there";
  EXPECT_FALSE(is_named([](DeviceInfo& card) { card.proof = Proof::kFailed; })) << "one that failed its check";
  EXPECT_FALSE(is_named([](DeviceInfo& card) { card.is_software = true; }));
  devices[1].heap = "a card";
  EXPECT_FALSE(is_named([](DeviceInfo& card) {
    card.heap = "a card";
    card.kind = DeviceKind::kVulkan;
  })) << "the card that is used, by another driver";
}

TEST(Improvements, of_a_plan_at_its_best_or_without_room_or_of_unknown_speed_are_none) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  std::vector<DeviceInfo> devices = with_gpus({24 * kGiB});
  EXPECT_TRUE(find_improvements(model, devices, {.n_ctx = 2048, .devices = {{1}}})->empty());
  EXPECT_TRUE(find_improvements(model, with_gpus({4 * kGiB}), {.n_gpu_layers = 32, .devices = {{1}}})->empty());
  const PlanOptions few{.n_ctx = 2048, .n_gpu_layers = 10, .devices = {{1}}};
  EXPECT_FALSE(find_improvements(model, devices, few)->empty());
  devices[1].speed = {};
  EXPECT_TRUE(find_improvements(model, devices, few)->empty());
  devices[0].speed.read_bytes_per_s = devices[1].speed.read_bytes_per_s = 1e14;
  EXPECT_TRUE(find_improvements(model, devices, few)->empty()) << "it is fast enough";
  EXPECT_FALSE(find_improvements(model, devices, {.devices = {{9}}}).ok()) << "a device that does not exist";
}

TEST(Improvements, hold_for_any_model) {
  std::size_t n_found = 0;
  for (std::uint32_t seed = 0; seed < 25; ++seed) {
    const ModelInfo model = test::random_model(seed);
    PlanOptions asked{.n_ctx = 6000, .n_slots = 1 + seed % 3, .devices = {{1}}};
    std::vector<DeviceInfo> devices = with_gpus({kGiB << 10});
    const Bytes needed = plan_memory(model, devices, asked)->budgets.back().planned;
    devices = with_gpus({needed * (40 + 2 * seed) / 100});
    for (DeviceInfo& device : devices) device.speed.read_bytes_per_s /= 1e6;  // small models, slow for their size
    const std::vector<Fix> found = *find_improvements(model, devices, asked);
    expect_true(model, devices, asked, found);
    n_found += found.size();
  }
  EXPECT_GT(n_found, 10U);
}

TEST(Advice, is_fixes_or_improvements) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const PlanOptions asked{.n_ctx = 4096, .n_gpu_layers = 32, .devices = {{1}}};
  const std::vector<Fix> fixes = *find_advice(model, with_gpus({4 * kGiB}), asked);
  EXPECT_FALSE(fixes.empty());
  for (const Fix& fix : fixes) EXPECT_FALSE(fix.speedup) << fix.words.text();
  PlanOptions few = asked;
  few.n_gpu_layers = 10;
  const std::vector<Fix> improvements = *find_advice(model, with_gpus({24 * kGiB}), few);
  EXPECT_FALSE(improvements.empty());
  for (const Fix& fix : improvements) EXPECT_TRUE(fix.speedup) << fix.words.text();
}

}  // namespace
}  // namespace headroom
