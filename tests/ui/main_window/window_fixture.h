// The whole window over a fake engine, with models that are values.
#pragma once

#include <gtest/gtest.h>

#include <QApplication>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QMimeData>
#include <QTest>
#include <QUrl>
#include <functional>
#include <map>
#include <memory>

#include "support/fake_engine_port.h"
#include "support/model_specs.h"
#include "ui/background/background.h"
#include "ui/main_window/main_window.h"
#include "ui/theme/theme.h"

namespace headroom::ui {

inline const QString kSmall = QStringLiteral("/models/llama-3.2-1b.gguf");
inline const QString kLarge = QStringLiteral("/models/llama-3-8b.gguf");

class WindowFixture : public testing::Test {
 protected:
  void SetUp() override {
    m_models[kSmall] = test::make_model(test::kLlama32_1B);
    m_models[kLarge] = test::make_model(test::kLlama3_8B);
    makeWindow({});
  }
  void TearDown() override {
    m_window.reset();
    m_controller.reset();
    readingThreads().waitForDone();  // they read m_models
  }

  void makeWindow(const WindowSettings& settings, const ModelMemory& memory = {}) {
    m_window.reset();
    m_controller.reset();
    Settings kept;
    kept.window = settings;
    kept.models = memory;
    m_settings = std::make_unique<SettingsModel>(kept);
    ModelServices services;
    services.engine = &m_engine;
    services.inspectModel = [this](const QString& path) -> Result<ModelInfo> {
      if (const auto refusal = m_refusals.find(path); refusal != m_refusals.end()) return refusal->second;
      const auto at = m_models.find(path);
      if (at == m_models.end())
        return Error{
            ErrorCode::kBadFile,
            Message::plain(path.toStdString() + ": not a GGUF file: expected the magic \"GGUF\", found \"hello\"")};
      return at->second;
    };
    std::vector<DeviceInfo> devices{hostDevice()};
    devices.insert(devices.end(), m_gpus.begin(), m_gpus.end());
    services.probeDevices = [devices] { return devices; };
    services.addLearned = m_learned;
    services.catalogue = m_catalogue;
    services.starterModelPath = m_starter;
    m_controller = std::make_unique<ModelController>(std::move(services), *m_settings);
    m_window = std::make_unique<MainWindow>(*m_controller, *m_settings, m_theme);
    QObject::connect(m_settings.get(), &SettingsModel::appearanceChanged, m_window.get(),
                     [this] { m_theme.setAppearance(m_settings->appearance()); });
    m_window->show();
  }

  DeviceInfo hostDevice() const {
    DeviceInfo host = make_cpu_device("AMD Ryzen 7 7840U", 16 * kGiB, m_freeBytes, 8);
    host.speed.read_bytes_per_s = 50e9;
    return host;
  }

  static DeviceInfo presentGpu(const char* id, Bytes bytes) {
    DeviceInfo gpu = test::gpu_with(bytes);
    gpu.id = gpu.name = id;
    gpu.speed.read_bytes_per_s = 400e9;
    return gpu;
  }

  static DeviceInfo catalogueGpu(const char* name, Bytes bytes) {
    DeviceInfo gpu = test::gpu_with(bytes);
    gpu.id = gpu.name = name;
    gpu.is_present = gpu.driver_measured = false;
    return gpu;
  }

  static bool waitFor(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 60'000); }

  void drop(const QString& path) {
    QMimeData mime;
    mime.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(200, 10), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &enter);
    ASSERT_TRUE(enter.isAccepted());
    QDropEvent event(QPointF(200, 10), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &event);
  }

  template <class W>
  W* find(const char* name) const {
    W* widget = m_window->findChild<W*>(QLatin1String(name));
    EXPECT_NE(widget, nullptr) << name;
    return widget;
  }

  void dropAndWait(const QString& path);

  // In the row of a device, "device0" or "hostRow".
  template <class W>
  W* inRow(const char* row, const char* name) const {
    auto* at = find<QWidget>(row);
    return at == nullptr ? nullptr : at->findChild<W*>(QLatin1String(name));
  }

  MemoryReading readingWith(const MemoryPlan& plan, quint32 tokens, qint64 timeMs) const {
    MemoryReading reading;
    reading.timeMs = timeMs;
    reading.device = QStringLiteral("cpu");
    reading.total = 16 * kGiB;
    reading.ours = plan.planned_bytes(0) + 180 * kMiB;
    reading.free = m_freeBytes - reading.ours;
    reading.kvTokensUsed = tokens;
    return reading;
  }

  Bytes m_freeBytes = 11 * kGiB;
  std::map<QString, ModelInfo> m_models;
  std::map<QString, Error> m_refusals;  // what is told of files that are refused
  AddLearned m_learned;                 // as ModelServices
  std::vector<DeviceInfo> m_gpus;       // of this machine, beside its host
  std::vector<DeviceInfo> m_catalogue{catalogueGpu("RTX 4090", 24 * kGiB), catalogueGpu("RTX 3060 12GB", 12 * kGiB),
                                      catalogueGpu("GTX 1650", 4 * kGiB)};
  test::FakeEnginePort m_engine;
  Theme m_theme{ThemeChoice::Light};
  QString m_starter;  // the path of the starter model; empty: there is none
  std::unique_ptr<SettingsModel> m_settings;
  std::unique_ptr<ModelController> m_controller;
  std::unique_ptr<MainWindow> m_window;
};

}  // namespace headroom::ui
