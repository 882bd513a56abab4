#include "ui/calculator/options_form.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>
#include <algorithm>

#include "plan/choose_batch.h"
#include "support/plans.h"
#include "ui/format/format_bytes.h"

namespace headroom::ui {
namespace {

class OptionsFormTest : public testing::Test {
 protected:
  void SetUp() override {
    m_calculator.setPresentDevices({test::cpu_with(32 * kGiB), test::gpu_with(8 * kGiB)});
    m_form.show();
  }
  void open() {
    m_calculator.setModel(std::make_shared<const ModelInfo>(test::make_model(test::kLlama32_1B)));
    m_calculator.useDevice(0, "cpu");
    m_calculator.planNow();
  }
  void useGpu() {
    m_calculator.useDevice(0, QString::fromStdString(test::gpu_with(8 * kGiB).id));
    m_calculator.planNow();
  }
  template <class W>
  W* find(const char* name) {
    W* widget = m_form.findChild<W*>(QLatin1String(name));
    EXPECT_NE(widget, nullptr) << name;
    return widget;
  }
  template <class W>
  W* onGpu(const char* name) {
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);  // the row of before
    W* widget = find<QWidget>("device0")->findChild<W*>(QLatin1String(name));
    EXPECT_NE(widget, nullptr) << name;
    return widget;
  }
  CalculatorState m_calculator{{}};
  Theme m_theme{ThemeChoice::Light};
  OptionsForm m_form{m_theme, m_calculator};
};

TEST_F(OptionsFormTest, without_a_model_nothing_can_be_set) {
  EXPECT_FALSE(m_form.isEnabled());
  open();
  EXPECT_TRUE(m_form.isEnabled());
  m_calculator.setModel(nullptr);
  EXPECT_FALSE(m_form.isEnabled());
}

TEST_F(OptionsFormTest, each_answer_at_once_takes_a_kv_cache) {
  open();
  auto* field = find<QSpinBox>("slotsSpin");
  EXPECT_EQ(field->value(), 1);
  const Bytes one = m_calculator.plan()->bytes_of(RegionGroup::kKv);
  EXPECT_EQ(find<QLabel>("slotsTake")->text(), formatBytes(one));
  field->setValue(4);
  m_calculator.planNow();
  EXPECT_EQ(m_calculator.plan()->options.n_slots, 4U);
  EXPECT_EQ(find<QLabel>("slotsTake")->text(), formatBytes(4 * one));
  m_calculator.setSlots(2);
  EXPECT_EQ(field->value(), 2);
}

TEST_F(OptionsFormTest, fields_set_the_options_and_show_them) {
  open();
  find<QSpinBox>("contextSpin")->setValue(777);
  EXPECT_EQ(m_calculator.options().n_ctx, 777U);
  m_calculator.setBatch(96);
  EXPECT_EQ(find<QSpinBox>("batchSpin")->value(), 96);
  auto* context = find<QSlider>("contextSlider");
  context->setValue(context->maximum());
  EXPECT_EQ(find<QSpinBox>("contextSpin")->value(), static_cast<int>(m_calculator.longestContext()));
  auto* keys = find<QComboBox>("keyType");
  keys->setCurrentIndex(keys->findText("Q8_0"));
  emit keys->activated(keys->currentIndex());
  EXPECT_EQ(m_calculator.options().kv_k, DType::kQ8_0);
  EXPECT_EQ(m_calculator.options().kv_v, DType::kF16) << "chosen apart";
}

TEST_F(OptionsFormTest, checkpoints_are_asked_for_only_where_a_model_cannot_go_back) {
  open();
  for (const char* name : {"checkpointsSpin", "checkpointsAuto", "checkpointsTake"})
    EXPECT_FALSE(find<QWidget>(name)->isVisible()) << name;
  m_calculator.setModel(std::make_shared<const ModelInfo>(test::make_model(test::kQwen35_27B)));
  m_calculator.planNow();
  auto* spin = find<QSpinBox>("checkpointsSpin");
  auto* box = find<QCheckBox>("checkpointsAuto");
  EXPECT_TRUE(spin->isVisible());
  EXPECT_TRUE(box->isChecked());
  EXPECT_EQ(spin->value(), m_calculator.plan()->options.n_checkpoints);
  spin->setValue(5);
  EXPECT_EQ(m_calculator.options().n_checkpoints, 5);
  m_calculator.planNow();
  EXPECT_FALSE(box->isChecked());
  EXPECT_EQ(find<QLabel>("checkpointsTake")->text(), formatBytes(Bytes{5} * 156'893'184));
  box->click();
  EXPECT_EQ(m_calculator.options().n_checkpoints, kAutoCheckpoints);
}

TEST_F(OptionsFormTest, an_automatic_batch_shows_what_was_chosen_and_what_it_takes_until_a_number_is_said) {
  m_calculator.setPresentDevices(test::measured_cpu_and_gpu(8 * kGiB, test::fast_card()));
  open();
  useGpu();
  m_calculator.setContext(8192);
  m_calculator.planNow();
  auto* spin = find<QSpinBox>("batchSpin");
  auto* box = find<QCheckBox>("batchAuto");
  EXPECT_TRUE(box->isChecked());
  EXPECT_GT(spin->value(), 256);
  EXPECT_EQ(spin->value(), static_cast<int>(m_calculator.plan()->options.n_batch));
  const auto takes = [this] {
    return find<QLabel>("batchTakes")
        ->text()
        .contains(formatBytes(batch_bytes(*m_calculator.model(), *m_calculator.plan())));
  };
  EXPECT_TRUE(takes());
  const QString before = find<QLabel>("batchTakes")->text();
  spin->setValue(96);
  EXPECT_EQ(m_calculator.options().n_batch, 96U);
  m_calculator.planNow();
  EXPECT_FALSE(box->isChecked());
  EXPECT_TRUE(takes());
  EXPECT_NE(find<QLabel>("batchTakes")->text(), before);
  box->click();
  EXPECT_EQ(m_calculator.options().n_batch, kAutoBatch);
  m_calculator.planNow();
  EXPECT_GT(spin->value(), 256);
  box->click();
  EXPECT_EQ(m_calculator.options().n_batch, static_cast<std::uint32_t>(spin->value())) << "what was chosen stays";
}

TEST_F(OptionsFormTest, a_number_that_is_being_typed_stays_when_a_plan_comes_meanwhile) {
  open();
  auto* spin = find<QSpinBox>("batchSpin");
  m_form.activateWindow();
  spin->setFocus();
  ASSERT_TRUE(QTest::qWaitFor([&] { return spin->hasFocus(); }, 60'000));
  spin->selectAll();
  QTest::keyClick(spin, Qt::Key_1);
  m_calculator.planNow();
  EXPECT_EQ(spin->text(), "1");
  QTest::keyClick(spin, Qt::Key_2);
  m_calculator.planNow();
  EXPECT_EQ(spin->text(), "12");
  QTest::keyClick(spin, Qt::Key_Return);
  EXPECT_EQ(m_calculator.options().n_batch, 12U);
  m_calculator.setBatch(3);
  EXPECT_EQ(spin->text(), "3") << "once it is entered, the field follows again";
}

// Nothing in the window asks the engine two things at once: caches for more conversations would never be used.
TEST_F(OptionsFormTest, where_one_answer_at_once_is_asked_for_no_fix_proposes_more) {
  open();
  m_calculator.setContext(1'000'000);
  m_calculator.planNow();
  ASSERT_TRUE(QTest::qWaitFor([this] { return !m_calculator.isAdvising(); }, 60'000));
  EXPECT_FALSE(m_calculator.plan()->fits());
  EXPECT_FALSE(m_calculator.fixes().empty());
  for (const Fix& fix : m_calculator.fixes()) EXPECT_EQ(fix.options.n_slots, 1U) << fix.words.text();
}

TEST_F(OptionsFormTest, a_plan_with_several_caches_keeps_them_and_is_offered_fewer) {
  open();
  std::vector<DeviceInfo> devices{test::cpu_with(32 * kGiB)};
  const PlanOptions options{.n_ctx = 65536, .n_slots = 16};
  const auto plan = plan_memory(*m_calculator.model(), devices, options);
  ASSERT_TRUE(plan.ok());
  m_calculator.setModel(m_calculator.model(), *plan);
  EXPECT_EQ(m_calculator.plan()->options.n_slots, 16U);
  ASSERT_TRUE(QTest::qWaitFor([this] { return !m_calculator.isAdvising(); }, 60'000));
  const auto& fixes = m_calculator.fixes();
  EXPECT_TRUE(std::any_of(fixes.begin(), fixes.end(), [](const Fix& fix) { return fix.options.n_slots < 16; }));
}

TEST_F(OptionsFormTest, layers_are_asked_for_only_where_there_is_a_gpu) {
  open();
  EXPECT_FALSE(find<QSpinBox>("layersSpin")->isVisible());
  useGpu();
  EXPECT_TRUE(find<QSpinBox>("layersSpin")->isVisible());
  EXPECT_TRUE(find<QCheckBox>("layersAuto")->isChecked());
  find<QSpinBox>("layersSpin")->setValue(3);
  EXPECT_EQ(m_calculator.options().n_gpu_layers, 3);
  EXPECT_FALSE(find<QCheckBox>("layersAuto")->isChecked());
  find<QCheckBox>("layersAuto")->setChecked(true);
  EXPECT_EQ(m_calculator.options().n_gpu_layers, kAutoLayers);
}

TEST_F(OptionsFormTest, both_meanings_of_headroom_say_the_same_limit) {
  open();
  useGpu();
  onGpu<QSlider>("headroomSlider")->setValue(16);  // 1 GiB in steps of 64 MiB
  EXPECT_EQ(std::get<KeepFree>(m_calculator.devices().rows()[0].headroom).bytes, kGiB);
  auto* rule = onGpu<QComboBox>("headroomRule");
  rule->setCurrentIndex(1);
  emit rule->activated(1);
  EXPECT_EQ(std::get<AtMost>(m_calculator.devices().rows()[0].headroom).bytes, 7 * kGiB);
  EXPECT_EQ(onGpu<QLineEdit>("headroomEdit")->text(), "7.00 GiB");
  rule->setCurrentIndex(0);
  emit rule->activated(0);
  EXPECT_EQ(std::get<KeepFree>(m_calculator.devices().rows()[0].headroom).bytes, kGiB) << "and back";
}

TEST_F(OptionsFormTest, what_was_changed_is_given_up_for_our_own_plan_by_one_click) {
  open();
  auto* ours = find<QToolButton>("resetToDefaults");
  EXPECT_TRUE(ours->isEnabled()) << "the user chose the CPU";
  ours->click();
  EXPECT_FALSE(ours->isEnabled());
  EXPECT_EQ(m_calculator.devices().gpuCount(), 1U);
  const PlanOptions planned = m_calculator.options();
  find<QSpinBox>("contextSpin")->setValue(9000);
  EXPECT_TRUE(ours->isEnabled());
  ours->click();
  EXPECT_EQ(m_calculator.options(), planned);
  EXPECT_FALSE(ours->isEnabled());
}

TEST_F(OptionsFormTest, the_solvers_are_one_click_away) {
  open();
  find<QPushButton>("longestContext")->click();
  EXPECT_EQ(m_calculator.options().n_ctx, m_calculator.longestContext()) << "32 GiB hold all of it";
  EXPECT_FALSE(find<QPushButton>("mostLayers")->isVisible());
  useGpu();
  EXPECT_TRUE(find<QPushButton>("mostLayers")->isVisible());
}

}  // namespace
}  // namespace headroom::ui
