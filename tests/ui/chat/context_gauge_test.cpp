#include "ui/chat/context_gauge.h"

#include <gtest/gtest.h>

#include <limits>

namespace headroom::ui {
namespace {

class ContextGaugeTest : public testing::Test {
 protected:
  void show(quint32 used, quint32 length, bool isEstimate = false, double speed = 0) {
    ContextFigures figures;
    figures.used = used;
    figures.length = length;
    figures.isEstimate = isEstimate;
    figures.tokensPerSecond = speed;
    m_gauge.setFigures(figures);
  }
  // Pixels of the bar that have this colour.
  int barWith(const QColor& colour) {
    m_gauge.resize(400, 22);
    const QImage image = m_gauge.grab().toImage();
    int n = 0;
    for (int x = 0; x < 74; ++x) n += image.pixelColor(x, 11) == colour ? 1 : 0;
    return n;
  }
  Theme m_theme{ThemeChoice::Light};
  ContextGauge m_gauge{m_theme};
};

TEST_F(ContextGaugeTest, without_a_context_it_is_silent) {
  show(100, 0);
  EXPECT_EQ(m_gauge.text(), "");
  EXPECT_EQ(m_gauge.textFor(500), "");
  m_gauge.grab();
}

TEST_F(ContextGaugeTest, an_estimate_says_so) {
  show(500, 1000, true);
  EXPECT_EQ(m_gauge.text(), QString::fromUtf8("Context 50 % full \u00b7 about 500 of 1,000 tokens"));
  EXPECT_FALSE(m_gauge.toolTip().isEmpty());
  EXPECT_EQ(m_gauge.textFor(1), "~500 / 1,000");
  show(500, 1000);
  EXPECT_TRUE(m_gauge.toolTip().isEmpty());
}

TEST_F(ContextGaugeTest, a_count_that_stopped_at_the_limit_says_at_least) {
  ContextFigures figures;
  figures.used = 9000;
  figures.length = 8192;
  figures.isAtLeast = true;
  m_gauge.setFigures(figures);
  EXPECT_EQ(m_gauge.text(), QString::fromUtf8("Too long \u00b7 at least 9,000 tokens for a context of 8,192"));
}

TEST_F(ContextGaugeTest, what_does_not_fit_is_called_too_long) {
  show(112'691, 8192);
  EXPECT_EQ(m_gauge.text(), QString::fromUtf8("Too long \u00b7 112,691 tokens for a context of 8,192"));
  show(8192, 8192);
  EXPECT_EQ(m_gauge.text(), QString::fromUtf8("Context 100 % full \u00b7 8,192 of 8,192 tokens"));
}

TEST_F(ContextGaugeTest, a_screen_reader_hears_the_speed_too) {
  show(1, 1000, false, 12.5);
  EXPECT_TRUE(m_gauge.accessibleName().endsWith(", 12.5 tokens/s")) << m_gauge.accessibleName().toStdString();
}

TEST_F(ContextGaugeTest, what_was_predicted_stands_beside_what_came_where_there_is_room) {
  ContextFigures figures;
  figures.used = 58;
  figures.length = 1024;
  figures.predictedTokensPerSecond = 41;
  m_gauge.setFigures(figures);
  EXPECT_EQ(m_gauge.speedFor(1000), "") << "nothing came yet";
  figures.tokensPerSecond = 38.2;
  m_gauge.setFigures(figures);
  EXPECT_EQ(m_gauge.speedFor(1000), "38.2 tokens/s (predicted: 41)");
  EXPECT_EQ(m_gauge.speedFor(150), "38.2 tokens/s");
  EXPECT_TRUE(m_gauge.accessibleName().endsWith("(predicted: 41)"));
  EXPECT_TRUE(m_gauge.toolTip().contains("predicted about 41 tokens/s"));
  figures.predictedTokensPerSecond = 25'000;
  m_gauge.setFigures(figures);
  EXPECT_EQ(m_gauge.speedFor(1000), "38.2 tokens/s (predicted: more than 1,000)");
  figures.predictedTokensPerSecond = 0;
  m_gauge.setFigures(figures);
  EXPECT_EQ(m_gauge.speedFor(1000), "38.2 tokens/s");
}

TEST_F(ContextGaugeTest, the_bar_is_as_full_as_the_context_and_warns_near_its_end) {
  show(500, 1000);
  EXPECT_NEAR(barWith(m_theme.tokens().accent), 36, 2);
  show(900, 1000);
  EXPECT_EQ(barWith(m_theme.tokens().accent), 0);
  EXPECT_NEAR(barWith(m_theme.tokens().warning.text), 65, 2);
  show(0, 1000);
  EXPECT_GT(barWith(m_theme.tokens().segment(Segment::Free)), 60);
}

TEST_F(ContextGaugeTest, more_than_fits_fills_the_bar_and_no_more) {
  show(3000, 1000, true);
  EXPECT_TRUE(m_gauge.text().startsWith("Too long")) << m_gauge.text().toStdString();
  EXPECT_GT(barWith(m_theme.tokens().warning.text), 68);
  const quint32 most = std::numeric_limits<quint32>::max();
  show(most, most);
  EXPECT_TRUE(m_gauge.text().startsWith("Context 100 %")) << m_gauge.text().toStdString();
  m_gauge.resize(3, 3);
  m_gauge.grab();
}

TEST_F(ContextGaugeTest, its_colours_follow_the_theme) {
  show(500, 1000);
  m_theme.setChoice(ThemeChoice::Dark);
  EXPECT_NEAR(barWith(m_theme.tokens().accent), 36, 2);
}

}  // namespace
}  // namespace headroom::ui
