#include "ui/chart/region_table_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

#include "support/plans.h"

namespace headroom::ui {
namespace {

class RegionTableModelTest : public testing::Test {
 protected:
  const ModelInfo m_model = test::make_model(test::kLlama32_1B);
  const std::shared_ptr<const MemoryPlan> m_plan = test::plan_for(m_model, {test::cpu_with(16 * kGiB)});
};

TEST_F(RegionTableModelTest, segments_divide_the_regions_of_the_plan_among_them) {
  Bytes regions = 0, shown = 0;
  for (const ArenaPlan& arena : m_plan->arenas) {
    for (const Region& region : arena.regions) regions += region.size;
  }
  for (const Segment segment : {Segment::Weights, Segment::KvReserved, Segment::Activations}) {
    RegionTableModel table(m_plan, segment);
    const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::Fatal);
    EXPECT_GT(table.rowCount(), 0);
    shown += table.totalBytes();
  }
  EXPECT_EQ(shown, regions);
}

TEST_F(RegionTableModelTest, the_used_cache_lists_the_regions_of_the_whole_cache) {
  EXPECT_EQ(RegionTableModel(m_plan, Segment::KvUsed).totalBytes(), m_plan->bytes_of(RegionGroup::kKv));
}

TEST_F(RegionTableModelTest, of_one_device_only_its_regions_are_listed) {
  PlanOptions options;
  options.devices = {{1}};
  const auto plan = test::plan_for(m_model, {test::cpu_with(16 * kGiB), test::gpu_with(8 * kGiB)}, options);
  Bytes sum = 0;
  for (const DeviceIndex device : {0U, 1U}) {
    const RegionTableModel table(plan, Segment::Weights, device);
    EXPECT_EQ(table.totalBytes(), plan->bytes_of(RegionGroup::kWeights, device));
    EXPECT_GT(table.rowCount(), 0);
    sum += table.totalBytes();
  }
  EXPECT_EQ(sum, RegionTableModel(plan, Segment::Weights).totalBytes());
}

TEST_F(RegionTableModelTest, what_is_nobodys_region_is_an_empty_list) {
  for (const Segment segment : {Segment::Driver, Segment::Others, Segment::Headroom, Segment::Free})
    EXPECT_EQ(RegionTableModel(m_plan, segment).rowCount(), 0) << segmentKey(segment);
}

TEST_F(RegionTableModelTest, layers_and_bytes_sort_as_numbers) {
  const RegionTableModel table(m_plan, Segment::Weights);
  bool hasNoLayer = false;
  for (int row = 0; row < table.rowCount(); ++row) {
    const QModelIndex layer = table.index(row, RegionTableModel::LayerColumn);
    EXPECT_EQ(layer.data(RegionTableModel::SortRole).typeId(), QMetaType::Int);
    if (layer.data(RegionTableModel::SortRole).toInt() < 0) {
      hasNoLayer = true;
      EXPECT_EQ(layer.data().toString(), QString::fromUtf8("\u2013"));
    }
    EXPECT_EQ(table.index(row, RegionTableModel::BytesColumn).data(RegionTableModel::SortRole).typeId(),
              QMetaType::ULongLong);
  }
  EXPECT_TRUE(hasNoLayer) << "the embedding belongs to none";
}

}  // namespace
}  // namespace headroom::ui
