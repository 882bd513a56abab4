#include "ui/chart/legend_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QPixmap>
#include <QSet>
#include <QSignalSpy>

#include "ui/format/format_bytes.h"

namespace headroom::ui {
namespace {

TEST(LegendModelTest, every_segment_has_its_row_its_figures_and_its_own_swatch) {
  const Theme theme(ThemeChoice::Light);
  LegendModel legend(theme);
  const QAbstractItemModelTester tester(&legend, QAbstractItemModelTester::FailureReportingMode::Fatal);
  MemoryFrame now;
  for (const Segment segment : kSegments) now.of(segment) = (segmentIndex(segment) + 1) * kGiB;
  legend.setNow(now);
  ASSERT_EQ(legend.rowCount(), static_cast<int>(kSegments.size()));
  QSet<QByteArray> swatches;
  for (int row = 0; row < legend.rowCount(); ++row) {
    const Segment segment = kSegments[static_cast<std::size_t>(row)];
    EXPECT_EQ(legend.index(row, LegendModel::NameColumn).data().toString(), segmentName(segment));
    EXPECT_EQ(legend.index(row, LegendModel::NowColumn).data().toString(), formatBytes(now.of(segment)));
    EXPECT_EQ(legend.index(row, LegendModel::PlanColumn).data().toString(), QString::fromUtf8("\u2013")) << "no plan";
    EXPECT_EQ(legend.index(row, 0).data(LegendModel::SegmentRole).toInt(), static_cast<int>(segment));
    const QImage image = legend.index(row, 0).data(Qt::DecorationRole).value<QPixmap>().toImage();
    swatches.insert(QByteArray(reinterpret_cast<const char*>(image.constBits()), image.sizeInBytes()));
  }
  EXPECT_EQ(swatches.size(), legend.rowCount());
  EXPECT_EQ(legend.index(1, LegendModel::NowColumn).data(Qt::ToolTipRole), "2,147,483,648 B");
  legend.setNow(std::nullopt);
  EXPECT_EQ(legend.index(1, LegendModel::NowColumn).data().toString(), QString::fromUtf8("\u2013"));
}

TEST(LegendModelTest, how_surely_other_programs_are_known_stands_in_their_row_alone) {
  const Theme theme(ThemeChoice::Light);
  LegendModel legend(theme);
  MemoryAccount account;
  account.confidence = MemoryConfidence::kEstimated;
  account.doubt = Message::plain("Only some are seen.");
  MemoryFrame now;
  now.of(Segment::Others) = 3 * kGiB;
  now.withheld = kGiB;
  legend.setNow(now, account);
  const int others = static_cast<int>(segmentIndex(Segment::Others));
  const auto tip = [&](int row, int column) { return legend.index(row, column).data(Qt::ToolTipRole).toString(); };
  const QModelIndex figure = legend.index(others, LegendModel::NowColumn);
  EXPECT_EQ(figure.data(), QString::fromUtf8("\u2248 3.00 GiB"));
  EXPECT_EQ(figure.data(Qt::AccessibleTextRole), "about 3.00 GiB");
  EXPECT_EQ(legend.index(0, LegendModel::NowColumn).data(), "0 B");
  EXPECT_FALSE(legend.index(0, LegendModel::NowColumn).data(Qt::AccessibleTextRole).isValid());
  for (const int column : {LegendModel::NameColumn, LegendModel::NowColumn})
    EXPECT_TRUE(tip(others, column).contains("Only some are seen.\n1.00 GiB of it nobody holds")) << column;
  EXPECT_FALSE(tip(others, LegendModel::PlanColumn).contains("Only some"));
  EXPECT_FALSE(tip(0, LegendModel::NameColumn).contains("Only some"));
  now.withheld = 0;
  legend.setNow(now);
  EXPECT_EQ(figure.data(), "3.00 GiB");
  EXPECT_EQ(tip(others, LegendModel::NowColumn), "3,221,225,472 B");
}

TEST(LegendModelTest, what_is_not_known_of_other_programs_is_no_number_in_any_column) {
  const Theme theme(ThemeChoice::Light);
  LegendModel legend(theme);
  MemoryAccount account;
  account.confidence = MemoryConfidence::kAssumed;
  account.doubt = Message::plain("Nothing tells.");
  MemoryFrame now;
  now.of(Segment::Free) = kGiB;
  legend.setNow(now, account);
  legend.setPlan(now);
  for (const int column : {LegendModel::NowColumn, LegendModel::PlanColumn}) {
    const auto cell = [&](Segment segment) { return legend.index(static_cast<int>(segmentIndex(segment)), column); };
    EXPECT_EQ(cell(Segment::Others).data(), "not known");
    EXPECT_FALSE(cell(Segment::Others).data(Qt::ToolTipRole).toString().contains("0 B"));
    EXPECT_EQ(cell(Segment::Free).data(), QString::fromUtf8("\u2264 1.00 GiB"));
    EXPECT_EQ(cell(Segment::Free).data(Qt::AccessibleTextRole), "at most 1.00 GiB");
    EXPECT_EQ(cell(Segment::Weights).data(), "0 B");
  }
}

TEST(LegendModelTest, what_a_driver_holds_is_no_number_where_nothing_tells) {
  const Theme theme(ThemeChoice::Light);
  LegendModel legend(theme);
  const int row = static_cast<int>(segmentIndex(Segment::Driver));
  MemoryAccount account;
  account.driver.reset();
  MemoryFrame frame;
  legend.setNow(frame, account);
  frame.of(Segment::Driver) = kGiB;
  legend.setPlan(frame);
  EXPECT_EQ(legend.index(row, LegendModel::NowColumn).data(), "not known");
  EXPECT_EQ(legend.index(row, LegendModel::NowColumn).data(Qt::ToolTipRole), segmentExplanation(Segment::Driver));
  EXPECT_EQ(legend.index(row, LegendModel::PlanColumn).data(), "1.00 GiB") << "as it is asked for";
}

TEST(LegendModelTest, views_hear_of_the_cells_that_read_otherwise_and_of_no_more) {
  const Theme theme(ThemeChoice::Light);
  LegendModel legend(theme);
  MemoryFrame now;
  now.of(Segment::Others) = 3 * kGiB;
  now.of(Segment::Free) = 5 * kGiB;
  legend.setNow(now);
  legend.setPlan(now);
  QSignalSpy changed(&legend, &LegendModel::dataChanged);
  now.of(Segment::Others) += kKiB;
  legend.setNow(now);
  legend.setPlan(now);
  EXPECT_EQ(changed.count(), 0) << "3.00 GiB still";
  now.of(Segment::Others) += kGiB;
  legend.setNow(now);
  ASSERT_EQ(changed.count(), 1);
  const QModelIndex others = legend.index(static_cast<int>(segmentIndex(Segment::Others)), LegendModel::NowColumn);
  EXPECT_EQ(changed[0][0].toModelIndex(), others);
  EXPECT_EQ(changed[0][1].toModelIndex(), others);
  MemoryAccount account;
  account.confidence = MemoryConfidence::kEstimated;
  legend.setNow(now, account);
  EXPECT_EQ(changed.count(), 3) << "how surely others are known stands in both columns";
}

TEST(LegendModelTest, swatches_are_painted_anew_with_the_theme) {
  Theme theme(ThemeChoice::Light);
  LegendModel legend(theme);
  const auto swatch = [&] { return legend.index(0, 0).data(Qt::DecorationRole).value<QPixmap>().toImage(); };
  const QImage light = swatch();
  QSignalSpy changed(&legend, &LegendModel::dataChanged);
  theme.setChoice(ThemeChoice::Dark);
  EXPECT_EQ(changed.count(), 1) << "views ask again";
  EXPECT_NE(swatch(), light);
}

}  // namespace
}  // namespace headroom::ui
