// A plan's options say all that was decided: planned again, they give the same plan.
#include <gtest/gtest.h>

#include <random>

#include "model/model_fingerprint.h"
#include "plan/reload_need.h"
#include "support/plans.h"

namespace headroom {
namespace {

constexpr std::array kAnyKvTypes{DType::kF16, DType::kQ8_0, DType::kF8E4M3, DType::kQ4_0};

class RandomPlans {
 public:
  explicit RandomPlans(std::uint32_t seed) : random_(seed), model_(test::random_model(seed)) {
    model_.heap_bytes = below(8 * kMiB);
    devices_ = {test::cpu_with(48 * kMiB + below(2 * kGiB)), test::gpu_with(32 * kMiB + below(kGiB), below(4 * kMiB)),
                test::gpu_with(32 * kMiB + below(kGiB), below(4 * kMiB))};
    devices_[2].id = "cuda:1";
    if (is(4)) test::set_kind(devices_[1], DeviceKind::kVulkan);
    if (is(4)) test::set_kind(devices_[2], DeviceKind::kReference);
    for (DeviceInfo& gpu : std::span(devices_).subspan(1)) {
      gpu.granularity = 64 * kKiB;
      gpu.has_unified_memory = is(5);
    }
    for (DeviceInfo& device : devices_) {
      if (is(8)) continue;  // nobody measured it
      const bool is_cpu = device.id == "cpu";
      device.speed = {
          .read_bytes_per_s = is_cpu ? 60e9 : 500e9, .copy_bytes_per_s = 16e9, .products_per_s = is_cpu ? 1e10 : 60e12};
    }
    options_.n_ctx = 1 + static_cast<std::uint32_t>(below(2000));
    options_.n_slots = 1 + static_cast<std::uint32_t>(below(3));
    options_.n_batch = 8 + static_cast<std::uint32_t>(below(500));
    options_.n_draft = static_cast<std::uint32_t>(below(4));
    options_.kv_k = kAnyKvTypes[below(4)];
    options_.kv_v = kAnyKvTypes[below(4)];
    options_.devices = {{1}};
    if (is(2)) options_.devices.push_back({2});
    if (is(3)) std::swap(options_.devices.front(), options_.devices.back());
    if (is(2)) options_.set_headroom(0, KeepFree{below(40 * kMiB)});
    if (is(3)) options_.n_gpu_layers = static_cast<std::int32_t>(below(model_.n_layers() + 1));
    if (options_.n_gpu_layers > 0 && is(2))
      options_.n_cpu_ffn = static_cast<std::int32_t>(below(static_cast<Bytes>(options_.n_gpu_layers) + 1));
    if (is(3)) options_.stream_rows = is(2) ? 0 : 16;
  }

  bool shares_memory() const { return devices_[1].has_unified_memory || devices_[2].has_unified_memory; }
  const ModelInfo& model() const { return model_; }
  const std::vector<DeviceInfo>& devices() const { return devices_; }
  const PlanOptions& options() const { return options_; }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool is(std::uint64_t one_in) { return below(one_in) == 0; }

  std::mt19937_64 random_;
  ModelInfo model_;
  std::vector<DeviceInfo> devices_;
  PlanOptions options_;
};

TEST(MemoryPlanResolved, options_planned_again_give_the_same_plan) {
  std::size_t n_streaming = 0, n_auto_off = 0;
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    const RandomPlans random(seed);
    const Result<MemoryPlan> plan = plan_memory(random.model(), random.devices(), random.options());
    if (!plan.ok()) continue;
    EXPECT_NE(plan->options.n_gpu_layers, kAutoLayers);
    EXPECT_NE(plan->options.n_cpu_ffn, kAutoLayers);
    EXPECT_NE(plan->options.stream_rows, kAutoRows);
    EXPECT_GT(plan->options.n_ctx, 0U);
    EXPECT_GT(plan->options.n_logit_rows, 0U);
    const MemoryPlan again = test::planned(random.model(), random.devices(), plan->options);
    ASSERT_EQ(what_to_load_again(*plan, again), ReloadNeed::kNothing) << "seed " << seed;
    EXPECT_EQ(again.fits(), plan->fits());
    n_streaming += plan->streaming.is_used() ? 1 : 0;
    n_auto_off += random.options().stream_rows == kAutoRows && plan->options.stream_rows == 0 ? 1 : 0;
  }
  EXPECT_GT(n_streaming, 100U);
  EXPECT_GT(n_auto_off, 100U);
}

// Of a pool that devices share the heap leaves less for layers, so there it counts.
TEST(MemoryPlanResolved, the_heap_changes_nothing_of_what_is_resolved) {
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    const RandomPlans random(seed);
    if (random.shares_memory()) continue;
    const Result<MemoryPlan> plan = plan_memory(random.model(), random.devices(), random.options());
    if (!plan.ok()) continue;
    ModelInfo measured = random.model();
    measured.heap_bytes = 0;
    const MemoryPlan again = test::planned(measured, random.devices(), plan->options);
    ASSERT_EQ(what_to_load_again(*plan, again), ReloadNeed::kNothing) << "seed " << seed;
  }
}

}  // namespace
}  // namespace headroom
