#include "ui/model/model_controller.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>
#include <map>
#include <memory>

#include "support/fake_engine_port.h"
#include "support/model_specs.h"
#include "ui/background/background.h"

namespace headroom::ui {
namespace {

const QString kSmallFile = QStringLiteral("/models/small.gguf"), kLargeFile = QStringLiteral("/models/large.gguf"),
              kStarter = QStringLiteral("/models/starter.gguf"), kGone = QStringLiteral("/models/gone.gguf");

class ModelControllerTest : public testing::Test {
 protected:
  void SetUp() override {
    m_models[kSmallFile] = m_models[kStarter] = test::make_model(test::kLlama32_1B);
    m_models[kLargeFile] = test::make_model(test::kLlama3_8B);
    start({});
  }
  void TearDown() override {
    m_controller.reset();
    readingThreads().waitForDone();  // they read m_models
  }
  void start(const ModelMemory& memory) {
    m_controller.reset();
    Settings kept;
    kept.models = memory;
    m_settings = std::make_unique<SettingsModel>(kept);
    m_engine.loads.clear();
    ModelServices services;
    services.engine = &m_engine;
    services.inspectModel = [this](const QString& path) -> Result<ModelInfo> {
      const auto at = m_models.find(path);
      if (at == m_models.end())
        return Error{ErrorCode::kBadFile, Message::plain(path.toStdString() + ": there is no such file.")};
      return at->second;
    };
    services.probeDevices = [devices = m_devices] { return devices; };
    services.starterModelPath = m_starter;
    m_controller = std::make_unique<ModelController>(std::move(services), *m_settings);
    QObject::connect(m_controller.get(), &ModelController::told, m_controller.get(),
                     [this](Tone, const Sentence& sentence, const Sentence&) { m_told << sentence.text(); });
    m_told.clear();
  }
  // As the next start finds it.
  void startAgain() {
    const ModelMemory kept = m_controller->memory();
    start(kept);
  }
  static bool waitFor(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 60'000); }
  void open(const QString& path, AfterOpen then = AfterOpen::ShowPlan) {
    QSignalSpy opened(m_controller.get(), &ModelController::opened);
    m_controller->open(path, then);
    ASSERT_TRUE(waitFor([&] { return opened.count() == 1; }));
  }
  bool loadBegins(const QString& path) {
    return waitFor([&] { return !m_engine.loads.empty() && m_engine.loads.back().path == path; });
  }
  void finishLoad(const QString& path) {
    ASSERT_TRUE(loadBegins(path));
    m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[path]));
  }
  CalculatorState& calculator() { return m_controller->calculator(); }

  std::map<QString, ModelInfo> m_models;
  std::vector<DeviceInfo> m_devices{make_cpu_device("CPU", 32 * kGiB, 24 * kGiB, 8)};
  QString m_starter = kStarter;
  test::FakeEnginePort m_engine;
  QStringList m_told;
  std::unique_ptr<SettingsModel> m_settings;
  std::unique_ptr<ModelController> m_controller;
};

TEST_F(ModelControllerTest, the_first_start_loads_the_starter_and_remembers_no_model) {
  m_controller->openLast();
  finishLoad(kStarter);
  EXPECT_TRUE(m_controller->isStarter());
  EXPECT_EQ(m_controller->memory(), ModelMemory());
}

TEST_F(ModelControllerTest, what_was_loaded_comes_back_with_its_options) {
  open(kSmallFile);
  calculator().setContext(12'345);
  calculator().setKeyType(DType::kQ8_0);
  m_controller->startLoad();
  finishLoad(kSmallFile);
  startAgain();
  m_controller->openLast();
  ASSERT_TRUE(loadBegins(kSmallFile));
  EXPECT_EQ(m_engine.loads[0].plan->options.n_ctx, 12'345U);
  EXPECT_EQ(m_engine.loads[0].plan->options.kv_k, DType::kQ8_0);
  EXPECT_TRUE(m_told.isEmpty()) << "no question where it fits: " << m_told.join(' ').toStdString();
}

TEST_F(ModelControllerTest, who_does_not_want_the_last_model_begins_with_the_starter) {
  open(kSmallFile);
  m_controller->startLoad();
  finishLoad(kSmallFile);
  startAgain();
  m_settings->setGeneral({.loadsLast = false});
  m_controller->openLast();
  EXPECT_TRUE(loadBegins(kStarter));
}

TEST_F(ModelControllerTest, options_are_those_of_each_model_and_one_call_makes_them_reset_again) {
  open(kSmallFile);
  const PlanOptions ours = calculator().options();
  EXPECT_TRUE(calculator().hasDefaults());
  calculator().setContext(9000);
  EXPECT_FALSE(calculator().hasDefaults());
  open(kLargeFile);
  EXPECT_TRUE(calculator().hasDefaults());
  EXPECT_NE(calculator().options().n_ctx, 9000U);
  open(kSmallFile);
  EXPECT_EQ(calculator().options().n_ctx, 9000U);
  calculator().resetToDefaults();
  EXPECT_EQ(calculator().options(), ours);
  EXPECT_TRUE(m_controller->memory().planned.empty());
  open(kSmallFile);
  EXPECT_EQ(calculator().options(), ours);
}

TEST_F(ModelControllerTest, a_model_that_nobody_changed_is_planned_anew_for_the_memory_that_there_is) {
  open(kSmallFile);
  ASSERT_TRUE(calculator().plan());
  EXPECT_EQ(calculator().options().kv_k, DType::kF16);
  const MemoryPlan& plan = *calculator().plan();
  // Room for a quarter less than the F16 cache, beside the eighth that is kept free of a small device.
  const Bytes room = (plan.planned_bytes(0) - plan.bytes_of(RegionGroup::kKv) / 4) * 8 / 7;
  m_devices = {make_cpu_device("CPU", room, room, 8)};
  startAgain();
  open(kSmallFile);
  EXPECT_EQ(calculator().options().kv_k, DType::kQ8_0);
  EXPECT_TRUE(m_controller->memory().planned.empty()) << "our own choice";
}

TEST_F(ModelControllerTest, what_does_not_fit_now_is_open_and_said_and_nothing_is_loaded) {
  open(kLargeFile, AfterOpen::Load);
  finishLoad(kLargeFile);
  m_devices = {make_cpu_device("CPU", 4 * kGiB, 3 * kGiB, 8)};
  startAgain();
  QSignalSpy plan(m_controller.get(), &ModelController::planWanted);
  m_controller->openLast();
  ASSERT_TRUE(waitFor([&] { return plan.count() == 1; }));
  EXPECT_TRUE(m_engine.loads.empty());
  ASSERT_EQ(m_told.size(), 1);
  EXPECT_TRUE(m_told[0].contains(QStringLiteral("cannot be loaded as it was"))) << m_told[0].toStdString();
  EXPECT_EQ(m_controller->path(), kLargeFile);
  EXPECT_EQ(m_controller->memory().loadedPath, kLargeFile) << "the next start tries again";
}

TEST_F(ModelControllerTest, a_file_that_is_gone_is_named_the_starter_takes_its_place_and_the_next_start_looks_again) {
  ModelMemory memory;
  memory.loadedPath = kGone;
  start(memory);
  m_controller->openLast();
  finishLoad(kStarter);
  ASSERT_EQ(m_told.size(), 1);
  EXPECT_TRUE(m_told[0].startsWith(QStringLiteral("gone.gguf was loaded"))) << m_told[0].toStdString();
  EXPECT_EQ(m_controller->memory().loadedPath, kGone);
  open(kSmallFile, AfterOpen::Load);
  finishLoad(kSmallFile);
  EXPECT_EQ(m_controller->memory().loadedPath, kSmallFile);
}

TEST_F(ModelControllerTest, without_a_starter_a_file_that_is_gone_leaves_nothing_open) {
  m_starter.clear();
  ModelMemory memory;
  memory.loadedPath = kGone;
  start(memory);
  m_controller->openLast();
  ASSERT_TRUE(waitFor([&] { return m_told.size() == 1; }));
  EXPECT_TRUE(m_controller->path().isEmpty());
}

TEST_F(ModelControllerTest, a_load_that_ended_the_program_is_not_begun_by_itself_again) {
  open(kSmallFile, AfterOpen::Load);
  ASSERT_TRUE(loadBegins(kSmallFile));
  EXPECT_TRUE(m_controller->memory().isLoading) << "known before the load can end the program";
  startAgain();
  m_controller->openLast();
  ASSERT_TRUE(waitFor([&] { return m_told.size() == 1; }));
  EXPECT_TRUE(m_told[0].contains(QStringLiteral("ended while it was loading"))) << m_told[0].toStdString();
  EXPECT_TRUE(m_engine.loads.empty());
  m_controller->startLoad();
  finishLoad(kSmallFile);
  EXPECT_FALSE(m_controller->memory().isLoading);
  startAgain();
  m_controller->openLast();
  EXPECT_TRUE(loadBegins(kSmallFile)) << "it went well since";
}

TEST_F(ModelControllerTest, who_closes_a_model_is_not_given_it_again) {
  open(kSmallFile, AfterOpen::Load);
  finishLoad(kSmallFile);
  m_controller->close();
  EXPECT_TRUE(m_controller->memory().loadedPath.isEmpty());
  EXPECT_EQ(m_engine.unloads, 1);
  EXPECT_EQ(m_controller->memory().recentFiles, QStringList{kSmallFile});
}

TEST_F(ModelControllerTest, a_load_that_fails_beside_a_loaded_model_leaves_that_one_to_come_back) {
  open(kSmallFile, AfterOpen::Load);
  finishLoad(kSmallFile);
  open(kLargeFile, AfterOpen::Load);
  ASSERT_TRUE(loadBegins(kLargeFile));
  emit m_engine.failed(m_engine.loads.back().id,
                       {ErrorCode::kDoesNotFit, Message::plain("cpu: asked 9 GiB, free 1 GiB")});
  EXPECT_EQ(m_controller->memory().loadedPath, kSmallFile);
  EXPECT_FALSE(m_controller->memory().isLoading);
  EXPECT_EQ(m_told, QStringList{QStringLiteral("cpu: asked 9 GiB, free 1 GiB")});
}

TEST_F(ModelControllerTest, a_model_that_is_loaded_already_is_not_loaded_again_unless_its_device_was_lost) {
  open(kSmallFile);
  m_controller->startLoad();
  finishLoad(kSmallFile);
  const auto asked = [this] { return m_engine.loads.size() + m_engine.replans.size(); };
  const std::size_t before = asked();
  QSignalSpy status(m_controller.get(), &ModelController::statusTold);
  const auto isToldLoaded = [&] {
    return !status.isEmpty() && status.last()[0].toString().endsWith("is loaded already.");
  };
  open(kSmallFile, AfterOpen::Load);
  EXPECT_TRUE(waitFor(isToldLoaded));
  EXPECT_EQ(asked(), before);
  EXPECT_EQ(m_controller->memory().loadedPath, kSmallFile);
  EXPECT_FALSE(m_controller->memory().isLoading);
  // With other options it is.
  calculator().setContext(512);
  m_controller->startLoad();
  EXPECT_EQ(asked(), before + 1);
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kSmallFile]));
  m_controller->startLoad();
  EXPECT_EQ(asked(), before + 1);
  emit m_engine.failed(1000, Error{ErrorCode::kDeviceLost, Message::plain("cpu: it is gone")});
  m_controller->startLoad();
  EXPECT_EQ(asked(), before + 2);
}

TEST_F(ModelControllerTest, devices_that_a_model_was_given_are_its_own_and_the_choice_for_new_ones) {
  DeviceInfo gpu = test::gpu_with(24 * kGiB);
  gpu.id = gpu.name = "cuda:0";
  gpu.speed.read_bytes_per_s = 400e9;
  m_devices[0].speed.read_bytes_per_s = 50e9;
  m_devices.push_back(gpu);
  start({});
  open(kLargeFile);
  ASSERT_EQ(calculator().devices().gpuCount(), 1U);
  calculator().removeDevice(0);
  ASSERT_EQ(m_controller->memory().planned.size(), 1U);
  EXPECT_EQ(m_controller->memory().planned[0].devices.size(), 1U) << "the host alone";
  open(kSmallFile);
  EXPECT_EQ(calculator().devices().gpuCount(), 0U) << "as it was chosen last";
  calculator().resetToDefaults();
  EXPECT_EQ(calculator().devices().gpuCount(), 1U);
  EXPECT_TRUE(m_controller->memory().devices.empty());
  open(kLargeFile);
  EXPECT_EQ(calculator().devices().gpuCount(), 0U) << "this model's own";
}

}  // namespace
}  // namespace headroom::ui
