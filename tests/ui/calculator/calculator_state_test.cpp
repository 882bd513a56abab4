#include "ui/calculator/calculator_state.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QSignalSpy>
#include <QTest>

#include "plan/speed.h"
#include "support/model_specs.h"

namespace headroom::ui {
namespace {

DeviceInfo catalogueGpu(Bytes bytes) {
  DeviceInfo gpu = test::gpu_with(bytes);
  gpu.id = "Catalogue 12";
  gpu.name = "Catalogue 12";
  gpu.is_present = false;
  gpu.driver_measured = false;
  return gpu;
}

class CalculatorStateTest : public testing::Test {
 protected:
  void openOn(Bytes hostBytes, const test::ModelShape& shape = test::kLlama32_1B) {
    m_calculator.setPresentDevices({test::cpu_with(hostBytes)});
    m_calculator.setModel(std::make_shared<const ModelInfo>(test::make_model(shape)));
  }

  bool advised() {
    return QTest::qWaitFor([this] { return !m_calculator.isAdvising(); }, 60'000);
  }

  CalculatorState m_calculator{{catalogueGpu(12 * kGiB)}};
};

TEST_F(CalculatorStateTest, a_model_that_fits_starts_with_an_f16_cache) {
  openOn(32 * kGiB);
  ASSERT_TRUE(m_calculator.plan());
  EXPECT_TRUE(m_calculator.plan()->fits());
  EXPECT_EQ(m_calculator.options().kv_k, DType::kF16);
  EXPECT_EQ(m_calculator.options().n_ctx, 4096U);
  EXPECT_TRUE(m_calculator.isLoadable());
  EXPECT_EQ(m_calculator.verdict().tone, Tone::Good);
}

TEST_F(CalculatorStateTest, a_cache_that_only_fits_as_q8_starts_so_and_says_so) {
  openOn(32 * kGiB);
  const Bytes whole = m_calculator.plan()->planned_bytes(0), kv = m_calculator.plan()->bytes_of(RegionGroup::kKv);
  CalculatorState tight({});
  // Room for a quarter less than the F16 cache, beside the headroom that is kept by default (an eighth of a small
  // device).
  const Bytes room = whole - kv / 4;
  tight.setPresentDevices({test::cpu_with(room * 8 / 7)});
  tight.setModel(m_calculator.model());
  ASSERT_TRUE(tight.plan());
  EXPECT_TRUE(tight.plan()->fits()) << tight.verdict().sentence.toStdString();
  EXPECT_EQ(tight.options().kv_k, DType::kQ8_0);
  EXPECT_TRUE(tight.remarks().join(QLatin1Char(' ')).contains(QStringLiteral("Q8_0")));
}

// Until the user chooses; what is measured only later counts from then on.
TEST_F(CalculatorStateTest, nobody_chose_a_device_so_the_faster_one_is_planned_for_and_the_remarks_say_why) {
  DeviceInfo cpu = test::cpu_with(32 * kGiB), gpu = test::gpu_with(16 * kGiB);
  test::set_kind(gpu, DeviceKind::kVulkan);
  gpu.id = "vulkan:0";
  gpu.has_unified_memory = true;
  cpu.speed = {50e9, 0, 5e-6};
  m_calculator.setPresentDevices({cpu, gpu});
  m_calculator.setModel(std::make_shared<const ModelInfo>(test::make_model(test::kLlama32_1B)));
  EXPECT_EQ(m_calculator.devices().gpuCount(), 0U);
  EXPECT_TRUE(m_calculator.remarks().join(' ').contains("was not measured yet"));
  const auto measure = [&](double bytesPerSecond) {
    gpu.speed = {bytesPerSecond, 10e9, 5e-6};
    m_calculator.setPresentDevices({cpu, gpu});
    m_calculator.planNow();
  };
  measure(300e9);
  EXPECT_EQ(m_calculator.devices().gpuCount(), 1U);
  EXPECT_TRUE(m_calculator.remarks().join(' ').contains("Test GPU is planned for: about "))
      << m_calculator.remarks().join(' ').toStdString();
  measure(10e9);
  EXPECT_EQ(m_calculator.devices().gpuCount(), 1U) << "an answer refined the speed: no model moves for that";
  m_calculator.removeDevice(0);
  m_calculator.planNow();
  EXPECT_FALSE(m_calculator.remarks().join(' ').contains("planned for"));
  m_calculator.setModel(std::make_shared<const ModelInfo>(test::make_model(test::kLlama32_1B)));
  EXPECT_EQ(m_calculator.devices().gpuCount(), 0U) << "the user has chosen";
}

TEST_F(CalculatorStateTest, what_a_load_measured_replaces_the_estimate_in_the_plan) {
  openOn(32 * kGiB);
  QSignalSpy planned(&m_calculator, &CalculatorState::planned);
  m_calculator.setMeasuredHeap(30 * kMiB);
  ASSERT_TRUE(planned.wait());
  EXPECT_EQ(m_calculator.plan()->budgets.front().heap, 30 * kMiB);
  EXPECT_TRUE(m_calculator.plan()->budgets.front().heap_is_measured);
  m_calculator.setMeasuredHeap(30 * kMiB);
  EXPECT_FALSE(planned.wait(50)) << "nothing changed";
}

TEST_F(CalculatorStateTest, many_changes_make_one_plan) {
  openOn(32 * kGiB);
  QCoreApplication::processEvents();
  QSignalSpy planned(&m_calculator, &CalculatorState::planned);
  for (std::uint32_t nCtx = 1000; nCtx < 1100; ++nCtx) m_calculator.setContext(nCtx);
  EXPECT_EQ(planned.count(), 0);
  QCoreApplication::processEvents();
  EXPECT_EQ(planned.count(), 1);
  EXPECT_EQ(m_calculator.plan()->options.n_ctx, 1099U);
}

TEST_F(CalculatorStateTest, a_plan_that_does_not_fit_offers_fixes_and_one_click_makes_it_fit) {
  openOn(6 * kGiB, test::kLlama3_8B);
  m_calculator.setContext(32768);
  m_calculator.planNow();
  ASSERT_TRUE(m_calculator.plan());
  ASSERT_FALSE(m_calculator.plan()->fits());
  EXPECT_EQ(m_calculator.verdict().tone, Tone::Bad);
  EXPECT_FALSE(m_calculator.isLoadable());
  ASSERT_TRUE(advised());
  ASSERT_FALSE(m_calculator.fixes().empty());
  const Fix fix = m_calculator.fixes().front();
  m_calculator.applyFix(fix);
  EXPECT_EQ(m_calculator.plan()->fits(), fix.makes_it_fit);
}

TEST_F(CalculatorStateTest, the_longest_context_fits_and_one_more_does_not) {
  openOn(4 * kGiB);
  QSignalSpy solved(&m_calculator, &CalculatorState::solved);
  m_calculator.solveFor(Goal::LongestContext);
  ASSERT_EQ(solved.count(), 1);
  ASSERT_TRUE(solved[0][1].toBool()) << solved[0][0].value<Message>();
  EXPECT_TRUE(m_calculator.plan()->fits());
  const std::uint32_t longest = m_calculator.options().n_ctx;
  if (longest < m_calculator.longestContext()) {
    m_calculator.setContext(longest + 1);
    m_calculator.planNow();
    EXPECT_FALSE(m_calculator.plan()->fits());
  }
}

TEST_F(CalculatorStateTest, a_catalogue_device_is_planned_for_and_not_loaded_on) {
  openOn(32 * kGiB);
  m_calculator.useDevice(0, QStringLiteral("Catalogue 12"));
  m_calculator.planNow();
  ASSERT_TRUE(m_calculator.plan());
  EXPECT_TRUE(m_calculator.plan()->fits());
  EXPECT_EQ(m_calculator.plan()->devices[m_calculator.plan()->options.main_device()].name, "Catalogue 12");
  EXPECT_FALSE(m_calculator.isLoadable());
  EXPECT_TRUE(m_calculator.whyNotLoadable().text().contains(QStringLiteral("not in this machine")));
}

TEST_F(CalculatorStateTest, a_cache_type_without_a_kernel_on_the_new_device_is_replaced_and_said) {
  DeviceInfo plain = catalogueGpu(24 * kGiB);
  plain.kv_types = {DType::kF16};
  CalculatorState calculator({plain});
  calculator.setPresentDevices({test::cpu_with(32 * kGiB)});
  calculator.setModel(std::make_shared<const ModelInfo>(test::make_model(test::kLlama32_1B)));
  calculator.setKeyType(DType::kQ4_0);
  calculator.useDevice(0, QStringLiteral("Catalogue 12"));
  calculator.planNow();
  EXPECT_EQ(calculator.options().kv_k, DType::kF16);
  EXPECT_TRUE(calculator.remarks().join(QLatin1Char(' ')).contains(QStringLiteral("Q4_0")));
}

TEST_F(CalculatorStateTest, a_q4_cache_comes_with_a_warning) {
  openOn(32 * kGiB);
  m_calculator.setKeyType(DType::kQ4_0);
  m_calculator.planNow();
  EXPECT_TRUE(m_calculator.remarks().join(QLatin1Char(' ')).contains(QStringLiteral("q4_0"), Qt::CaseInsensitive));
}

TEST_F(CalculatorStateTest, an_impossible_option_is_a_sentence_and_no_plan) {
  openOn(32 * kGiB);
  m_calculator.setBatch(0xffff'ffff);  // beyond what a step can hold
  m_calculator.planNow();
  EXPECT_FALSE(m_calculator.plan());
  EXPECT_FALSE(m_calculator.planProblem().isEmpty());
  EXPECT_EQ(m_calculator.verdict().sentence, m_calculator.planProblem());
  EXPECT_FALSE(m_calculator.isLoadable());
}

class SeveralDevices : public testing::Test {
 protected:
  void SetUp() override {
    m_calculator.setPresentDevices({host(), gpu("cuda:0", 4 * kGiB), gpu("cuda:1", 3 * kGiB)});
    m_calculator.setModel(std::make_shared<const ModelInfo>(test::make_model(test::kLlama3_8B)));
  }
  static DeviceInfo host() {
    DeviceInfo device = test::cpu_with(32 * kGiB);
    device.speed.read_bytes_per_s = 40e9;
    return device;
  }
  static DeviceInfo gpu(const char* id, Bytes bytes) {
    DeviceInfo device = test::gpu_with(bytes);
    device.id = device.name = id;
    device.speed.read_bytes_per_s = 400e9;
    return device;
  }
  bool advised() {
    return QTest::qWaitFor([this] { return !m_calculator.isAdvising(); }, 60'000);
  }
  // Ids of the devices that hold something, in the order of the plan.
  QStringList holders() const {
    QStringList ids;
    for (const DeviceBudget& budget : m_calculator.plan()->budgets)
      ids << QString::fromStdString(m_calculator.plan()->devices[budget.device].id);
    return ids;
  }
  CalculatorState m_calculator{{catalogueGpu(12 * kGiB)}};
};

TEST_F(SeveralDevices, the_gpus_of_this_machine_are_planned_with_and_the_order_is_the_order_of_layers) {
  EXPECT_EQ(holders(), (QStringList{"cuda:0", "cuda:1", "cpu"}));
  m_calculator.moveDeviceUp(1);
  m_calculator.planNow();
  EXPECT_EQ(holders(), (QStringList{"cuda:1", "cuda:0", "cpu"}));
}

TEST_F(SeveralDevices, each_has_a_headroom_rule_of_its_own) {
  m_calculator.setHeadroom(0, AtMost{2 * kGiB});
  m_calculator.setHeadroom(2, KeepFree{5 * kGiB});
  m_calculator.planNow();
  const PlanOptions& options = m_calculator.plan()->options;
  EXPECT_EQ(options.headroom_of(1), HeadroomRule(AtMost{2 * kGiB}));
  EXPECT_EQ(options.headroom_of(2), HeadroomRule(KeepFree{384 * kMiB})) << "an eighth of a small device";
  EXPECT_EQ(options.headroom_of(0), HeadroomRule(KeepFree{5 * kGiB}));
}

TEST_F(SeveralDevices, only_the_users_own_choice_is_told_to_be_kept) {
  QSignalSpy chosen(&m_calculator, &CalculatorState::devicesChosen);
  m_calculator.restoreDevices({{"cuda:1", KeepFree{kGiB}}});
  m_calculator.setPresentDevices({host(), gpu("cuda:0", 4 * kGiB)});
  EXPECT_EQ(chosen.count(), 0);
  m_calculator.addDevice("cuda:0");
  EXPECT_EQ(chosen.count(), 1);
}

TEST_F(SeveralDevices, a_device_that_went_is_left_out_and_said) {
  m_calculator.setPresentDevices({host(), gpu("cuda:0", 4 * kGiB)});
  m_calculator.planNow();
  EXPECT_EQ(holders(), (QStringList{"cuda:0", "cpu"}));
  EXPECT_TRUE(m_calculator.remarks().join(' ').contains("cuda:1 is no longer in this machine"));
}

TEST_F(SeveralDevices, the_layers_slider_leaves_the_ffn_on_the_cpu_as_it_was_asked) {
  m_calculator.setGpuLayers(12);
  m_calculator.setCpuFfn(6);
  m_calculator.planNow();
  EXPECT_EQ(m_calculator.plan()->options.n_cpu_ffn, 6);
  m_calculator.setGpuLayers(4);
  m_calculator.planNow();
  ASSERT_TRUE(m_calculator.plan()) << m_calculator.planProblem().toStdString();
  EXPECT_EQ(m_calculator.plan()->options.n_cpu_ffn, 4) << "all there are";
  EXPECT_TRUE(m_calculator.remarks().join(' ').contains("The FFN of 6 layers was asked to be on the CPU"));
  m_calculator.setGpuLayers(10);
  m_calculator.planNow();
  EXPECT_EQ(m_calculator.plan()->options.n_cpu_ffn, 6) << "what was asked came back";
  m_calculator.setCpuFfn(kAutoLayers);
  m_calculator.planNow();
  EXPECT_EQ(m_calculator.plan()->options.n_cpu_ffn, 0);
}

TEST_F(SeveralDevices, each_position_of_the_layers_slider_has_the_figures_of_its_own_plan) {
  m_calculator.setCpuFfn(6);
  m_calculator.planNow();
  ASSERT_TRUE(advised());
  const std::vector<PlanPreview> preview = m_calculator.previewByLayers();
  ASSERT_EQ(preview.size(), 33U);
  for (const int n : {0, 5, 9, 32}) {
    m_calculator.setGpuLayers(n);
    m_calculator.planNow();
    ASSERT_TRUE(m_calculator.plan());
    const PlanPreview& said = preview[static_cast<std::size_t>(n)];
    EXPECT_TRUE(said.isKnown);
    EXPECT_EQ(said.fits, m_calculator.plan()->fits()) << n;
    EXPECT_EQ(said.tokensPerSecond, estimate_tokens_per_s(*m_calculator.model(), *m_calculator.plan())) << n;
  }
}

TEST_F(SeveralDevices, advice_is_that_of_the_newest_plan) {
  for (int n = 0; n <= 32; ++n) {
    m_calculator.setGpuLayers(n);
    m_calculator.planNow();
  }
  m_calculator.setContext(131072);
  m_calculator.planNow();
  EXPECT_TRUE(m_calculator.isAdvising());
  QSignalSpy told(&m_calculator, &CalculatorState::advised);
  ASSERT_TRUE(advised());
  EXPECT_EQ(told.count(), 1) << "of the plans that were passed by nobody speaks";
  ASSERT_FALSE(m_calculator.plan()->fits());
  ASSERT_FALSE(m_calculator.fixes().empty());
  EXPECT_GT(m_calculator.fixes().front().freed, 0U);
}

TEST_F(SeveralDevices, a_plan_that_fits_is_offered_what_makes_it_faster) {
  m_calculator.setGpuLayers(4);
  m_calculator.planNow();
  ASSERT_TRUE(m_calculator.plan()->fits());
  ASSERT_TRUE(advised());
  ASSERT_FALSE(m_calculator.fixes().empty());
  const auto before = *estimate_tokens_per_s(*m_calculator.model(), *m_calculator.plan());
  m_calculator.applyFix(m_calculator.fixes().front());
  EXPECT_TRUE(m_calculator.plan()->fits());
  EXPECT_GT(*estimate_tokens_per_s(*m_calculator.model(), *m_calculator.plan()), before);
}

TEST_F(SeveralDevices, a_fix_that_changes_a_headroom_changes_it_in_its_row) {
  Fix fix;
  fix.options = m_calculator.plan()->options;
  fix.options.set_headroom(2, KeepFree{100 * kMiB});
  QSignalSpy chosen(&m_calculator, &CalculatorState::devicesChosen);
  m_calculator.applyFix(fix);
  EXPECT_EQ(m_calculator.devices().rows()[1].headroom, HeadroomRule(KeepFree{100 * kMiB}));
  EXPECT_EQ(m_calculator.plan()->options.headroom_of(2), HeadroomRule(KeepFree{100 * kMiB}));
  EXPECT_EQ(chosen.count(), 1);
}

TEST_F(SeveralDevices, a_fix_with_another_card_gives_that_card_a_row) {
  m_calculator.removeDevice(1);
  m_calculator.planNow();
  ASSERT_EQ(m_calculator.devices().rows().size(), 2U);
  ASSERT_TRUE(advised());
  const auto& fixes = m_calculator.fixes();
  const auto with = std::find_if(fixes.begin(), fixes.end(),
                                 [](const Fix& fix) { return fix.words.text().starts_with("with cuda:1 too"); });
  ASSERT_NE(with, fixes.end());
  const Fix fix = *with;
  m_calculator.applyFix(fix);
  ASSERT_EQ(m_calculator.devices().rows().size(), 3U);
  EXPECT_EQ(m_calculator.devices().rows()[1].id, "cuda:1");
  EXPECT_TRUE(m_calculator.plan()->fits());
  EXPECT_DOUBLE_EQ(*estimate_tokens_per_s(*m_calculator.model(), *m_calculator.plan(),
                                          std::max(1U, m_calculator.plan()->options.n_ctx / 2)),
                   *fix.tokens_per_s)
      << "what was promised";
}

TEST_F(SeveralDevices, each_device_of_the_list_has_the_figures_of_a_plan_with_it) {
  std::vector<DevicePlanPreview> told;
  QObject::connect(&m_calculator, &CalculatorState::devicePlanPreviewFound, &m_calculator,
                   [&](std::size_t row, const std::vector<DevicePlanPreview>& preview) {
                     EXPECT_EQ(row, 1U);
                     told = preview;
                   });
  m_calculator.findDevicePlanPreview(1);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !told.empty(); }, 60'000));
  QStringList ids;
  for (const DevicePlanPreview& one : told) ids << one.id;
  EXPECT_EQ(ids, (QStringList{"cpu", "cuda:1", "Catalogue 12"})) << "the other card of this machine is in use";
  const PlanPreview onCatalogue = told[2].preview;
  m_calculator.useDevice(1, "Catalogue 12");
  m_calculator.planNow();
  EXPECT_EQ(onCatalogue.tokensPerSecond, estimate_tokens_per_s(*m_calculator.model(), *m_calculator.plan()));
  EXPECT_EQ(onCatalogue.fits, m_calculator.plan()->fits());
}

TEST_F(SeveralDevices, cache_types_are_offered_where_every_device_has_a_kernel) {
  DeviceInfo plain = gpu("cuda:1", 3 * kGiB);
  plain.kv_types = {DType::kF16, DType::kQ8_0};
  m_calculator.setPresentDevices({host(), gpu("cuda:0", 4 * kGiB), plain});
  EXPECT_EQ(m_calculator.offeredKvTypes(), (std::vector{DType::kF16, DType::kQ8_0}));
}

TEST_F(SeveralDevices, a_loaded_plan_comes_back_with_its_devices_and_rules) {
  m_calculator.moveDeviceUp(1);
  m_calculator.setHeadroom(0, AtMost{2 * kGiB});
  m_calculator.planNow();
  const auto plan = m_calculator.plan();
  const auto rows = m_calculator.devices().rows();
  m_calculator.useDevice(0, "cpu");
  m_calculator.useDevice(0, "cpu");
  EXPECT_NE(m_calculator.devices().rows(), rows);
  m_calculator.setModel(m_calculator.model(), *plan);
  EXPECT_EQ(m_calculator.devices().rows(), rows);
  EXPECT_EQ(m_calculator.plan()->options, plan->options);
}

// A plan has decided what its options left open, for its own batch.
TEST_F(SeveralDevices, a_loaded_plan_that_is_changed_leaves_to_us_what_the_window_has_no_control_for) {
  const auto plan = m_calculator.plan();
  ASSERT_NE(plan->options.stream_rows, kAutoRows);
  m_calculator.setModel(m_calculator.model(), *plan);
  EXPECT_EQ(m_calculator.options().stream_rows, kAutoRows);
  m_calculator.setBatch(plan->options.n_batch / 2);
  m_calculator.planNow();
  ASSERT_TRUE(m_calculator.plan()) << m_calculator.planProblem().toStdString();
  EXPECT_EQ(m_calculator.plan()->options.n_logit_rows, plan->options.n_logit_rows);
}

}  // namespace
}  // namespace headroom::ui
