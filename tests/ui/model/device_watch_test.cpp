#include "ui/model/device_watch.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>
#include <QThread>
#include <QTimer>
#include <atomic>

#include "support/fake_engine_port.h"
#include "support/plans.h"
#include "ui/background/background.h"

namespace headroom::ui {
namespace {

class DeviceWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    m_services.engine = &m_engine;
    m_services.probeDevices = [this] {
      m_probesHere += QThread::currentThread() == m_gui ? 1 : 0;
      ++m_probes;
      return m_devices;
    };
    m_watch = std::make_unique<DeviceWatch>(m_services, m_load);
  }
  void TearDown() override {
    m_watch.reset();
    readingThreads().waitForDone();  // they read m_devices
  }
  // As if seconds went by: until it has asked three times.
  void probe() {
    m_probes = 0;
    m_watch->findChild<QTimer*>()->start(0);
    ASSERT_TRUE(QTest::qWaitFor([this] { return m_probes >= 3; }, 60'000));
    m_watch->findChild<QTimer*>()->stop();
    settle();
  }
  // What was begun is told, and no thread reads the devices any more.
  void settle() {
    readingThreads().waitForDone();
    for (int i = 0; i < 10; ++i) QCoreApplication::processEvents();
  }
  // From now on until `answers`.
  void holdProbes(std::atomic<bool>& answers) {
    m_probes = 0;
    m_services.probeDevices = [this, &answers] {
      ++m_probes;
      // At an end some time, so that a probe on this thread fails a test and does not hang it.
      for (int i = 0; i < 5000 && !answers; ++i) QThread::msleep(1);
      return m_devices;
    };
  }
  const std::vector<DeviceInfo>& probedNow() {
    probe();
    return m_watch->devicesNow();
  }
  const MemoryPlan& load() {
    const auto model = std::make_shared<const ModelInfo>(test::make_model(test::kLlama32_1B));
    m_load.load("/m.gguf", test::plan_for(*model, m_devices));
    m_engine.sendLoadDone(model);
    return *m_engine.loads.back().plan;
  }
  const QThread* m_gui = QThread::currentThread();
  std::atomic<int> m_probes = 0, m_probesHere = 0;
  std::vector<DeviceInfo> m_devices{test::cpu_with(16 * kGiB)};
  ModelServices m_services;
  test::FakeEnginePort m_engine;
  LoadState m_load{m_engine};
  std::unique_ptr<DeviceWatch> m_watch;
};

TEST_F(DeviceWatchTest, what_the_loaded_model_holds_is_free_for_the_next_plan) {
  const MemoryPlan& plan = load();
  m_devices[0].free_bytes = 8 * kGiB;
  EXPECT_EQ(probedNow()[0].free_bytes, 8 * kGiB + plan.planned_bytes(0));
  m_devices[0].free_bytes = 16 * kGiB;
  EXPECT_EQ(probedNow()[0].free_bytes, 16 * kGiB) << "never more than there is";
}

TEST_F(DeviceWatchTest, of_shared_memory_what_is_held_on_one_device_is_free_for_all_that_share) {
  m_devices.push_back(test::gpu_with(12 * kGiB));
  m_devices[1].has_unified_memory = true;
  m_devices.push_back(test::gpu_with(12 * kGiB));
  m_devices[2].id = "cuda:1";
  const auto model = std::make_shared<const ModelInfo>(test::make_model(test::kLlama32_1B));
  m_load.load("/m.gguf", test::plan_for(*model, m_devices, {.n_gpu_layers = 8, .devices = {{1}}}));
  m_engine.sendLoadDone(model);
  const MemoryPlan& plan = *m_engine.loads.back().plan;
  ASSERT_GT(plan.planned_bytes(1), 0U);
  for (DeviceInfo& device : m_devices) device.free_bytes = kGiB;
  const std::vector<DeviceInfo>& now = probedNow();
  for (const std::size_t shared : {0U, 1U})
    EXPECT_EQ(now[shared].free_bytes, kGiB + plan.planned_bytes(0) + plan.planned_bytes(1)) << shared;
  EXPECT_EQ(now[2].free_bytes, kGiB);
}

TEST_F(DeviceWatchTest, a_change_is_told_once_and_noise_is_not) {
  QSignalSpy changed(m_watch.get(), &DeviceWatch::freeBytesChanged);
  probe();
  EXPECT_EQ(changed.count(), 1) << "the first time";
  m_devices[0].free_bytes -= 10 * kMiB;
  probe();
  EXPECT_EQ(changed.count(), 1);
  m_devices[0].free_bytes -= 2 * kGiB;
  probe();
  EXPECT_EQ(changed.count(), 2);
  m_devices[0].driver_bytes = 10 * kMiB;
  probe();
  EXPECT_EQ(changed.count(), 3) << "what a driver takes became known";
  m_devices[0].account.confidence = MemoryConfidence::kAssumed;
  probe();
  EXPECT_EQ(changed.count(), 4) << "what others hold is not known any more";
  FormatSpeed& format = m_devices[0].speed.formats[static_cast<std::size_t>(DType::kQ4_K)];
  format.decode_bytes_per_s = 20e9;
  probe();
  EXPECT_EQ(changed.count(), 5) << "what an answer showed of a format";
  format.decode_bytes_per_s = 20.5e9;
  probe();
  EXPECT_EQ(changed.count(), 5);
  m_devices.clear();
  probe();
  EXPECT_EQ(changed.count(), 6) << "a device that is gone";
}

TEST_F(DeviceWatchTest, while_nothing_is_loaded_its_own_readings_keep_the_chart_alive) {
  QSignalSpy read(m_watch.get(), &DeviceWatch::read);
  m_devices[0].free_bytes = 4 * kGiB;
  m_devices[0].account.confidence = MemoryConfidence::kAssumed;
  probe();
  ASSERT_GE(read.count(), 1);
  const auto reading = read.last()[0].value<MemoryReading>();
  EXPECT_EQ(reading.device, QString::fromStdString(m_devices[0].id));
  EXPECT_EQ(reading.free, 4 * kGiB);
  EXPECT_EQ(reading.ours, 0U);
  EXPECT_EQ(reading.account.confidence, MemoryConfidence::kAssumed);
}

TEST_F(DeviceWatchTest, what_a_driver_holds_of_its_share_is_free_for_the_next_plan_and_ours_in_readings) {
  m_devices.push_back(test::gpu_with(8 * kGiB));
  m_devices[1].free_bytes = 4 * kGiB;
  m_devices[1].driver_bytes = 300 * kMiB;
  m_devices[1].account.driver = 200 * kMiB;
  EXPECT_EQ(probedNow()[1].free_bytes, 4 * kGiB + 200 * kMiB);
  m_devices[1].account.driver = 500 * kMiB;
  EXPECT_EQ(probedNow()[1].free_bytes, 4 * kGiB + 300 * kMiB) << "what a plan asks for, and no more";
  QSignalSpy read(m_watch.get(), &DeviceWatch::read);
  probe();
  const auto reading = read.last()[0].value<MemoryReading>();
  EXPECT_EQ(reading.free, 4 * kGiB);
  EXPECT_EQ(reading.ours, 500 * kMiB);
}

TEST_F(DeviceWatchTest, on_the_host_this_program_is_ours_in_readings_and_none_of_the_others) {
  m_devices[0].free_bytes = 8 * kGiB;
  m_devices[0].account.others = 5 * kGiB;
  QSignalSpy read(m_watch.get(), &DeviceWatch::read);
  probe();
  EXPECT_EQ(read.last()[0].value<MemoryReading>().ours, 3 * kGiB);
}

TEST_F(DeviceWatchTest, devices_that_the_loaded_model_is_not_on_are_read_beside_the_engine) {
  m_devices.push_back(test::gpu_with(8 * kGiB));
  QSignalSpy read(m_watch.get(), &DeviceWatch::read);
  MemoryReading reading;
  reading.device = QString::fromStdString(m_devices[0].id);
  emit m_engine.memoryRead(reading);
  probe();
  const QString other = QString::fromStdString(m_devices[1].id);
  ASSERT_GT(read.count(), 1);
  for (int i = 1; i < read.count(); ++i) EXPECT_EQ(read[i][0].value<MemoryReading>().device, other) << i;
}

TEST_F(DeviceWatchTest, what_the_engine_reads_is_passed_on) {
  QSignalSpy read(m_watch.get(), &DeviceWatch::read);
  MemoryReading reading;
  reading.device = "cpu";
  reading.kvTokensUsed = 77;
  emit m_engine.memoryRead(reading);
  ASSERT_EQ(read.count(), 1);
  EXPECT_EQ(read[0][0].value<MemoryReading>().kvTokensUsed, 77U);
}

TEST_F(DeviceWatchTest, nothing_is_read_while_a_load_is_half_done) {
  m_load.load("/m.gguf", test::plan_for(test::make_model(test::kLlama32_1B), m_devices));
  QSignalSpy read(m_watch.get(), &DeviceWatch::read), changed(m_watch.get(), &DeviceWatch::freeBytesChanged);
  m_probes = 0;
  m_watch->findChild<QTimer*>()->start(0);
  for (int i = 0; i < 50; ++i) QCoreApplication::processEvents();
  EXPECT_TRUE(read.isEmpty() && changed.isEmpty());
  EXPECT_EQ(m_probes, 0);
}

TEST_F(DeviceWatchTest, what_was_read_while_a_load_began_is_dropped) {
  std::atomic<bool> answers = false;
  holdProbes(answers);
  m_watch->findChild<QTimer*>()->start(0);
  ASSERT_TRUE(QTest::qWaitFor([this] { return m_probes == 1; }, 60'000));
  m_load.load("/m.gguf", test::plan_for(test::make_model(test::kLlama32_1B), m_devices));
  QSignalSpy read(m_watch.get(), &DeviceWatch::read), changed(m_watch.get(), &DeviceWatch::freeBytesChanged);
  answers = true;
  settle();
  EXPECT_TRUE(read.isEmpty() && changed.isEmpty());
}

TEST_F(DeviceWatchTest, a_window_that_comes_back_is_read_at_once) {
  m_watch->findChild<QTimer*>()->setInterval(60'000);
  m_watch->setSeen(true);
  settle();
  EXPECT_EQ(m_probes, 1) << "it was read a moment ago";
  m_watch->setSeen(false);
  QTest::qWait(1100);
  m_watch->setSeen(true);
  settle();
  EXPECT_EQ(m_probes, 2);
}

TEST_F(DeviceWatchTest, the_engine_hears_whether_somebody_looks) {
  m_watch->setSeen(true);
  EXPECT_TRUE(m_engine.isWatched);
  m_watch->setSeen(false);
  EXPECT_FALSE(m_engine.isWatched);
  m_watch->setSeen(true);
  EXPECT_TRUE(m_engine.isWatched);
  settle();
}

TEST_F(DeviceWatchTest, devices_are_probed_on_another_thread_and_only_while_the_window_is_seen) {
  EXPECT_EQ(m_probesHere, 1) << "before there is a window";
  m_watch->findChild<QTimer*>()->setInterval(1);
  QTest::qWait(50);
  EXPECT_EQ(m_probes, 1) << "nobody sees it yet";
  m_watch->setSeen(true);
  ASSERT_TRUE(QTest::qWaitFor([this] { return m_probes >= 5; }, 60'000));
  m_watch->setSeen(false);
  settle();
  const int probes = m_probes;
  QTest::qWait(50);
  EXPECT_EQ(m_probes, probes);
  EXPECT_EQ(m_probesHere, 1);
}

TEST_F(DeviceWatchTest, a_driver_that_does_not_answer_keeps_one_thread_and_nobody_waiting) {
  std::atomic<bool> answers = false;
  holdProbes(answers);
  m_watch->findChild<QTimer*>()->setInterval(1);
  m_watch->setSeen(true);
  QTest::qWait(100);
  EXPECT_EQ(m_probes, 1);
  EXPECT_EQ(m_watch->devicesNow().size(), 1U) << "as it was read before";
  m_watch->setSeen(false);
  answers = true;
  settle();
}

}  // namespace
}  // namespace headroom::ui
