#include "app/engine_bridge.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

#include "backend/registry.h"
#include "file/model_file.h"
#include "support/stopping_backend.h"

namespace headroom::app {
namespace {

const char* const kModelPath = HEADROOM_SOURCE_DIR "/tests/golden/models/llama-gqa.gguf";

std::shared_ptr<const MemoryPlan> planFor(std::uint32_t nCtx) {
  const Result<ModelFile> file = open_model_file(kModelPath);
  const Result<ModelInfo> model = read_model_info(file.value());
  const Result<std::vector<DeviceInfo>> devices = probe_devices(2);
  PlanOptions options;
  options.n_ctx = nCtx;
  return std::make_shared<const MemoryPlan>(plan_memory(model.value(), devices.value(), options).value());
}

class EngineBridgeTest : public testing::Test {
 protected:
  void load(std::uint32_t nCtx) {
    QSignalSpy loaded(&m_bridge, &ui::EnginePort::modelLoaded), failed(&m_bridge, &ui::EnginePort::failed);
    m_bridge.load(kModelPath, planFor(nCtx));
    ASSERT_TRUE(QTest::qWaitFor([&] { return loaded.count() + failed.count() > 0; }, 120'000));
    ASSERT_EQ(failed.count(), 0) << failed[0][1].value<Error>().message;
    m_loaded = loaded[0][1].value<ui::LoadedModel>();
  }
  // Random weights write nonsense: what counts is how it arrives.
  static ui::ChatRequest request(quint32 maxTokens) {
    ui::ChatRequest made;
    made.messages = {{"user", "hello"}};
    made.allowPlainTemplate = true;
    made.maxTokens = maxTokens;
    made.sampler.seed = 7;
    return made;
  }

  EngineBridge m_bridge{make_backend};
  ui::LoadedModel m_loaded;
};

TEST_F(EngineBridgeTest, a_load_tells_what_was_planned_and_mapped) {
  load(128);
  EXPECT_EQ(m_loaded.path, kModelPath);
  EXPECT_EQ(m_loaded.plan->options.n_ctx, 128U);
  ASSERT_FALSE(m_loaded.arenas.empty());
  for (const ui::ArenaFigures& arena : m_loaded.arenas) EXPECT_EQ(arena.plannedBytes, arena.mappedBytes);
}

TEST_F(EngineBridgeTest, tokens_are_counted_as_an_answer_then_reads_them) {
  EXPECT_EQ(m_bridge.count({request(1), {}}), 0U) << "no model is loaded";
  load(256);
  QSignalSpy counted(&m_bridge, &ui::EnginePort::tokensCounted),
      finished(&m_bridge, &ui::EnginePort::generationFinished);
  const quint64 id = m_bridge.count({request(1), {"hello", "hello hello"}});
  ASSERT_NE(id, 0U);
  ASSERT_TRUE(QTest::qWaitFor([&] { return counted.count() == 1; }, 120'000));
  EXPECT_EQ(counted[0][0].toULongLong(), id);
  const auto counts = counted[0][1].value<ui::TokenCounts>();
  EXPECT_EQ(counts.contextLength, 256U);
  ASSERT_EQ(counts.texts.size(), 2U);
  EXPECT_GT(counts.texts[1], counts.texts[0]);
  m_bridge.generate(request(1));
  ASSERT_TRUE(QTest::qWaitFor([&] { return finished.count() == 1; }, 120'000));
  EXPECT_EQ(finished[0][2].value<ui::ChatFigures>().promptTokens, counts.promptTokens);
  ui::ChatRequest longer = request(1);
  longer.messages[0].content.assign(100'000, 'x');
  m_bridge.count({longer, {}});
  ASSERT_TRUE(QTest::qWaitFor([&] { return counted.count() == 2; }, 120'000));
  EXPECT_GE(counted[1][1].value<ui::TokenCounts>().promptTokens, 256U);
}

TEST_F(EngineBridgeTest, an_answer_arrives_whole_and_ends_once) {
  load(256);
  QSignalSpy text(&m_bridge, &ui::EnginePort::textArrived), finished(&m_bridge, &ui::EnginePort::generationFinished);
  const quint64 id = m_bridge.generate(request(20));
  ASSERT_TRUE(finished.wait(10'000));
  EXPECT_EQ(finished[0][0].toULongLong(), id);
  const auto figures = finished[0][2].value<ui::ChatFigures>();
  EXPECT_EQ(figures.contextLength, 256U);
  EXPECT_LE(figures.generatedTokens, 20U);
  for (const auto& piece : text) EXPECT_EQ(piece[0].toULongLong(), id);
}

TEST_F(EngineBridgeTest, each_request_ends_once_also_when_a_newer_one_was_asked) {
  load(256);
  QSignalSpy finished(&m_bridge, &ui::EnginePort::generationFinished);
  const quint64 first = m_bridge.generate(request(200));
  m_bridge.stop(first);
  const quint64 second = m_bridge.generate(request(5));
  ASSERT_TRUE(QTest::qWaitFor([&] { return finished.count() == 2; }, 60'000));
  EXPECT_EQ(finished[0][0].toULongLong(), first);
  EXPECT_EQ(finished[1][0].toULongLong(), second);
}

TEST_F(EngineBridgeTest, a_load_that_a_newer_one_follows_is_told_with_its_own_path) {
  QSignalSpy loaded(&m_bridge, &ui::EnginePort::modelLoaded);
  const QString other = HEADROOM_SOURCE_DIR "/tests/golden/models/../models/llama-gqa.gguf";
  m_bridge.load(kModelPath, planFor(64));
  m_bridge.load(other, planFor(64));
  m_bridge.replan(planFor(128));
  ASSERT_TRUE(QTest::qWaitFor([&] { return loaded.count() == 3; }, 60'000));
  EXPECT_EQ(loaded[0][1].value<ui::LoadedModel>().path, kModelPath);
  EXPECT_EQ(loaded[1][1].value<ui::LoadedModel>().path, other);
  EXPECT_EQ(loaded[2][1].value<ui::LoadedModel>().path, other);
}

TEST_F(EngineBridgeTest, a_load_that_is_closed_ends_and_so_does_the_close) {
  QSignalSpy loaded(&m_bridge, &ui::EnginePort::modelLoaded), failed(&m_bridge, &ui::EnginePort::failed);
  QSignalSpy unloaded(&m_bridge, &ui::EnginePort::modelUnloaded);
  const quint64 load = m_bridge.load(kModelPath, planFor(64));
  m_bridge.stop(load);
  const quint64 close = m_bridge.unload();
  ASSERT_TRUE(QTest::qWaitFor([&] { return unloaded.count() == 1; }, 60'000));
  EXPECT_EQ(unloaded[0][0].toULongLong(), close);
  ASSERT_EQ(loaded.count() + failed.count(), 1);
  EXPECT_EQ((loaded.isEmpty() ? failed : loaded)[0][0].toULongLong(), load);
}

TEST_F(EngineBridgeTest, a_prompt_longer_than_the_context_is_told_with_both_numbers) {
  load(64);
  QSignalSpy tooLong(&m_bridge, &ui::EnginePort::promptTooLong);
  ui::ChatRequest longer = request(5);
  longer.messages[0].content = std::string(500, 'x');
  m_bridge.generate(longer);
  ASSERT_TRUE(tooLong.wait(10'000));
  EXPECT_GT(tooLong[0][1].toUInt(), 64U);
  EXPECT_EQ(tooLong[0][2].toUInt(), 64U);
  EXPECT_FALSE(tooLong[0][3].toBool()) << "counted to its end";
  longer.messages[0].content = std::string(100'000, 'x');
  m_bridge.generate(longer);
  ASSERT_TRUE(tooLong.wait(10'000));
  EXPECT_TRUE(tooLong[1][3].toBool()) << "more text than the context has tokens for is not read";
}

TEST_F(EngineBridgeTest, a_file_that_is_not_there_is_an_error_that_names_it) {
  QSignalSpy failed(&m_bridge, &ui::EnginePort::failed);
  m_bridge.load("/nowhere/model.gguf", planFor(64));
  ASSERT_TRUE(failed.wait(10'000));
  EXPECT_NE(failed[0][1].value<Error>().message.text().find("/nowhere/model.gguf"), std::string::npos);
}

TEST_F(EngineBridgeTest, memory_is_read_while_a_model_is_loaded) {
  load(128);
  QSignalSpy readings(&m_bridge, &ui::EnginePort::memoryRead);
  ASSERT_TRUE(readings.wait(5'000));
  const auto reading = readings[0][0].value<ui::MemoryReading>();
  EXPECT_EQ(reading.device, "cpu");
  EXPECT_GT(reading.total, 0U);
  EXPECT_EQ(reading.grown.n_arenas, 0U);
}

// A device of which its driver has pushed a part out.
class SpillingBackend final : public test::StoppingBackend {
 public:
  using StoppingBackend::StoppingBackend;
  Result<MemorySample> sample_memory() override {
    MemorySample sample{16 * kGiB, 4 * kGiB, kGiB};
    sample.account = {2 * kGiB, 5 * kMiB, 3 * kMiB, MemoryConfidence::kEstimated, Message::plain("so")};
    return sample;
  }
};

TEST(EngineBridgeAccount, who_holds_a_device_arrives_with_its_reading) {
  test::StopBehind never;
  EngineBridge bridge([&](const DeviceInfo& device) -> Result<std::unique_ptr<Backend>> {
    Result<std::unique_ptr<Backend>> inner = make_backend(device);
    if (!inner) return inner;
    return std::unique_ptr<Backend>(std::make_unique<SpillingBackend>(std::move(*inner), never));
  });
  QSignalSpy readings(&bridge, &ui::EnginePort::memoryRead);
  bridge.load(kModelPath, planFor(64));
  ASSERT_TRUE(readings.wait(60'000));
  const MemoryAccount account = readings[0][0].value<ui::MemoryReading>().account;
  EXPECT_EQ(account.others, 2 * kGiB);
  EXPECT_EQ(account.driver, 5 * kMiB);
  EXPECT_EQ(account.spilled, 3 * kMiB);
  EXPECT_EQ(account.confidence, MemoryConfidence::kEstimated);
  EXPECT_EQ(account.doubt, "so");
}

TEST_F(EngineBridgeTest, it_ends_while_an_answer_is_written) {
  auto bridge = std::make_unique<EngineBridge>(make_backend);
  QSignalSpy loaded(bridge.get(), &ui::EnginePort::modelLoaded);
  bridge->load(kModelPath, planFor(2048));
  ASSERT_TRUE(loaded.wait(10'000));
  bridge->generate(request(0));
  bridge.reset();
  QCoreApplication::processEvents();
}

}  // namespace
}  // namespace headroom::app
