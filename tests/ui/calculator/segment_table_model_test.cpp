#include "ui/calculator/segment_table_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

#include "support/model_specs.h"

namespace headroom::ui {
namespace {

std::shared_ptr<const MemoryPlan> planFor(const ModelInfo& model, const std::vector<DeviceInfo>& devices,
                                          DeviceIndex device) {
  PlanOptions options;
  options.devices = {{device}};
  auto plan = plan_memory(model, devices, options);
  return plan.ok() ? std::make_shared<const MemoryPlan>(std::move(plan).value()) : nullptr;
}

TEST(SegmentTableModel, rows_add_up_to_the_plan_and_the_driver) {
  const ModelInfo model = test::make_model(test::kLlama32_1B);
  const std::vector<DeviceInfo> devices{test::cpu_with(32 * kGiB), test::gpu_with(8 * kGiB)};
  for (const DeviceIndex device : {0U, 1U}) {
    const auto plan = planFor(model, devices, device);
    ASSERT_TRUE(plan);
    SegmentTableModel table;
    const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::Fatal);
    table.setPlan(plan);
    Bytes shown = 0, expected = 0;
    for (int row = 0; row < table.rowCount(); ++row)
      shown += table.index(row, 0).data(SegmentTableModel::BytesRole).toULongLong();
    for (const DeviceBudget& budget : plan->budgets) expected += budget.planned + budget.driver;
    EXPECT_EQ(shown, expected);
    EXPECT_GT(table.rowCount(), 4);
  }
}

TEST(SegmentTableModel, bytes_sort_as_numbers_and_stand_right) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  SegmentTableModel table;
  table.setPlan(planFor(model, {test::cpu_with(8 * kGiB)}, 0));
  const QModelIndex bytes = table.index(0, SegmentTableModel::BytesColumn);
  EXPECT_EQ(bytes.data(SegmentTableModel::SortRole).typeId(), QMetaType::ULongLong);
  EXPECT_TRUE(bytes.data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight);
  table.setPlan(nullptr);
  EXPECT_EQ(table.rowCount(), 0);
}

}  // namespace
}  // namespace headroom::ui
