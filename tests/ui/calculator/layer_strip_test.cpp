#include "ui/calculator/layer_strip.h"

#include <gtest/gtest.h>

#include <QImage>
#include <set>

#include "support/plans.h"

namespace headroom::ui {
namespace {

class LayerStripTest : public testing::Test {
 protected:
  LayerStripTest() {
    m_devices[1].name = "GPU one";
    m_devices[2].name = "GPU two";
    m_devices[2].id = "two";
  }
  std::shared_ptr<const MemoryPlan> plan(std::int32_t nGpuLayers, std::int32_t nCpuFfn) {
    PlanOptions options;
    options.devices = {{1}, {2}};
    options.n_gpu_layers = nGpuLayers;
    options.n_cpu_ffn = nCpuFfn;
    return test::plan_for(m_model, m_devices, options);
  }
  const ModelInfo m_model = test::make_model(test::kLlama3_8B);
  std::vector<DeviceInfo> m_devices{test::cpu_with(64 * kGiB), test::gpu_with(2 * kGiB), test::gpu_with(16 * kGiB)};
  Theme m_theme{ThemeChoice::Light};
};

TEST_F(LayerStripTest, a_split_over_three_devices_and_the_ffn_is_told_in_words) {
  const auto split = plan(28, 6);
  ASSERT_TRUE(split);
  const std::vector<LayerStretch> stretches = layerStretches(*split);
  ASSERT_EQ(stretches.size(), 4U) << placementText(*split).toStdString();
  EXPECT_EQ(stretches[0], (LayerStretch{0, 3, 0, 0}));
  EXPECT_EQ(stretches[1], (LayerStretch{4, 9, 1, 0}));
  EXPECT_EQ(stretches[2].attention, 1U);
  EXPECT_EQ(stretches[3].attention, 2U);
  EXPECT_EQ(stretches[3].last, 31);
  const QString border = QString::number(stretches[2].last), next = QString::number(stretches[3].first);
  EXPECT_EQ(
      placementText(*split),
      QString::fromUtf8(
          "Host: layers 0\u2060\u2013\u20603, FFN of 4\u2060\u2013\u20609; GPU one: layers 10\u2060\u2013\u2060") +
          border + QString::fromUtf8(", attention of 4\u2060\u2013\u20609; GPU two: layers ") + next +
          QString::fromUtf8("\u2060\u2013\u206031, head"));
}

TEST_F(LayerStripTest, one_device_has_one_stretch) {
  const auto whole = plan(0, 0);
  ASSERT_TRUE(whole);
  EXPECT_EQ(layerStretches(*whole), (std::vector{LayerStretch{0, 31, 0, 0}}));
  EXPECT_EQ(placementText(*whole), QString::fromUtf8("Host: layers 0\u2060\u2013\u206031, head"));
}

TEST_F(LayerStripTest, each_device_has_a_look_of_its_own_in_both_themes) {
  LayerStrip strip(m_theme);
  strip.resize(640, strip.sizeHint().height());
  const auto split = plan(28, 6);
  strip.setPlan(split);
  EXPECT_EQ(strip.accessibleDescription(), placementText(*split));
  for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
    m_theme.setChoice(theme);
    const QImage image = strip.grab().toImage();
    const double perLayer = 640.0 / 32;
    std::set<QRgb> upper;
    // The right end of a stretch, where no name is written.
    for (const LayerStretch& stretch : layerStretches(*split))
      upper.insert(image.pixel(static_cast<int>((stretch.last + 1) * perLayer) - 4, 4));
    EXPECT_EQ(upper.size(), 3U) << "host, GPU one twice, GPU two";
    const int inFfn = static_cast<int>(7 * perLayer);
    EXPECT_NE(image.pixel(inFfn, 4), image.pixel(inFfn, image.height() - 4)) << "attention above, FFN below";
  }
  strip.setPlan(nullptr);
  strip.grab();
}

}  // namespace
}  // namespace headroom::ui
