#include "ui/calculator/plan_preview.h"

#include <gtest/gtest.h>

#include "support/model_specs.h"

namespace headroom::ui {
namespace {

class PlanPlanPreviewTest : public testing::Test {
 protected:
  PlanPlanPreviewTest() {
    m_inputs.devices[0].speed.read_bytes_per_s = 40e9;
    m_inputs.devices[1].speed.read_bytes_per_s = 400e9;
    m_inputs.options.devices = {{1}};
  }
  PlanInputs m_inputs{std::make_shared<const ModelInfo>(test::make_model(test::kLlama3_8B)),
                      {test::cpu_with(32 * kGiB), test::gpu_with(3 * kGiB)},
                      {}};
};

TEST_F(PlanPlanPreviewTest, more_layers_on_a_faster_device_are_faster_until_they_do_not_fit) {
  const std::vector<PlanPreview> preview = previewByLayers(m_inputs);
  ASSERT_EQ(preview.size(), 33U);
  EXPECT_TRUE(preview.front().fits);
  EXPECT_FALSE(preview.back().fits);
  for (std::size_t n = 2; n < preview.size(); ++n)
    EXPECT_GT(*preview[n].tokensPerSecond, *preview[n - 1].tokensPerSecond) << n;
}

TEST_F(PlanPlanPreviewTest, an_ffn_on_the_slower_cpu_costs_speed_and_saves_memory) {
  m_inputs.options.n_gpu_layers = 32;
  const std::vector<PlanPreview> all = previewByFfn(m_inputs, 32), few = previewByFfn(m_inputs, 4);
  ASSERT_EQ(all.size(), 33U);
  ASSERT_EQ(few.size(), 5U) << "as many as are on GPUs";
  EXPECT_FALSE(all.front().fits);
  EXPECT_TRUE(all.back().fits);
  for (std::size_t n = 2; n < all.size(); ++n) EXPECT_LT(*all[n].tokensPerSecond, *all[n - 1].tokensPerSecond) << n;
}

TEST_F(PlanPlanPreviewTest, the_host_alone_has_no_positions) {
  m_inputs.options.devices = {{0}};
  EXPECT_TRUE(previewByFfn(m_inputs, 0).empty());
  EXPECT_TRUE(previewByLayers(m_inputs).empty());
}

TEST_F(PlanPlanPreviewTest, each_device_that_can_be_chosen_is_tried_and_what_makes_no_plan_says_nothing) {
  DeviceInfo large = test::gpu_with(24 * kGiB), small = test::gpu_with(kGiB);
  large.id = large.name = "large";
  small.id = small.name = "small";
  large.speed.read_bytes_per_s = small.speed.read_bytes_per_s = 900e9;
  small.kv_types.clear();
  DeviceChoices devices({large, small});
  devices.setPresent(m_inputs.devices);
  const auto inFirstRow = previewByDevice(m_inputs.model, devices, 0, {});
  ASSERT_EQ(inFirstRow.size(), 4U) << "host, the GPU itself, two of the catalogue";
  EXPECT_TRUE(inFirstRow[0].preview.fits) << "the CPU alone";
  EXPECT_GT(*inFirstRow[2].preview.tokensPerSecond, *inFirstRow[1].preview.tokensPerSecond);
  EXPECT_FALSE(inFirstRow[3].preview.isKnown) << "no kernel for any cache";
  EXPECT_EQ(previewText(inFirstRow[3].preview), "");
  const auto added = previewByDevice(m_inputs.model, devices, 2, {});
  ASSERT_EQ(added.size(), 2U);
  EXPECT_EQ(added[0].id, "large");
}

TEST_F(PlanPlanPreviewTest, figures_are_words) {
  EXPECT_EQ(previewText({true, true, 41.2}), "about 41 tokens/s");
  EXPECT_EQ(previewText({true, true, {}}), "");
  EXPECT_EQ(previewText({true, false, 41.2}), "does not fit");
}

}  // namespace
}  // namespace headroom::ui
