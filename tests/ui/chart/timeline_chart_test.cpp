#include "ui/chart/timeline_chart.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

namespace headroom::ui {
namespace {

class TimelineChartTest : public testing::Test {
 protected:
  void SetUp() override {
    m_chart.resize(600, 300);
    m_chart.setTotal(4 * kGiB);
  }
  // Two hours, half weights and half free, so that both are wide.
  void fill() {
    for (const qint64 timeMs : {1'700'000'000'000, 1'700'000'000'000 + 7'200'000}) {
      MemoryFrame frame;
      frame.timeMs = timeMs;
      frame.of(Segment::Weights) = 2 * kGiB;
      frame.of(Segment::Free) = 2 * kGiB;
      m_line.append(frame);
    }
    m_chart.setTimeLine(m_line);
    m_chart.replot();
  }
  QPoint at(double share, double bytes) {
    const QRect rect = m_chart.axisRect()->rect();
    return {rect.left() + static_cast<int>(share * rect.width()), static_cast<int>(m_chart.yAxis->coordToPixel(bytes))};
  }
  Theme m_theme{ThemeChoice::Light};
  TimeLine m_line;
  TimelineChart m_chart{m_theme};
};

TEST_F(TimelineChartTest, a_point_of_an_area_is_its_segment_with_its_bytes) {
  EXPECT_FALSE(m_chart.hitAt(at(0.5, 0))) << "there is no area yet";
  fill();
  const auto low = m_chart.hitAt(at(0.5, static_cast<double>(kGiB)));
  ASSERT_TRUE(low);
  EXPECT_EQ(low->segment, Segment::Weights);
  EXPECT_EQ(low->bytes, 2 * kGiB);
  EXPECT_EQ(m_chart.hitAt(at(0.5, 3.0 * static_cast<double>(kGiB)))->segment, Segment::Free);
  EXPECT_FALSE(m_chart.hitAt({1, 1})) << "the axis";
}

TEST_F(TimelineChartTest, a_click_on_an_area_is_told) {
  fill();
  QSignalSpy clicked(&m_chart, &TimelineChart::segmentClicked);
  QTest::mouseClick(&m_chart, Qt::LeftButton, {}, at(0.5, static_cast<double>(kGiB)));
  ASSERT_EQ(clicked.count(), 1);
  EXPECT_EQ(clicked[0][0].value<Segment>(), Segment::Weights);
  QTest::mouseClick(&m_chart, Qt::LeftButton, {}, {1, 1});
  EXPECT_EQ(clicked.count(), 1);
}

TEST_F(TimelineChartTest, the_axis_holds_the_device_the_plan_and_every_frame) {
  EXPECT_GE(m_chart.yAxis->range().upper, 4.0 * static_cast<double>(kGiB));
  m_chart.setPlan(9 * kGiB);
  EXPECT_GE(m_chart.yAxis->range().upper, 9.0 * static_cast<double>(kGiB)) << "a plan that does not fit is seen";
  m_chart.setPlan(0);
  EXPECT_LT(m_chart.yAxis->range().upper, 5.0 * static_cast<double>(kGiB));
}

TEST_F(TimelineChartTest, a_small_model_fills_the_height_when_it_is_shown_alone) {
  fill();
  m_chart.setPlan(kGiB);
  m_chart.setOursAlone(true);
  EXPECT_NEAR(m_chart.yAxis->range().upper, 2.3 * static_cast<double>(kGiB), 1.0);
  m_chart.replot();
  EXPECT_FALSE(m_chart.hitAt(at(0.5, 2.2 * static_cast<double>(kGiB)))) << "free memory is not shown";
  m_chart.setOursAlone(false);
  EXPECT_GE(m_chart.yAxis->range().upper, 4.0 * static_cast<double>(kGiB));
}

TEST_F(TimelineChartTest, what_is_no_pixel_wide_or_high_is_not_drawn_until_it_is) {
  fill();
  m_chart.show();
  QTest::qWait(50);
  QSignalSpy drawn(&m_chart, &QCustomPlot::afterReplot);
  const auto add = [&](qint64 laterMs, Bytes weights) {
    MemoryFrame frame = m_line.frames().back();
    frame.timeMs += laterMs;
    frame.of(Segment::Weights) = weights;
    frame.of(Segment::Free) = 4 * kGiB - weights;
    m_line.append(frame);
    m_chart.setTimeLine(m_line);
    for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
  };
  for (int i = 0; i < 5; ++i) add(1000, 2 * kGiB);
  EXPECT_EQ(drawn.count(), 0) << "five seconds of two hours";
  add(60'000, 2 * kGiB);
  EXPECT_EQ(drawn.count(), 1);
  add(1000, 3 * kGiB);
  EXPECT_EQ(drawn.count(), 2) << "a quarter of the device";
  add(1000, 3 * kGiB + kMiB);
  EXPECT_EQ(drawn.count(), 2);
  m_chart.image(1.0);
  EXPECT_EQ(m_chart.xAxis->range().upper * 1000, static_cast<double>(m_line.frames().back().timeMs))
      << "a picture has it all";
}

TEST_F(TimelineChartTest, while_nothing_rises_or_falls_time_goes_on_in_steps) {
  MemoryFrame frame;
  frame.timeMs = 1'700'000'000'000;
  frame.of(Segment::Free) = 4 * kGiB;
  m_line.append(frame);
  m_chart.setTimeLine(m_line);
  m_chart.show();
  QTest::qWait(50);
  QSignalSpy drawn(&m_chart, &QCustomPlot::afterReplot);
  const auto add = [&](Bytes weights) {
    frame.timeMs += 1000;
    frame.of(Segment::Weights) = weights;
    frame.of(Segment::Free) = 4 * kGiB - weights;
    m_line.append(frame);
    m_chart.setTimeLine(m_line);
    for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
  };
  for (int i = 0; i < 20; ++i) add(0);
  EXPECT_EQ(drawn.count(), 4) << "each second of the first minute is several pixels wide";
  for (Bytes i = 1; i <= 3; ++i) add(i * 100 * kMiB);
  EXPECT_EQ(drawn.count(), 7) << "what moves is drawn at once";
}

TEST_F(TimelineChartTest, pictures_are_whole_and_of_the_theme) {
  fill();
  const QImage image = m_chart.image(2.0);
  EXPECT_EQ(image.size(), QSize(1200, 600));
  EXPECT_EQ(image.pixelColor(2, 2), m_theme.tokens().surface);
  const QByteArray svg = m_chart.svg();
  EXPECT_TRUE(svg.startsWith("<?xml")) << svg.left(40).toStdString();
  EXPECT_TRUE(svg.trimmed().endsWith("</svg>"));
  EXPECT_TRUE(svg.contains("Memory over time"));
  m_theme.setChoice(ThemeChoice::Dark);
  EXPECT_EQ(m_chart.image(1.0).pixelColor(2, 2), m_theme.tokens().surface);
}

}  // namespace
}  // namespace headroom::ui
