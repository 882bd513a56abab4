#include "ui/chart/region_dialog.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QTableView>
#include <QTest>

#include "support/plans.h"
#include "ui/chart/region_table_model.h"

namespace headroom::ui {
namespace {

class RegionDialogTest : public testing::Test {
 protected:
  void SetUp() override {
    m_dialog = new RegionDialog(test::plan_for(m_model, {test::cpu_with(16 * kGiB)}), Segment::Weights, std::nullopt);
    m_dialog->show();
    m_table = m_dialog->findChild<QTableView*>("regionTable");
    ASSERT_NE(m_table, nullptr);
  }
  void TearDown() override { delete m_dialog; }
  const ModelInfo m_model = test::make_model(test::kLlama32_1B);
  QPointer<RegionDialog> m_dialog;
  QTableView* m_table = nullptr;
};

TEST_F(RegionDialogTest, it_says_how_much_in_how_many_and_the_largest_stands_first) {
  EXPECT_EQ(m_dialog->windowTitle(), "Weights");
  EXPECT_TRUE(m_dialog->findChild<QLabel*>()->text().contains(
      QStringLiteral("in %1 regions").arg(m_table->model()->rowCount())));
  const auto bytes = [this](int row) {
    return m_table->model()->index(row, RegionTableModel::BytesColumn).data(RegionTableModel::SortRole).toULongLong();
  };
  EXPECT_GE(bytes(0), bytes(m_table->model()->rowCount() - 1));
}

TEST_F(RegionDialogTest, the_filter_leaves_names_that_contain_it_in_any_case) {
  const int all = m_table->model()->rowCount();
  auto* filter = m_dialog->findChild<QLineEdit*>();
  filter->setText("ATTN_NORM");
  const int some = m_table->model()->rowCount();
  EXPECT_GT(some, 0);
  EXPECT_LT(some, all);
  filter->setText("(.*");
  EXPECT_EQ(m_table->model()->rowCount(), 0) << "a text, not a pattern";
  filter->clear();
  EXPECT_EQ(m_table->model()->rowCount(), all);
}

TEST_F(RegionDialogTest, escape_closes_it_for_good) {
  QTest::keyClick(m_dialog, Qt::Key_Escape);
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  EXPECT_TRUE(m_dialog.isNull());
}

}  // namespace
}  // namespace headroom::ui
