#include "ui/calculator/calculator_state.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QSignalSpy>

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
  const Bytes whole = m_calculator.plan()->planned_bytes(0), kv = m_calculator.plan()->bytes_of(RegionKind::kKv);
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
  m_calculator.setContext(8192);
  m_calculator.setSlots(4);
  m_calculator.planNow();
  ASSERT_TRUE(m_calculator.plan());
  ASSERT_FALSE(m_calculator.plan()->fits());
  EXPECT_EQ(m_calculator.verdict().tone, Tone::Bad);
  EXPECT_FALSE(m_calculator.isLoadable());
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
  ASSERT_TRUE(solved[0][1].toBool()) << solved[0][0].toString().toStdString();
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
  m_calculator.setDevice(QStringLiteral("Catalogue 12"));
  m_calculator.planNow();
  ASSERT_TRUE(m_calculator.plan());
  EXPECT_TRUE(m_calculator.plan()->fits());
  EXPECT_EQ(m_calculator.plan()->devices[m_calculator.plan()->options.main_device()].name, "Catalogue 12");
  EXPECT_FALSE(m_calculator.isLoadable());
  EXPECT_TRUE(m_calculator.whyNotLoadable().contains(QStringLiteral("not in this machine")));
}

TEST_F(CalculatorStateTest, a_cache_type_without_a_kernel_on_the_new_device_is_replaced_and_said) {
  DeviceInfo plain = catalogueGpu(24 * kGiB);
  plain.kv_types = {DType::kF16};
  CalculatorState calculator({plain});
  calculator.setPresentDevices({test::cpu_with(32 * kGiB)});
  calculator.setModel(std::make_shared<const ModelInfo>(test::make_model(test::kLlama32_1B)));
  calculator.setKeyType(DType::kQ4_0);
  calculator.setDevice(QStringLiteral("Catalogue 12"));
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
  m_calculator.setSlots(1'000'000);  // beyond what a step can hold
  m_calculator.planNow();
  EXPECT_FALSE(m_calculator.plan());
  EXPECT_FALSE(m_calculator.planProblem().isEmpty());
  EXPECT_EQ(m_calculator.verdict().sentence, m_calculator.planProblem());
  EXPECT_FALSE(m_calculator.isLoadable());
}

}  // namespace
}  // namespace headroom::ui
