#include "plan/prompt_speed.h"

#include <gtest/gtest.h>

#include "support/model_specs.h"

namespace headroom {
namespace {

constexpr std::size_t at(DType dtype) { return static_cast<std::size_t>(dtype); }

TEST(PromptWork, is_every_product_of_every_row_and_the_head_once) {
  const ModelInfo model = test::make_model(test::kLlama3_8B, DType::kQ8_0);
  const MemoryPlan plan = *plan_memory(model, std::vector{test::cpu_with(64 * kGiB)}, {.n_ctx = 2048});
  const PromptWork work =
      prompt_work(model, plan.devices, plan.placement, plan.streaming, plan.options, 512, 0)[0].resident;
  const double per_layer = 2.0 * 4096 * 4096 + 2.0 * 4096 * 1024 + 3.0 * 4096 * 14336;
  EXPECT_DOUBLE_EQ(work.products[at(DType::kQ8_0)], 512 * 32 * per_layer);
  const double head = 128256.0 * 4096;
  EXPECT_DOUBLE_EQ(work.weight_bytes[at(DType::kQ8_0)], (2 * 32 * per_layer + head) / 32 * 34) << "in two steps";
  EXPECT_DOUBLE_EQ(work.attend_products[at(DType::kF16)], 2.0 * 32 * 4096 * 512 * 513 / 2);
  EXPECT_EQ(work.n_ops, 2U * 32 * 5);
}

TEST(PromptWork, of_experts_reads_those_that_a_step_goes_through) {
  const ModelInfo model = test::make_model(test::kQwen3_30B_A3B);
  const MemoryPlan plan = *plan_memory(model, std::vector{test::cpu_with(64 * kGiB)}, {.n_ctx = 2048});
  const auto bytes = [&](std::uint32_t n) {
    return prompt_work(model, plan.devices, plan.placement, plan.streaming, plan.options, n, 0)[0]
        .resident.weight_bytes[at(DType::kQ4_K)];
  };
  EXPECT_LT(bytes(1), 0.2 * bytes(256));
  EXPECT_NEAR(bytes(128) / bytes(256), 1, 0.01) << "nearly all of them";
}

TEST(PromptSpeed, adds_up_what_each_figure_takes_and_is_unknown_without_one) {
  const ModelInfo model = test::make_model(test::kLlama3_8B, DType::kQ8_0);
  std::vector<DeviceInfo> devices{test::cpu_with(64 * kGiB)};
  const auto rate = [&] {
    return estimate_prompt_tokens_per_s(model, *plan_memory(model, devices, {.n_ctx = 2048}), 512, 0);
  };
  EXPECT_FALSE(rate());
  devices[0].speed = {50e9, 0, 0};
  EXPECT_FALSE(rate()) << "nobody knows its products";
  devices[0].speed.products_per_s = 1e12;
  const double plain = *rate();
  devices[0].speed.formats[at(DType::kQ8_0)].prompt_products_per_s = 2e12;
  EXPECT_GT(*rate(), 2 * plain) << "half of 1e12 was assumed";
  const double before = 1 / *rate();
  devices[0].speed.op_seconds = 1e-3;
  EXPECT_NEAR(1 / *rate() - before, 2 * 32 * 5 * 1e-3 / 512, 1e-9);
}

}  // namespace
}  // namespace headroom
