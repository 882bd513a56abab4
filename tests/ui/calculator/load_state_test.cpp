#include "ui/calculator/load_state.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "support/fake_engine_port.h"
#include "support/model_specs.h"

namespace headroom::ui {
namespace {

class LoadStateTest : public testing::Test {
 protected:
  std::shared_ptr<const MemoryPlan> planWith(std::uint32_t nCtx) {
    PlanOptions options;
    options.n_ctx = nCtx;
    auto plan = plan_memory(*m_model, m_devices, options);
    return plan.ok() ? std::make_shared<const MemoryPlan>(std::move(plan).value()) : nullptr;
  }

  std::shared_ptr<const ModelInfo> m_model = std::make_shared<const ModelInfo>(test::make_model(test::kTinyLlama));
  std::vector<DeviceInfo> m_devices{test::cpu_with(16 * kGiB)};
  test::FakeEnginePort m_engine;
  LoadState m_load{m_engine};
};

TEST_F(LoadStateTest, the_request_carries_the_very_plan) {
  const auto plan = planWith(1024);
  m_load.load(QStringLiteral("a.gguf"), plan);
  ASSERT_EQ(m_engine.loads.size(), 1U);
  EXPECT_EQ(m_engine.loads[0].plan.get(), plan.get());
  EXPECT_EQ(m_load.phase(), LoadPhase::Loading);
}

TEST_F(LoadStateTest, progress_of_an_old_request_is_not_shown) {
  m_load.load(QStringLiteral("a.gguf"), planWith(1024));
  const quint64 request = m_engine.loads[0].id;
  emit m_engine.loadProgressed(request + 7, 99, 100);
  EXPECT_EQ(m_load.bytesDone(), 0U);
  emit m_engine.loadProgressed(request, 12, 100);
  EXPECT_EQ(m_load.bytesDone(), 12U);
}

TEST_F(LoadStateTest, a_new_context_keeps_the_weights_and_a_new_file_does_not) {
  m_load.load(QStringLiteral("a.gguf"), planWith(1024));
  m_engine.sendLoadDone(m_model);
  m_load.load(QStringLiteral("a.gguf"), planWith(2048));
  EXPECT_EQ(m_engine.replans.size(), 1U);
  m_engine.sendLoadDone(m_model);
  m_load.load(QStringLiteral("b.gguf"), planWith(2048));
  EXPECT_EQ(m_engine.replans.size(), 1U);
  EXPECT_EQ(m_engine.loads.back().path, QStringLiteral("b.gguf"));
}

TEST_F(LoadStateTest, a_file_that_was_replaced_since_is_read_again) {
  const QDateTime then = QDateTime::fromMSecsSinceEpoch(1'000'000);
  const auto plan = planWith(1024);
  m_load.setOpened(QStringLiteral("a.gguf"), then);
  m_load.load(QStringLiteral("a.gguf"), plan);
  m_engine.sendLoadDone(m_model);
  m_load.setOpened(QStringLiteral("a.gguf"), then);
  EXPECT_EQ(m_load.needs(QStringLiteral("a.gguf"), *plan), ReloadNeed::kNothing);
  m_load.setOpened(QStringLiteral("a.gguf"), then.addSecs(1));
  EXPECT_EQ(m_load.needs(QStringLiteral("a.gguf"), *plan), ReloadNeed::kModel);
  m_load.load(QStringLiteral("a.gguf"), plan);
  emit m_engine.failed(m_engine.loads.back().id, Error{ErrorCode::kDoesNotFit, Message::plain("no room")});
  EXPECT_TRUE(m_load.isReplaced(QStringLiteral("a.gguf"))) << "the old weights are still there";
  EXPECT_EQ(m_load.needs(QStringLiteral("a.gguf"), *plan), ReloadNeed::kModel);
  m_load.load(QStringLiteral("a.gguf"), plan);
  EXPECT_EQ(m_engine.loads.size(), 3U);
  m_engine.sendLoadDone(m_model);
  EXPECT_EQ(m_load.needs(QStringLiteral("a.gguf"), *plan), ReloadNeed::kNothing);
}

// As the engine does, which asks the same function.
TEST_F(LoadStateTest, another_batch_and_streaming_keep_the_weights_and_other_layers_do_not) {
  m_devices.push_back(test::gpu_with(16 * kGiB));
  const auto planOf = [&](std::int32_t nGpuLayers, std::uint32_t nBatch, std::int32_t streamRows) {
    const PlanOptions options{
        .n_ctx = 1024, .n_batch = nBatch, .n_gpu_layers = nGpuLayers, .stream_rows = streamRows, .devices = {{1}}};
    return std::make_shared<const MemoryPlan>(*plan_memory(*m_model, m_devices, options));
  };
  m_load.load(QStringLiteral("a.gguf"), planOf(10, 256, 0));
  m_engine.sendLoadDone(m_model);
  EXPECT_EQ(m_load.needs(QStringLiteral("a.gguf"), *planOf(10, 256, 0)), ReloadNeed::kNothing);
  EXPECT_EQ(m_load.needs(QStringLiteral("b.gguf"), *planOf(10, 256, 0)), ReloadNeed::kModel);
  std::size_t nReplans = 0;
  for (const auto& plan : {planOf(10, 64, 0), planOf(10, 64, 32), planOf(10, 512, 16), planOf(10, 512, 0)}) {
    EXPECT_EQ(m_load.needs(QStringLiteral("a.gguf"), *plan), ReloadNeed::kSession);
    m_load.load(QStringLiteral("a.gguf"), plan);
    EXPECT_EQ(m_engine.replans.size(), ++nReplans);
    m_engine.sendLoadDone(m_model);
  }
  EXPECT_EQ(m_engine.loads.size(), 1U);
  m_load.load(QStringLiteral("a.gguf"), planOf(11, 512, 0));
  EXPECT_EQ(m_engine.loads.size(), 2U);
}

TEST_F(LoadStateTest, cancelling_asks_once_and_is_no_failure) {
  QSignalSpy failed(&m_load, &LoadState::loadFailed), cancelled(&m_load, &LoadState::loadCancelled);
  m_load.load(QStringLiteral("a.gguf"), planWith(1024));
  m_load.cancel();
  m_load.cancel();
  EXPECT_EQ(m_engine.stops, std::vector<quint64>{m_engine.loads[0].id});
  emit m_engine.failed(m_engine.loads[0].id, {ErrorCode::kCancelled, Message::plain("stopped")});
  EXPECT_EQ(failed.count(), 0);
  EXPECT_EQ(cancelled.count(), 1);
  EXPECT_EQ(m_load.phase(), LoadPhase::Nothing);
}

TEST_F(LoadStateTest, a_failed_load_leaves_what_was_loaded_before) {
  m_load.load(QStringLiteral("a.gguf"), planWith(1024));
  m_engine.sendLoadDone(m_model);
  QSignalSpy failed(&m_load, &LoadState::loadFailed);
  m_load.load(QStringLiteral("b.gguf"), planWith(1024));
  emit m_engine.failed(m_engine.loads.back().id, {ErrorCode::kResource, Message::plain("no")});
  EXPECT_EQ(failed.count(), 1);
  ASSERT_EQ(m_load.phase(), LoadPhase::Loaded);
  EXPECT_EQ(m_load.loaded()->path, QStringLiteral("a.gguf"));
}

TEST_F(LoadStateTest, closing_while_a_model_is_loaded_ends_with_nothing) {
  QSignalSpy released(&m_load, &LoadState::released), failed(&m_load, &LoadState::loadFailed);
  m_load.load(QStringLiteral("a.gguf"), planWith(1024));
  const quint64 load = m_engine.lastId;
  m_load.unload();
  EXPECT_EQ(m_engine.stops, std::vector<quint64>{load});
  EXPECT_EQ(m_load.phase(), LoadPhase::Nothing) << "nothing arrives any more, and the chart shows nothing of it";
  EXPECT_FALSE(m_load.isSettled());
  emit m_engine.failed(load, {ErrorCode::kCancelled, Message::plain("stopped")});
  emit m_engine.modelUnloaded(m_engine.lastId);
  EXPECT_TRUE(m_load.isSettled());
  EXPECT_EQ(released.count(), 1);
  EXPECT_EQ(failed.count(), 0);
}

TEST_F(LoadStateTest, a_second_load_gives_the_first_up_and_what_the_first_still_loaded_is_shown_after_a_cancel) {
  m_load.load(QStringLiteral("a.gguf"), planWith(1024));
  const quint64 first = m_engine.lastId;
  m_load.load(QStringLiteral("b.gguf"), planWith(1024));
  const quint64 second = m_engine.lastId;
  EXPECT_EQ(m_engine.stops, std::vector<quint64>{first});
  m_load.cancel();
  m_engine.sendLoaded("a", 1024, {}, first);
  emit m_engine.failed(second, {ErrorCode::kCancelled, Message::plain("stopped")});
  ASSERT_EQ(m_load.phase(), LoadPhase::Loaded);
  EXPECT_EQ(m_load.loaded()->path, QStringLiteral("/models/a.gguf"));
}

TEST_F(LoadStateTest, weights_that_may_be_gone_when_the_plan_s_turn_comes_are_read_again) {
  m_load.load(QStringLiteral("a.gguf"), planWith(1024));
  m_engine.sendLoadDone(m_model);
  m_load.unload();
  m_load.load(QStringLiteral("a.gguf"), planWith(2048));
  EXPECT_TRUE(m_engine.replans.empty());
  EXPECT_EQ(m_engine.loads.size(), 2U);
}

TEST_F(LoadStateTest, held_bytes_are_summed_per_device) {
  EXPECT_EQ(m_load.heldOn("cpu"), 0U);
  const auto plan = planWith(1024);
  m_load.load(QStringLiteral("a.gguf"), plan);
  m_engine.sendLoadDone(m_model);
  EXPECT_EQ(m_load.heldOn("cpu"), plan->planned_bytes(0));
  EXPECT_EQ(m_load.heldOn("cuda:0"), 0U);
}

TEST_F(LoadStateTest, what_the_model_holds_of_the_heap_is_held_on_the_host) {
  auto plan = std::make_shared<MemoryPlan>(*planWith(1024));
  plan->budgets.front().heap = 20 * kMiB;
  m_load.load(QStringLiteral("a.gguf"), plan);
  m_engine.sendLoadDone(m_model);
  EXPECT_EQ(m_load.heldOn("cpu"), plan->planned_bytes(0) + 20 * kMiB);
}

}  // namespace
}  // namespace headroom::ui
