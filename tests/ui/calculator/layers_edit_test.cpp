#include "ui/calculator/layers_edit.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QLabel>
#include <QSlider>
#include <QSpinBox>
#include <QTest>

#include "plan/speed.h"
#include "support/model_specs.h"
#include "ui/format/format_bytes.h"

namespace headroom::ui {
namespace {

class LayersEditTest : public testing::Test {
 protected:
  void SetUp() override {
    DeviceInfo host = test::cpu_with(32 * kGiB), gpu = test::gpu_with(4 * kGiB);
    host.speed.read_bytes_per_s = 40e9;
    gpu.speed.read_bytes_per_s = 400e9;
    m_calculator.setPresentDevices({host, gpu});
    m_calculator.setModel(std::make_shared<const ModelInfo>(test::make_model(test::kLlama3_8B)));
    m_page.show();
  }
  template <class W>
  W* find(const char* name) {
    W* widget = m_page.findChild<W*>(QLatin1String(name));
    EXPECT_NE(widget, nullptr) << name;
    return widget;
  }
  CalculatorState m_calculator{{}};
  Theme m_theme{ThemeChoice::Light};
  QWidget m_page;
  LayersEdit& m_edit = *new LayersEdit(m_theme, m_calculator, &m_page);
};

TEST_F(LayersEditTest, the_ffn_is_automatic_or_forced_beside_the_layers) {
  EXPECT_TRUE(find<QCheckBox>("ffnAuto")->isChecked());
  find<QSpinBox>("layersSpin")->setValue(10);
  find<QSpinBox>("ffnSpin")->setValue(4);
  m_calculator.planNow();
  EXPECT_EQ(m_calculator.options().n_gpu_layers, 10);
  EXPECT_EQ(m_calculator.options().n_cpu_ffn, 4);
  find<QSlider>("layersSlider")->setValue(12);
  m_calculator.planNow();
  EXPECT_EQ(m_calculator.options().n_cpu_ffn, 4) << "the slider moves what it is named for";
  EXPECT_EQ(find<QSpinBox>("ffnSpin")->value(), 4);
  EXPECT_FALSE(find<QCheckBox>("ffnAuto")->isChecked());
  EXPECT_EQ(find<QSpinBox>("ffnSpin")->maximum(), 12) << "as many as are on GPUs";
  find<QCheckBox>("ffnAuto")->setChecked(true);
  EXPECT_EQ(m_calculator.options().n_cpu_ffn, kAutoLayers);
}

TEST_F(LayersEditTest, where_the_slider_stands_it_says_how_fast_and_elsewhere_too) {
  find<QSlider>("layersSlider")->setValue(7);
  m_calculator.planNow();
  const auto speed = estimate_tokens_per_s(*m_calculator.model(), *m_calculator.plan());
  ASSERT_TRUE(speed);
  EXPECT_TRUE(find<QLabel>("layersSpeed")->text().startsWith("7 of 32 layers on GPUs: " + formatAboutSpeed(*speed)))
      << find<QLabel>("layersSpeed")->text().toStdString();
  ASSERT_TRUE(QTest::qWaitFor([this] { return !m_calculator.isAdvising(); }, 60'000));
  EXPECT_EQ(find<QSlider>("layersSlider")->accessibleDescription(), "7 layers on GPUs: " + formatAboutSpeed(*speed));
  EXPECT_EQ(find<QSlider>("ffnSlider")->accessibleDescription(),
            "FFN of 0 layers on the CPU: " + formatAboutSpeed(*speed));
}

TEST_F(LayersEditTest, a_position_of_the_ffn_means_what_choosing_it_gives) {
  ASSERT_TRUE(QTest::qWaitFor([this] { return !m_calculator.isAdvising(); }, 60'000));
  ASSERT_EQ(m_calculator.options().n_gpu_layers, kAutoLayers);
  ASSERT_GT(m_calculator.previewByFfn().size(), 4U);
  const PlanPreview meant = m_calculator.previewByFfn()[4];
  m_calculator.setCpuFfn(4);
  m_calculator.planNow();
  EXPECT_EQ(meant.fits, m_calculator.plan()->fits());
  EXPECT_EQ(meant.tokensPerSecond, estimate_tokens_per_s(*m_calculator.model(), *m_calculator.plan()));
}

TEST_F(LayersEditTest, without_a_gpu_there_is_nothing_to_say) {
  EXPECT_TRUE(m_edit.isVisible());
  m_calculator.removeDevice(0);
  EXPECT_FALSE(m_edit.isVisible());
}

}  // namespace
}  // namespace headroom::ui
