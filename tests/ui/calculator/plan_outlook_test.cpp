#include "ui/calculator/plan_outlook.h"

#include <gtest/gtest.h>

#include "support/model_specs.h"

namespace headroom::ui {
namespace {

class PlanOutlookTest : public testing::Test {
 protected:
  PlanOutlookTest() {
    m_inputs.devices[0].speed.read_bytes_per_s = 40e9;
    m_inputs.devices[1].speed.read_bytes_per_s = 400e9;
    m_inputs.options.devices = {{1}};
  }
  PlanInputs m_inputs{std::make_shared<const ModelInfo>(test::make_model(test::kLlama3_8B)),
                      {test::cpu_with(32 * kGiB), test::gpu_with(3 * kGiB)},
                      {}};
};

TEST_F(PlanOutlookTest, more_layers_on_a_faster_device_are_faster_until_they_do_not_fit) {
  const std::vector<Outlook> outlook = outlookByLayers(m_inputs);
  ASSERT_EQ(outlook.size(), 33U);
  EXPECT_TRUE(outlook.front().fits);
  EXPECT_FALSE(outlook.back().fits);
  for (std::size_t n = 2; n < outlook.size(); ++n)
    EXPECT_GT(*outlook[n].tokensPerSecond, *outlook[n - 1].tokensPerSecond) << n;
}

TEST_F(PlanOutlookTest, an_ffn_on_the_slower_cpu_costs_speed_and_saves_memory) {
  m_inputs.options.n_gpu_layers = 32;
  const std::vector<Outlook> all = outlookByFfn(m_inputs, 32), few = outlookByFfn(m_inputs, 4);
  ASSERT_EQ(all.size(), 33U);
  ASSERT_EQ(few.size(), 5U) << "as many as are on GPUs";
  EXPECT_FALSE(all.front().fits);
  EXPECT_TRUE(all.back().fits);
  for (std::size_t n = 2; n < all.size(); ++n) EXPECT_LT(*all[n].tokensPerSecond, *all[n - 1].tokensPerSecond) << n;
}

TEST_F(PlanOutlookTest, the_host_alone_has_no_positions) {
  m_inputs.options.devices = {{0}};
  EXPECT_TRUE(outlookByFfn(m_inputs, 0).empty());
  EXPECT_TRUE(outlookByLayers(m_inputs).empty());
}

TEST_F(PlanOutlookTest, each_device_that_can_be_chosen_is_tried_and_what_makes_no_plan_says_nothing) {
  DeviceInfo large = test::gpu_with(24 * kGiB), small = test::gpu_with(kGiB);
  large.id = large.name = "large";
  small.id = small.name = "small";
  large.speed.read_bytes_per_s = small.speed.read_bytes_per_s = 900e9;
  small.kv_types.clear();
  DeviceChoices devices({large, small});
  devices.setPresent(m_inputs.devices);
  const auto inFirstRow = outlookByDevice(m_inputs.model, devices, 0, {});
  ASSERT_EQ(inFirstRow.size(), 4U) << "host, the GPU itself, two of the catalogue";
  EXPECT_TRUE(inFirstRow[0].outlook.fits) << "the CPU alone";
  EXPECT_GT(*inFirstRow[2].outlook.tokensPerSecond, *inFirstRow[1].outlook.tokensPerSecond);
  EXPECT_FALSE(inFirstRow[3].outlook.isKnown) << "no kernel for any cache";
  EXPECT_EQ(outlookText(inFirstRow[3].outlook), "");
  const auto added = outlookByDevice(m_inputs.model, devices, 2, {});
  ASSERT_EQ(added.size(), 2U);
  EXPECT_EQ(added[0].id, "large");
}

TEST_F(PlanOutlookTest, figures_are_words) {
  EXPECT_EQ(outlookText({true, true, 41.2}), "about 41 tokens/s");
  EXPECT_EQ(outlookText({true, true, {}}), "");
  EXPECT_EQ(outlookText({true, false, 41.2}), "does not fit");
}

}  // namespace
}  // namespace headroom::ui
