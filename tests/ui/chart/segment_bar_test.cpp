#include "ui/chart/segment_bar.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

namespace headroom::ui {
namespace {

class SegmentBarTest : public testing::Test {
 protected:
  void SetUp() override { m_bar.resize(400, 28); }
  Theme m_theme{ThemeChoice::Light};
  SegmentBar m_bar{m_theme};
};

MemoryFrame half() {
  MemoryFrame frame;
  frame.of(Segment::Weights) = kGiB;
  frame.of(Segment::Free) = kGiB;
  return frame;
}

TEST_F(SegmentBarTest, a_point_of_it_is_a_segment) {
  EXPECT_FALSE(m_bar.segmentAt({10, 10})) << "nothing is shown yet";
  m_bar.setFrame(half(), 2 * kGiB, 0);
  EXPECT_EQ(m_bar.segmentAt({199, 10}), Segment::Weights);
  EXPECT_EQ(m_bar.segmentAt({201, 10}), Segment::Free);
  m_bar.setFrame(half(), 4 * kGiB, 0);
  EXPECT_FALSE(m_bar.segmentAt({201, 10})) << "beyond what the frame holds";
}

TEST_F(SegmentBarTest, a_frame_larger_than_its_scale_fills_it) {
  m_bar.setFrame(half(), kMiB, 0);
  EXPECT_EQ(m_bar.segmentAt({399, 10}), Segment::Free);
}

TEST_F(SegmentBarTest, only_a_click_that_ends_on_it_counts) {
  m_bar.setFrame(half(), 2 * kGiB, 0);
  QSignalSpy clicked(&m_bar, &SegmentBar::segmentClicked);
  QTest::mouseClick(&m_bar, Qt::LeftButton, {}, {10, 10});
  ASSERT_EQ(clicked.count(), 1);
  EXPECT_EQ(clicked[0][0].value<Segment>(), Segment::Weights);
  QTest::mouseClick(&m_bar, Qt::RightButton, {}, {10, 10});
  for (const QPoint outside : {QPoint(-5, 10), QPoint(10, 100), QPoint(500, 10)}) {
    QTest::mousePress(&m_bar, Qt::LeftButton, {}, {10, 10});
    QTest::mouseRelease(&m_bar, Qt::LeftButton, {}, outside);
  }
  EXPECT_EQ(clicked.count(), 1);
}

TEST_F(SegmentBarTest, a_screen_reader_hears_what_is_in_it) {
  m_bar.setFrame(half(), 2 * kGiB, 0);
  EXPECT_EQ(m_bar.accessibleDescription(), "Weights 1.00 GiB, Free 1.00 GiB");
  m_bar.setFrame({}, 0, 0);
  EXPECT_EQ(m_bar.accessibleDescription(), "");
}

TEST_F(SegmentBarTest, what_is_no_pixel_wide_is_not_painted) {
  struct Counter : QObject {
    int n = 0;
    bool eventFilter(QObject*, QEvent* event) override {
      n += event->type() == QEvent::Paint;
      return false;
    }
  } paints;
  m_bar.setFrame(half(), 2 * kGiB, kGiB);
  m_bar.show();
  QTest::qWait(50);
  m_bar.installEventFilter(&paints);
  const auto paintsWith = [&](Bytes weights, Bytes planTop) {
    MemoryFrame frame = half();
    frame.of(Segment::Weights) = weights;
    frame.of(Segment::Free) = 2 * kGiB - weights;
    paints.n = 0;
    m_bar.setFrame(frame, 2 * kGiB, planTop);
    for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
    return paints.n;
  };
  EXPECT_EQ(paintsWith(kGiB + kMiB, kGiB), 0) << "a fifth of a pixel";
  EXPECT_EQ(m_bar.frame().of(Segment::Weights), kGiB + kMiB) << "what the mouse and a screen reader are told";
  EXPECT_EQ(paintsWith(kGiB + 3 * kMiB, kGiB), 1) << "small steps add up";
  EXPECT_EQ(paintsWith(kGiB + 3 * kMiB, kGiB + 20 * kMiB), 1) << "the plan's line moved";
}

TEST_F(SegmentBarTest, colours_follow_the_theme_and_tiny_or_huge_sizes_are_painted) {
  m_bar.setFrame(half(), 2 * kGiB, kGiB);
  const QImage light = m_bar.grab().toImage();
  EXPECT_EQ(light.pixelColor(100, 14), m_theme.tokens().segment(Segment::Weights));
  m_theme.setChoice(ThemeChoice::Dark);
  EXPECT_EQ(m_bar.grab().toImage().pixelColor(100, 14), m_theme.tokens().segment(Segment::Weights));
  MemoryFrame huge;
  huge.of(Segment::Weights) = ~Bytes{0};
  m_bar.setFrame(huge, ~Bytes{0}, ~Bytes{0});
  m_bar.resize(1, 1);
  m_bar.grab();
  EXPECT_EQ(m_bar.segmentAt({0, 0}), Segment::Weights);
}

}  // namespace
}  // namespace headroom::ui
