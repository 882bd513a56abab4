#include "ui/calculator/advice_view.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QPushButton>

#include "tests/ui/calculator/view_fixture.h"
#include "ui/format/message_words.h"

namespace headroom::ui {
namespace {

class AdviceViewTest : public CalculatorViewTest {
 protected:
  void SetUp() override { m_view.show(); }
  QWidget& view() override { return m_view; }
  AdviceView m_view{m_theme, m_calculator};
};

TEST_F(AdviceViewTest, fixes_of_a_plan_that_does_not_fit_are_buttons_that_apply_them) {
  open(test::cpu_with(16 * kGiB));
  m_calculator.setContext(1'000'000);
  m_calculator.planNow();
  ASSERT_TRUE(advised());
  ASSERT_FALSE(m_calculator.fixes().empty());
  const PlanOptions before = m_calculator.options();
  auto* fix = find<QPushButton>("fix0");
  EXPECT_EQ(fix->text(), wordsOf(m_calculator.fixes()[0].words));
  fix->click();
  EXPECT_NE(m_calculator.options(), before);
}

TEST_F(AdviceViewTest, icons_of_fixes_follow_the_theme) {
  open(test::cpu_with(16 * kGiB));
  m_calculator.setContext(1'000'000);
  m_calculator.planNow();
  ASSERT_TRUE(advised());
  const auto icon = [this] {
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    return find<QPushButton>("fix0")->icon().pixmap(16, 16).toImage();
  };
  const QImage light = icon();
  m_theme.setChoice(ThemeChoice::Dark);
  EXPECT_NE(icon(), light);
}

TEST_F(AdviceViewTest, a_plan_that_does_not_fit_is_explained_and_one_that_fits_says_who_holds_the_rest) {
  DeviceInfo host = test::cpu_with(16 * kGiB);
  host.free_bytes = 11 * kGiB;
  open(host);
  EXPECT_EQ(find<QLabel>("planDetail")->text(), QStringLiteral("Other programs hold 5.00 GiB of 16.0 GiB."));
  m_calculator.setContext(16'000'000);
  m_calculator.planNow();
  const QString why = find<QLabel>("planDetail")->text();
  EXPECT_TRUE(why.startsWith("Does not fit by ") && why.contains("is asked for")) << why.toStdString();
}

}  // namespace
}  // namespace headroom::ui
