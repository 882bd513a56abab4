#include "ui/calculator/starting_plan.h"

#include <gtest/gtest.h>

#include "support/model_specs.h"
#include "ui/calculator/calculator_state.h"
#include "ui/format/message_words.h"

namespace headroom::ui {
namespace {

struct StartingCase {
  const char* name;
  const test::ModelShape* shape;
  Bytes host, gpu;  // gpu 0: none
  bool isChosenByUser;
};

class StartingPlanTest : public testing::TestWithParam<StartingCase> {};

// One arithmetic: what the library says of a model is what the calculator plans once it is opened.
TEST_P(StartingPlanTest, is_what_the_calculator_plans_for_a_model_that_is_opened_for_the_first_time) {
  std::vector<DeviceInfo> present{test::cpu_with(GetParam().host)};
  present[0].speed.read_bytes_per_s = 40e9;
  if (GetParam().gpu > 0) {
    present.push_back(test::gpu_with(GetParam().gpu));
    present[1].speed.read_bytes_per_s = 400e9;
  }
  const auto model = std::make_shared<const ModelInfo>(test::make_model(*GetParam().shape));
  CalculatorState calculator({});
  calculator.setPresentDevices(present);
  if (GetParam().isChosenByUser) {
    calculator.setModel(std::make_shared<const ModelInfo>(test::make_model(test::kTinyLlama)));
    calculator.setHeadroom(0, AtMost{GetParam().host / 2});
    if (GetParam().gpu > 0) calculator.removeDevice(0);
  }
  const StartingPlan start = startingPlan(model, calculator.startingDevices());
  calculator.setModel(model);
  EXPECT_EQ(start.devices.rows(), calculator.devices().rows());
  EXPECT_EQ(start.options, calculator.options());
  ASSERT_EQ(start.plan.has_value(), calculator.plan() != nullptr) << start.problem;
  EXPECT_EQ(wordsOf(start.problem), calculator.planProblem());
  if (!start.plan) return;
  EXPECT_EQ(start.plan->options, calculator.plan()->options);
  EXPECT_EQ(start.plan->fits(), calculator.plan()->fits());
  for (std::size_t i = 0; i < start.plan->budgets.size(); ++i)
    EXPECT_EQ(start.plan->budgets[i].peak(), calculator.plan()->budgets[i].peak());
}

INSTANTIATE_TEST_SUITE_P(
    All, StartingPlanTest,
    testing::Values(StartingCase{"host", &test::kLlama32_1B, 32 * kGiB, 0, false},
                    StartingCase{"host_too_small", &test::kLlama3_70B, 8 * kGiB, 0, false},
                    StartingCase{"host_with_a_lighter_cache", &test::kQwen3_8B, 6 * kGiB + 400 * kMiB, 0, false},
                    StartingCase{"gpu", &test::kLlama3_8B, 32 * kGiB, 12 * kGiB, false},
                    StartingCase{"gpu_for_some_layers", &test::kLlama3_8B, 32 * kGiB, 4 * kGiB, false},
                    StartingCase{"gpu_for_parts_of_layers", &test::kQwen3_30B_A3B, 64 * kGiB, 8 * kGiB, false},
                    StartingCase{"neither", &test::kLlama3_70B, 8 * kGiB, 4 * kGiB, false},
                    StartingCase{"host_chosen", &test::kLlama3_8B, 32 * kGiB, 12 * kGiB, true},
                    StartingCase{"headroom_chosen", &test::kLlama3_8B, 10 * kGiB, 0, true}),
    [](const auto& row) { return row.param.name; });

TEST(StartingPlan, without_a_host_nothing_is_planned) {
  const auto model = std::make_shared<const ModelInfo>(test::make_model(test::kTinyLlama));
  const StartingPlan start = startingPlan(model, {DeviceChoices({}), false});
  EXPECT_FALSE(start.plan);
  EXPECT_TRUE(start.problem.empty());
}

TEST(StartingPlan, a_cache_that_fits_only_lighter_is_named) {
  const auto model = std::make_shared<const ModelInfo>(test::make_model(test::kLlama32_1B));
  CalculatorState roomy({});
  roomy.setPresentDevices({test::cpu_with(32 * kGiB)});
  const StartingPlan plain = startingPlan(model, roomy.startingDevices());
  ASSERT_TRUE(plain.plan && plain.plan->fits());
  EXPECT_FALSE(plain.lighterKv);
  const Bytes room = plain.plan->planned_bytes(0) - plain.plan->bytes_of(RegionGroup::kKv) / 4;
  CalculatorState tight({});
  tight.setPresentDevices({test::cpu_with(room * 8 / 7)});
  const StartingPlan lighter = startingPlan(model, tight.startingDevices());
  EXPECT_EQ(lighter.lighterKv, DType::kQ8_0);
  EXPECT_TRUE(lighter.plan && lighter.plan->fits());
}

}  // namespace
}  // namespace headroom::ui
