#include "ui/chart/device_bars.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QSignalSpy>

#include "ui/chart/segment_bar.h"
#include "ui/theme/elided_label.h"

namespace headroom::ui {
namespace {

class DeviceBarsTest : public testing::Test {
 protected:
  static MemoryFrame frame(Bytes weights, Bytes free) {
    MemoryFrame made;
    made.of(Segment::Weights) = weights;
    made.of(Segment::Free) = free;
    return made;
  }
  bool says(const QString& text) {
    for (const QLabel* label : m_bars.findChildren<QLabel*>()) {
      if (!label->isHidden() && label->text().contains(text)) return true;
    }
    return false;
  }
  Theme m_theme{ThemeChoice::Light};
  DeviceBars m_bars{m_theme};
};

TEST_F(DeviceBarsTest, one_of_several_has_its_name_and_the_only_one_has_none) {
  m_bars.setFigures({"RTX 4090", frame(kGiB, 3 * kGiB), frame(2 * kGiB, 2 * kGiB), 4 * kGiB, 2 * kGiB});
  EXPECT_FALSE(m_bars.findChild<ElidedLabel*>()->isHidden());
  EXPECT_EQ(m_bars.findChild<SegmentBar*>("nowBar")->accessibleName(), "Memory of RTX 4090 now");
  EXPECT_TRUE(says("Now: 1.00 of 4.00 GiB in use"));
  EXPECT_TRUE(says("With this plan: 2.00 of 4.00 GiB in use"));
  m_bars.setFigures({{}, frame(kGiB, 3 * kGiB), {}, 4 * kGiB, 0});
  EXPECT_TRUE(m_bars.findChild<ElidedLabel*>()->isHidden());
  EXPECT_TRUE(m_bars.findChild<SegmentBar*>("planBar")->isHidden());
}

TEST_F(DeviceBarsTest, what_was_pushed_out_is_said_in_red_for_as_long_as_it_is) {
  const auto* spill = m_bars.findChild<QLabel*>("spillText");
  ASSERT_NE(spill, nullptr);
  MemoryFrame now = frame(kGiB, kGiB);
  now.spilled = 512 * kMiB;
  m_bars.setFigures({{}, now, {}, 2 * kGiB, 0});
  EXPECT_TRUE(says("512 MiB of the model was pushed out"));
  EXPECT_EQ(spill->property("tone").toString(), "bad");
  m_bars.setFigures({{}, frame(kGiB, kGiB), {}, 2 * kGiB, 0});
  EXPECT_TRUE(spill->isHidden());
  m_bars.setFigures({{}, now, {}, 2 * kGiB, 0});
  m_bars.setFigures({{}, {}, {}, 2 * kGiB, 0});
  EXPECT_TRUE(spill->isHidden()) << "without a reading nothing is known";
}

TEST_F(DeviceBarsTest, doubt_about_the_figures_is_their_tool_tip) {
  MemoryAccount account;
  account.doubt = Message::plain("Nothing tells.");
  m_bars.setFigures({{}, frame(kGiB, kGiB), {}, 2 * kGiB, 0, account});
  const auto tips = [&] {
    QStringList found;
    for (const QLabel* label : m_bars.findChildren<QLabel*>()) found << label->toolTip();
    return found;
  };
  EXPECT_TRUE(tips().contains("Nothing tells."));
  m_bars.setFigures({{}, frame(kGiB, kGiB), {}, 2 * kGiB, 0});
  EXPECT_FALSE(tips().contains("Nothing tells."));
}

TEST_F(DeviceBarsTest, what_is_in_use_is_said_to_be_ours_alone_where_that_of_others_is_not_known) {
  MemoryAccount account;
  m_bars.setFigures({{}, frame(kGiB, kGiB), frame(kGiB, kGiB), 2 * kGiB, 0, account});
  EXPECT_FALSE(says("not known"));
  account.confidence = MemoryConfidence::kAssumed;
  m_bars.setFigures({{}, frame(kGiB, kGiB), frame(kGiB, kGiB), 2 * kGiB, 0, account});
  EXPECT_TRUE(says("Now: 1.00 of 2.00 GiB in use, and what other programs hold is not known"));
  EXPECT_TRUE(says("With this plan: 1.00 of 2.00 GiB in use, and what other programs hold is not known"));
}

TEST_F(DeviceBarsTest, what_is_not_there_is_needed) {
  m_bars.setFigures({"RTX 4090", {}, frame(5 * kGiB, 0), 4 * kGiB, 5 * kGiB});
  EXPECT_TRUE(m_bars.findChild<SegmentBar*>("nowBar")->isHidden());
  EXPECT_TRUE(says("With this plan: 5.00 of 4.00 GiB needed"));
}

TEST_F(DeviceBarsTest, a_click_on_either_bar_names_its_segment) {
  m_bars.setFigures({{}, frame(kGiB, kGiB), frame(kGiB, kGiB), 2 * kGiB, kGiB});
  QSignalSpy clicked(&m_bars, &DeviceBars::segmentClicked);
  for (const char* name : {"nowBar", "planBar"})
    emit m_bars.findChild<SegmentBar*>(QLatin1String(name))->segmentClicked(Segment::Weights);
  EXPECT_EQ(clicked.count(), 2);
}

}  // namespace
}  // namespace headroom::ui
