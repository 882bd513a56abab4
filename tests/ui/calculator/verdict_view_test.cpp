#include "ui/calculator/verdict_view.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>

#include "support/fake_engine_port.h"
#include "tests/ui/calculator/view_fixture.h"

namespace headroom::ui {
namespace {

class VerdictViewTest : public CalculatorViewTest {
 protected:
  void SetUp() override { m_view.show(); }
  QWidget& view() override { return m_view; }
  void openFile(Bytes hostBytes) {
    open(test::cpu_with(hostBytes));
    m_view.setModelPath("/m.gguf");
  }
  test::FakeEnginePort m_engine;
  LoadState m_load{m_engine};
  VerdictView m_view{m_theme, m_calculator, m_load};
};

TEST_F(VerdictViewTest, without_a_model_there_is_no_verdict_and_nothing_to_load) {
  EXPECT_FALSE(find<QWidget>("verdict")->isVisible());
  EXPECT_FALSE(find<QPushButton>("loadButton")->isEnabled());
}

TEST_F(VerdictViewTest, a_plan_that_fits_can_be_loaded_and_says_what_it_takes) {
  openFile(16 * kGiB);
  EXPECT_EQ(find<QWidget>("verdict")->property("tone").toString(), "good");
  EXPECT_EQ(find<QLabel>("verdictSentence")->text(), QStringLiteral("Fits"));
  EXPECT_TRUE(find<QWidget>("verdict")->accessibleDescription().startsWith("Fits: "));
  QSignalSpy wanted(&m_view, &VerdictView::loadRequested);
  find<QPushButton>("loadButton")->click();
  EXPECT_EQ(wanted.count(), 1);
  EXPECT_TRUE(find<QLabel>("loadText")->text().startsWith("Takes exactly "));
}

TEST_F(VerdictViewTest, the_room_of_the_verdict_is_the_same_whatever_its_figures_are) {
  openFile(16 * kGiB);
  m_view.resize(350, 400);
  auto* banner = find<QWidget>("verdict");
  const int height = banner->sizeHint().height();
  for (const std::uint32_t nCtx : {1U, 4096U, 131'072U, 1'000'000U, 16'000'000U}) {
    m_calculator.setContext(nCtx);
    m_calculator.planNow();
    EXPECT_EQ(banner->sizeHint().height(), height) << nCtx;
  }
}

TEST_F(VerdictViewTest, while_it_loads_there_is_progress_and_a_way_out) {
  openFile(16 * kGiB);
  m_load.load("/m.gguf", m_calculator.plan());
  EXPECT_TRUE(find<QPushButton>("cancelButton")->isVisible());
  EXPECT_FALSE(find<QPushButton>("loadButton")->isVisible());
  auto* progress = find<QProgressBar>("loadProgress");
  EXPECT_EQ(progress->format(), QString::fromUtf8("Reserving memory\u2026"));
  emit m_engine.loadProgressed(m_engine.loads[0].id, kGiB / 2, kGiB);
  EXPECT_EQ(progress->format(), "0.50 of 1.00 GiB");
  EXPECT_EQ(progress->value() * 2, progress->maximum());
  find<QPushButton>("cancelButton")->click();
  EXPECT_FALSE(find<QPushButton>("cancelButton")->isEnabled()) << "asked once";
  EXPECT_EQ(progress->format(), QString::fromUtf8("Cancelling\u2026"));
}

TEST_F(VerdictViewTest, what_is_loaded_is_not_loaded_again_until_it_is_changed) {
  openFile(16 * kGiB);
  m_load.load("/m.gguf", m_calculator.plan());
  m_engine.sendLoadDone(m_model);
  EXPECT_FALSE(find<QPushButton>("loadButton")->isEnabled());
  EXPECT_EQ(find<QPushButton>("loadButton")->text(), "Re&load");
  EXPECT_TRUE(find<QLabel>("loadText")->text().contains("with exactly this plan"));
  m_calculator.setContext(2048);
  m_calculator.planNow();
  EXPECT_TRUE(find<QPushButton>("loadButton")->isEnabled());
  EXPECT_TRUE(find<QLabel>("loadText")->text().startsWith("Changed: "));
}

}  // namespace
}  // namespace headroom::ui
