#include "plan/speed.h"

#include <gtest/gtest.h>

#include <array>

#include "support/model_specs.h"

namespace headroom {
namespace {

std::vector<DeviceInfo> with_rates(Bytes gpu_bytes) {
  std::vector<DeviceInfo> devices{test::cpu_with(64 * kGiB), test::gpu_with(gpu_bytes)};
  devices[0].speed.read_bytes_per_s = 50e9;
  devices[1].speed.read_bytes_per_s = 800e9;
  return devices;
}

std::vector<DeviceSpeed> speeds_of(const MemoryPlan& plan) {
  std::vector<DeviceSpeed> speeds;
  for (const DeviceInfo& device : plan.devices) speeds.push_back(device.speed);
  return speeds;
}

// What a step takes on each device when `real` are the speeds of this machine.
DecodeTimes times_of(const ModelInfo& model, const MemoryPlan& plan, std::span<const DeviceSpeed> real,
                     std::uint32_t n_steps) {
  constexpr std::uint32_t kPositions = 300;
  DecodeTimes times{n_steps, std::uint64_t{n_steps} * kPositions, std::vector<double>(real.size())};
  const std::vector<TokenWork> work = token_work(model, plan.devices, plan.placement, plan.options, kPositions);
  for (std::size_t i = 0; i < real.size(); ++i)
    times.seconds[i] = work[i].n_ops > 0 ? n_steps * work[i].seconds(real[i]) : 0;
  return times;
}

TEST(TokenWork, is_every_weight_but_the_embedding_and_the_cache_that_is_seen) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const std::vector<DeviceInfo> devices = with_rates(24 * kGiB);
  const MemoryPlan plan = *plan_memory(model, devices, {.n_ctx = 8192, .devices = {{1}}});
  const std::vector<TokenWork> work = token_work(model, devices, plan.placement, plan.options, 1000);
  const double kv = 2.0 * 32 * 8 * 128 * 2 * 1000;
  EXPECT_DOUBLE_EQ(work[1].bytes, static_cast<double>(plan.bytes_of(RegionGroup::kWeights, 1)) + kv);
  EXPECT_EQ(work[1].n_ops, 32U * 5 + 1);
  EXPECT_EQ(work[0].bytes, 0) << "the embedding is one row";
  EXPECT_EQ(work[0].n_ops, 1U);
}

TEST(TokenWork, of_experts_is_that_of_those_a_token_goes_through_on_the_device_that_has_them) {
  const ModelInfo model = test::make_model(test::kQwen3_30B_A3B);
  const std::vector<DeviceInfo> devices = with_rates(24 * kGiB);
  const PlanOptions options{.n_ctx = 4096, .n_gpu_layers = 48, .n_cpu_ffn = 48, .devices = {{1}}};
  const MemoryPlan plan = *plan_memory(model, devices, options);
  const std::vector<TokenWork> work = token_work(model, devices, plan.placement, plan.options, 1);
  // 3 matrices of 768 x 2,048 in Q4_K, 8 of 128 of them, the router in Q4_K, and a norm of F32.
  const double experts = 3.0 * 768 * 2048 / 256 * 144 * 8, router = 128.0 * 2048 / 256 * 144, norm = 2048 * 4;
  EXPECT_DOUBLE_EQ(work[0].bytes, 48 * (experts + router + norm));
  EXPECT_EQ(work[0].n_ops, 48U * 3 + 1);
  EXPECT_EQ(work[1].n_ops, 48U * 3 + 1);
  EXPECT_GT(plan.bytes_of(RegionGroup::kWeights, 0), 15 * work[0].bytes) << "all of them are in memory";
}

TEST(TokenWork, of_a_window_layer_ends_at_its_window) {
  ModelInfo model = test::make_model(test::kTinyLlama);
  const std::vector<DeviceInfo> devices{test::cpu_with(64 * kGiB)};
  for (LayerSpec& layer : model.layers) {
    layer.attention = AttentionKind::kWindow;
    layer.window = 512;
  }
  const MemoryPlan plan = *plan_memory(model, devices, {.n_ctx = 2048});
  const auto bytes_at = [&](std::uint64_t n) {
    return token_work(model, devices, plan.placement, plan.options, n)[0].bytes;
  };
  EXPECT_LT(bytes_at(100), bytes_at(512));
  EXPECT_EQ(bytes_at(512), bytes_at(2048));
}

TEST(Speed, is_that_of_half_the_context) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const MemoryPlan plan = *plan_memory(model, with_rates(24 * kGiB), {.n_ctx = 8192, .devices = {{1}}});
  EXPECT_EQ(*estimate_tokens_per_s(model, plan), *estimate_tokens_per_s(model, plan, 4096));
  EXPECT_GT(*estimate_tokens_per_s(model, plan, 1), *estimate_tokens_per_s(model, plan, 8192));
}

TEST(Speed, counts_ops_and_what_crosses) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  std::vector<DeviceInfo> devices = with_rates(24 * kGiB);
  const PlanOptions options{.n_ctx = 2048, .n_gpu_layers = 16, .devices = {{1}}};
  const auto seconds = [&] { return 1 / *estimate_tokens_per_s(model, *plan_memory(model, devices, options)); };
  const double without = seconds();
  devices[0].speed.op_seconds = 10e-6;
  devices[1].speed.op_seconds = 5e-6;
  EXPECT_NEAR(seconds() - without, (16 * 5 + 1) * 10e-6 + (16 * 5 + 1) * 5e-6, 1e-9);
  devices[1].speed.copy_bytes_per_s = 4096 * 4 / 1e-3;
  EXPECT_NEAR(seconds() - without, (16 * 5 + 1) * 15e-6 + 1e-3, 1e-9) << "one row of 4,096 floats crosses once";
}

TEST(Speed, is_unknown_where_a_device_that_computes_is) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  std::vector<DeviceInfo> devices = with_rates(24 * kGiB);
  devices[0].speed = {};
  EXPECT_TRUE(estimate_tokens_per_s(model, *plan_memory(model, devices, {.devices = {{1}}})))
      << "a CPU that only embeds";
  EXPECT_FALSE(estimate_tokens_per_s(model, *plan_memory(model, devices, {.n_gpu_layers = 31, .devices = {{1}}})));
}

TEST(Speed, text_has_as_many_digits_as_it_is_worth) {
  EXPECT_EQ(predicted_rate_words(0.34).text(), "0.3");
  EXPECT_EQ(predicted_rate_words(9.94).text(), "9.9");
  EXPECT_EQ(predicted_rate_words(9.96).text(), "10");
  EXPECT_EQ(about_speed_words(123.4).text(), "about 123 tokens/s");
  EXPECT_EQ(about_speed_words(999.4).text(), "about 999 tokens/s");
  EXPECT_EQ(about_speed_words(999.6).text(), "more than 1,000 tokens/s");
}

TEST(RefineSpeeds, comes_to_what_answers_show_on_each_device) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const MemoryPlan plan =
      *plan_memory(model, with_rates(24 * kGiB), {.n_ctx = 4096, .n_gpu_layers = 20, .devices = {{1}}});
  const std::vector<DeviceSpeed> real{{20e9, 0, 0}, {1200e9, 0, 0}};
  std::vector<DeviceSpeed> known = speeds_of(plan);
  for (int answer = 0; answer < 12; ++answer) {
    const auto seen = refine_speeds(model, plan, known, times_of(model, plan, real, 40));
    for (std::size_t i = 0; i < known.size(); ++i) {
      ASSERT_TRUE(seen[i]);
      known[i] = seen[i]->speed;
    }
  }
  for (std::size_t i = 0; i < known.size(); ++i)
    EXPECT_NEAR(known[i].decode_rate(DType::kQ4_K) / real[i].read_bytes_per_s, 1, 0.01);
}

TEST(RefineSpeeds, by_one_format_leaves_what_is_known_of_another) {
  const std::vector<DeviceInfo> devices{with_rates(24 * kGiB)[0]};
  const ModelInfo slow = test::make_model(test::kLlama3_8B, DType::kQ6_K);
  const ModelInfo other = test::make_model(test::kLlama3_8B, DType::kQ8_0);
  const MemoryPlan plan = *plan_memory(slow, devices, {.n_ctx = 4096});
  const MemoryPlan other_plan = *plan_memory(other, devices, {.n_ctx = 4096});
  std::vector<DeviceInfo> known = devices;
  const double before = *estimate_tokens_per_s(other, known, other_plan.placement, other_plan.options);
  const std::vector<DeviceSpeed> real{{15e9, 0, 0}};
  for (int answer = 0; answer < 12; ++answer) {
    const std::array now{known[0].speed};
    known[0].speed = refine_speeds(slow, plan, now, times_of(slow, plan, real, 40))[0]->speed;
  }
  EXPECT_NEAR(*estimate_tokens_per_s(other, known, other_plan.placement, other_plan.options) / before, 1, 0.02);
}

TEST(RefineSpeeds, heals_figures_that_are_far_too_slow_with_two_answers) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  std::vector<DeviceInfo> devices{with_rates(24 * kGiB)[0]};
  const MemoryPlan plan = *plan_memory(model, devices, {.n_ctx = 4096});
  const DecodeTimes times = times_of(model, plan, std::vector<DeviceSpeed>{{50e9, 0, 3e-6}}, 40);
  const auto refine = [&](const DeviceSpeed& speed) {
    return *refine_speeds(model, plan, std::array{speed}, times)[0];
  };
  for (const double slow : {6.0, 18.0, 2000.0}) {
    for (const DeviceSpeed& busy : {DeviceSpeed{50e9 / slow, 0, 3e-6}, DeviceSpeed{50e9, 0, 3e-6 * slow},
                                    DeviceSpeed{50e9 / slow, 0, 3e-6 * slow}}) {
      DeviceSpeed later = refine(refine(busy).speed).speed;
      EXPECT_NEAR(refine(later).slowdown, 1, 0.6) << slow;
      for (int answer = 0; answer < 6; ++answer) later = refine(later).speed;
      EXPECT_NEAR(refine(later).slowdown, 1, 0.02) << slow;
    }
  }
}

TEST(RefineSpeeds, lets_figures_that_are_too_fast_decay_by_answers) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  std::vector<DeviceInfo> devices{with_rates(24 * kGiB)[0]};
  const MemoryPlan plan = *plan_memory(model, devices, {.n_ctx = 4096});
  const DecodeTimes times = times_of(model, plan, std::vector<DeviceSpeed>{{50e9, 0, 3e-6}}, 40);
  for (const double fast : {2.0, 6.0, 18.0}) {
    DeviceSpeed speed{50e9 * fast, 0, 3e-6};
    double before = fast;
    for (int answer = 0; answer < 12; ++answer) {
      const SeenSpeed seen = *refine_speeds(model, plan, std::array{speed}, times)[0];
      EXPECT_LE(seen.slowdown, before * 1.0001) << fast;
      before = seen.slowdown;
      speed = seen.speed;
    }
    EXPECT_NEAR(before, 1, 0.02) << fast;
  }
}

TEST(RefineSpeeds, gives_to_ops_what_a_small_model_spends_on_them) {
  const ModelInfo model = test::make_model({"small", "llama", 4, 64, 4, 4, 16, 128, 256, 512}, DType::kF16);
  std::vector<DeviceInfo> devices{test::cpu_with(64 * kGiB)};
  devices[0].speed = {50e9, 0, 4e-6};
  const MemoryPlan plan = *plan_memory(model, devices, {.n_ctx = 512});
  const std::vector<DeviceSpeed> real{{50e9, 0, 8e-6}};
  std::vector<DeviceSpeed> known = speeds_of(plan);
  const DecodeTimes times = times_of(model, plan, real, 40);
  for (int answer = 0; answer < 12; ++answer) known = {refine_speeds(model, plan, known, times)[0]->speed};
  EXPECT_NEAR(known[0].op_seconds, 8e-6, 1e-7);
  EXPECT_EQ(known[0].read_bytes_per_s, 50e9) << "nothing was learnt about reads";
}

TEST(RefineSpeeds, believes_no_single_answer_and_none_of_a_few_tokens) {
  const ModelInfo model = test::make_model(test::kLlama3_8B);
  const MemoryPlan plan = *plan_memory(model, with_rates(24 * kGiB), {.n_ctx = 4096, .devices = {{1}}});
  const std::vector<DeviceSpeed> known = speeds_of(plan), crawl{{50e9, 0, 0}, {1e9, 0, 0}};
  const auto seen = refine_speeds(model, plan, known, times_of(model, plan, crawl, 40));
  EXPECT_GE(seen[1]->speed.decode_rate(DType::kQ4_K), 0.45 * known[1].read_bytes_per_s);
  EXPECT_NEAR(seen[1]->slowdown, 800, 1);
  EXPECT_FALSE(seen[0]) << "a device that reads nothing tells nothing";
  for (const auto& few : refine_speeds(model, plan, known, times_of(model, plan, crawl, 15))) EXPECT_FALSE(few);
  std::vector<DeviceSpeed> unknown(2);
  for (const auto& none : refine_speeds(model, plan, unknown, times_of(model, plan, crawl, 40))) EXPECT_FALSE(none);
}

}  // namespace
}  // namespace headroom
