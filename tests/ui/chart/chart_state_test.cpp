#include "ui/chart/chart_state.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "support/plans.h"

namespace headroom::ui {
namespace {

class ChartStateTest : public testing::Test {
 protected:
  static MemoryReading reading(const char* device, qint64 timeMs, Bytes free, Bytes ours) {
    MemoryReading made;
    made.device = QLatin1String(device);
    made.timeMs = timeMs;
    made.total = 16 * kGiB;
    made.free = free;
    made.ours = ours;
    return made;
  }
  QStringList ids() const {
    QStringList ids;
    for (const DeviceInfo& device : m_chart.shown()) ids << QString::fromStdString(device.id);
    return ids;
  }
  // All layers there; the embedding stays on the host.
  std::shared_ptr<const MemoryPlan> planOnGpu() const {
    PlanOptions options;
    options.devices = {{1}};
    return test::plan_for(m_model, {m_host, m_gpu}, options);
  }
  const ModelInfo m_model = test::make_model(test::kLlama32_1B);
  const DeviceInfo m_host = test::cpu_with(16 * kGiB), m_gpu = test::gpu_with(8 * kGiB);
  ChartState m_chart;
};

TEST_F(ChartStateTest, before_anything_is_known_all_is_empty) {
  EXPECT_TRUE(m_chart.shown().empty());
  EXPECT_EQ(m_chart.selected(), 0U);
  EXPECT_FALSE(m_chart.now(0));
  EXPECT_FALSE(m_chart.planned(0));
  EXPECT_EQ(m_chart.planTop(0), 0U);
  EXPECT_TRUE(m_chart.timeLine(0).isEmpty());
  EXPECT_EQ(m_chart.listed(0).plan, nullptr);
}

TEST_F(ChartStateTest, the_shown_devices_follow_the_plan_and_each_keeps_its_history) {
  m_chart.setDevices({m_host, m_gpu});
  EXPECT_EQ(ids(), QStringList{"cpu"}) << "the first one, while there is no plan";
  m_chart.addReading(reading("cpu", 1, 8 * kGiB, 0));
  m_chart.setCandidate(planOnGpu());
  EXPECT_EQ(ids(), (QStringList{QString::fromStdString(m_gpu.id), "cpu"})) << "the host last";
  EXPECT_TRUE(m_chart.timeLine(0).isEmpty()) << "of that device nothing was read yet";
  EXPECT_EQ(m_chart.timeLine(1).frames().size(), 1U);
  QSignalSpy told(&m_chart, &ChartState::nowChanged);
  m_chart.addReading(reading("cpu", 2, 8 * kGiB, 0));
  m_chart.addReading(reading(m_gpu.id.c_str(), 3, 8 * kGiB, 0));
  EXPECT_EQ(told.count(), 2) << "both are shown";
  m_chart.setCandidate(test::plan_for(m_model, {m_host}));
  EXPECT_EQ(m_chart.timeLine(0).frames().size(), 2U);
  m_chart.addReading(reading(m_gpu.id.c_str(), 4, 8 * kGiB, 0));
  EXPECT_EQ(told.count(), 2) << "not one that is shown";
}

TEST_F(ChartStateTest, a_device_that_holds_nothing_of_the_plan_is_not_shown) {
  PlanOptions options;
  options.devices = {{1}};
  options.n_gpu_layers = 0;
  m_chart.setDevices({m_host, m_gpu});
  m_chart.setCandidate(test::plan_for(m_model, {m_host, m_gpu}, options));
  EXPECT_EQ(ids(), QStringList{"cpu"});
}

TEST_F(ChartStateTest, what_is_loaded_is_shown_beside_another_plan_until_it_is_gone) {
  m_chart.setLoaded(planOnGpu());
  m_chart.setCandidate(test::plan_for(m_model, {m_host}));
  EXPECT_EQ(ids(), (QStringList{"cpu", QString::fromStdString(m_gpu.id)}));
  EXPECT_EQ(m_chart.planned(1)->of(Segment::Weights), 0U) << "the new plan takes nothing there";
  EXPECT_NE(m_chart.listed(1).plan, nullptr);
  m_chart.setLoaded(nullptr);
  EXPECT_EQ(ids(), QStringList{"cpu"});
}

TEST_F(ChartStateTest, what_is_selected_stays_with_its_device) {
  m_chart.setCandidate(planOnGpu());
  EXPECT_EQ(m_chart.selected(), 0U);
  QSignalSpy changed(&m_chart, &ChartState::changed);
  m_chart.select(1);
  m_chart.select(1);
  m_chart.select(7);
  EXPECT_EQ(changed.count(), 1);
  m_chart.setCandidate(test::plan_for(m_model, {m_host}));
  EXPECT_EQ(m_chart.selected(), 0U) << "the host, in its new place";
  m_chart.setCandidate(planOnGpu());
  EXPECT_EQ(m_chart.selected(), 1U);
}

TEST_F(ChartStateTest, the_parts_of_each_device_are_its_own_live_and_planned) {
  m_chart.setDevices({m_host, m_gpu});
  const auto plan = planOnGpu();
  m_chart.setCandidate(plan);
  m_chart.setLoaded(plan);
  for (const DeviceIndex device : {0U, 1U}) {
    MemoryReading told = reading(plan->devices[device].id.c_str(), 1, 0, plan->planned_bytes(device) + 300 * kMiB);
    told.total = plan->devices[device].total_bytes;
    told.free = told.total - told.ours - kGiB;
    told.kvTokensUsed = plan->options.n_ctx;
    m_chart.addReading(told);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const DeviceIndex device = i == 0 ? 1 : 0;
    const MemoryFrame now = *m_chart.now(i), planned = *m_chart.planned(i);
    EXPECT_EQ(now.of(Segment::Weights), plan->bytes_of(RegionGroup::kWeights, device));
    EXPECT_EQ(now.of(Segment::KvUsed), plan->bytes_of(RegionGroup::kKv, device));
    EXPECT_EQ(now.of(device == 0 ? Segment::Program : Segment::Driver), 300 * kMiB);
    EXPECT_EQ(now.of(device == 0 ? Segment::Driver : Segment::Program), 0U);
    EXPECT_EQ(now.of(Segment::Others), kGiB);
    EXPECT_EQ(planned.of(Segment::Weights), now.of(Segment::Weights));
    EXPECT_EQ(planned.of(Segment::Activations), now.of(Segment::Activations));
    EXPECT_EQ(planned.of(Segment::Others), kGiB);
    EXPECT_EQ(m_chart.listed(i).device, device);
  }
}

TEST_F(ChartStateTest, who_holds_a_device_is_of_its_last_reading) {
  m_chart.setDevices({m_host});
  EXPECT_EQ(m_chart.account(0).doubt, "");
  EXPECT_EQ(m_chart.account(7).doubt, "") << "none is shown there";
  MemoryReading told = reading("cpu", 1, 8 * kGiB, 0);
  told.account.doubt = Message::plain("so");
  m_chart.addReading(told);
  EXPECT_EQ(m_chart.account(0).doubt, "so");
  m_chart.addReading(reading("cpu", 2, 8 * kGiB, 0));
  EXPECT_EQ(m_chart.account(0).doubt, "");
}

TEST_F(ChartStateTest, what_has_arrived_of_a_load_is_weights_and_nothing_afterwards) {
  m_chart.setDevices({m_host});
  const auto plan = test::plan_for(m_model, {m_host});
  const Bytes weights = plan->bytes_of(RegionGroup::kWeights);
  m_chart.setArriving(plan, 0.5);
  m_chart.addReading(reading("cpu", 1, 8 * kGiB, weights));
  EXPECT_EQ(m_chart.now(0)->of(Segment::Weights), weights / 2);
  m_chart.setArriving(nullptr, 0);
  EXPECT_EQ(m_chart.now(0)->of(Segment::Weights), 0U);
}

TEST_F(ChartStateTest, the_planned_frame_keeps_what_other_programs_hold) {
  m_chart.setDevices({m_host});
  const auto plan = test::plan_for(m_model, {m_host});
  m_chart.setCandidate(plan);
  m_chart.addReading(reading("cpu", 1, 10 * kGiB, kGiB));
  const auto planned = m_chart.planned(0);
  ASSERT_TRUE(planned);
  EXPECT_EQ(planned->of(Segment::Others), 5 * kGiB);
  EXPECT_EQ(planned->of(Segment::Weights), plan->bytes_of(RegionGroup::kWeights));
  EXPECT_EQ(planned->total(), 16 * kGiB);
}

TEST_F(ChartStateTest, a_click_lists_what_is_loaded_before_what_is_planned) {
  const auto candidate = test::plan_for(m_model, {m_host}), loaded = test::plan_for(m_model, {m_host});
  m_chart.setCandidate(candidate);
  EXPECT_EQ(m_chart.listed(0).plan, candidate);
  m_chart.setLoaded(loaded);
  EXPECT_EQ(m_chart.listed(0).plan, loaded);
}

}  // namespace
}  // namespace headroom::ui
