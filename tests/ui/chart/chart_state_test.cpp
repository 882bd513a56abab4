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
  const ModelInfo m_model = test::make_model(test::kLlama32_1B);
  const DeviceInfo m_host = test::cpu_with(16 * kGiB), m_gpu = test::gpu_with(8 * kGiB);
  ChartState m_chart;
};

TEST_F(ChartStateTest, before_anything_is_known_all_is_empty) {
  EXPECT_EQ(m_chart.deviceName(), QString());
  EXPECT_EQ(m_chart.total(), 0U);
  EXPECT_FALSE(m_chart.isPresent());
  EXPECT_FALSE(m_chart.now());
  EXPECT_FALSE(m_chart.planned());
  EXPECT_EQ(m_chart.planTop(), 0U);
  EXPECT_TRUE(m_chart.timeLine().isEmpty());
}

TEST_F(ChartStateTest, the_shown_device_follows_the_plan_and_each_keeps_its_history) {
  m_chart.setDevices({m_host, m_gpu});
  EXPECT_TRUE(m_chart.isHost()) << "the first one, while there is no plan";
  m_chart.addReading(reading("cpu", 1, 8 * kGiB, 0));
  PlanOptions onGpu;
  onGpu.devices = {{1}};
  const auto plan = test::plan_for(m_model, {m_host, m_gpu}, onGpu);
  m_chart.setCandidate(plan);
  EXPECT_EQ(m_chart.deviceId(), QString::fromStdString(m_gpu.id));
  EXPECT_TRUE(m_chart.timeLine().isEmpty()) << "of the other device nothing was read yet";
  QSignalSpy told(&m_chart, &ChartState::nowChanged);
  m_chart.addReading(reading("cpu", 2, 8 * kGiB, 0));
  EXPECT_EQ(told.count(), 0) << "not the one that is shown";
  m_chart.addReading(reading(m_gpu.id.c_str(), 3, 8 * kGiB, 0));
  EXPECT_EQ(told.count(), 1);
  m_chart.setCandidate(test::plan_for(m_model, {m_host}));
  EXPECT_EQ(m_chart.timeLine().frames().size(), 2U);
}

TEST_F(ChartStateTest, what_has_arrived_of_a_load_is_weights_and_nothing_afterwards) {
  m_chart.setDevices({m_host});
  const auto plan = test::plan_for(m_model, {m_host});
  const Bytes weights = plan->bytes_of(RegionKind::kWeights);
  m_chart.setArriving(plan, 0.5);
  m_chart.addReading(reading("cpu", 1, 8 * kGiB, weights));
  EXPECT_EQ(m_chart.now()->of(Segment::Weights), weights / 2);
  m_chart.setArriving(nullptr, 0);
  EXPECT_EQ(m_chart.now()->of(Segment::Weights), 0U);
}

TEST_F(ChartStateTest, the_planned_frame_keeps_what_other_programs_hold) {
  m_chart.setDevices({m_host});
  const auto plan = test::plan_for(m_model, {m_host});
  m_chart.setCandidate(plan);
  m_chart.addReading(reading("cpu", 1, 10 * kGiB, kGiB));
  const auto planned = m_chart.planned();
  ASSERT_TRUE(planned);
  EXPECT_EQ(planned->of(Segment::Others), 5 * kGiB);
  EXPECT_EQ(planned->of(Segment::Weights), plan->bytes_of(RegionKind::kWeights));
  EXPECT_EQ(planned->total(), 16 * kGiB);
}

TEST_F(ChartStateTest, a_click_lists_what_is_loaded_before_what_is_planned) {
  const auto candidate = test::plan_for(m_model, {m_host}), loaded = test::plan_for(m_model, {m_host});
  m_chart.setCandidate(candidate);
  EXPECT_EQ(m_chart.listedPlan(), candidate);
  m_chart.setLoaded(loaded);
  EXPECT_EQ(m_chart.listedPlan(), loaded);
}

}  // namespace
}  // namespace headroom::ui
