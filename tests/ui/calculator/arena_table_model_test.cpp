#include "ui/calculator/arena_table_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

namespace headroom::ui {
namespace {

QString cell(const ArenaTableModel& table, int row, int column) { return table.index(row, column).data().toString(); }

TEST(ArenaTableModel, each_arena_shows_planned_mapped_and_the_difference) {
  ArenaTableModel table;
  const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::Fatal);
  EXPECT_EQ(table.rowCount(), 0);
  table.setArenas({{"cpu", false, 5 * kGiB, 5 * kGiB}, {"cpu", true, kGiB, kGiB + 4096}, {"cuda:0", true, kGiB, 0}});
  ASSERT_EQ(table.rowCount(), 3);
  EXPECT_EQ(cell(table, 0, ArenaTableModel::ArenaColumn), "cpu, weights");
  EXPECT_EQ(cell(table, 0, ArenaTableModel::DifferenceColumn), "0 B");
  EXPECT_EQ(cell(table, 1, ArenaTableModel::ArenaColumn), "cpu, session");
  EXPECT_EQ(cell(table, 1, ArenaTableModel::DifferenceColumn), "+4.00 KiB");
  EXPECT_EQ(cell(table, 2, ArenaTableModel::MappedColumn), "0 B");
  EXPECT_EQ(cell(table, 2, ArenaTableModel::DifferenceColumn), QString::fromUtf8("\u22121.00 GiB"));
  EXPECT_EQ(table.index(1, 0).data(Qt::ToolTipRole), "Planned 1,073,741,824 B, mapped 1,073,745,920 B");
  table.setArenas({});
  EXPECT_EQ(table.rowCount(), 0);
}

TEST(ArenaTableModel, figures_of_64_bits_are_whole) {
  ArenaTableModel table;
  table.setArenas({{"cpu", false, ~Bytes{0}, ~Bytes{0} - 1}});
  EXPECT_EQ(table.index(0, 0).data(Qt::ToolTipRole),
            "Planned 18,446,744,073,709,551,615 B, mapped 18,446,744,073,709,551,614 B");
  EXPECT_EQ(cell(table, 0, ArenaTableModel::DifferenceColumn), QString::fromUtf8("\u22121 B"));
}

TEST(ArenaTableModel, numbers_stand_right_under_their_headings) {
  ArenaTableModel table;
  table.setArenas({{"cpu", false, 1, 1}});
  for (int column = 0; column < table.columnCount(); ++column) {
    const int heading = table.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).toInt();
    EXPECT_EQ(heading, table.index(0, column).data(Qt::TextAlignmentRole).toInt()) << column;
    EXPECT_EQ((heading & Qt::AlignRight) != 0, column != ArenaTableModel::ArenaColumn) << column;
    EXPECT_FALSE(table.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty()) << column;
  }
}

}  // namespace
}  // namespace headroom::ui
