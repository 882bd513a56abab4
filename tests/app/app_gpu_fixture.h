// The whole program with a model that is split over the CPU and a GPU. Where CUDA's kernels are compiled, one of the
// GPUs is the card of tests/support/cuda, and NVML is that of the same folder.
#pragma once

#include <QTableView>
#include <algorithm>

#include "plan/choose_devices.h"
#include "tests/app/app_fixture.h"
#include "ui/chart/legend_model.h"
#ifdef HEADROOM_FAKE_CUDA
#include "backend/cuda/cuda_driver.h"
#include "backend/gpu_memory/nvml.h"
#include "backend/registry.h"
#include "support/cuda/fake_cuda_handle.h"
#endif

namespace headroom::app {

#ifdef HEADROOM_FAKE_CUDA
// Before anything opens them.
[[maybe_unused]] inline const bool areLibrariesNamed = qputenv(cuda::kDriverVariable, HEADROOM_FAKE_CUDA) &&
                                                       qputenv(kNvmlVariable, HEADROOM_FAKE_CUDA) &&
                                                       qputenv(test::kFakeCudaDevices, "sm_90:2GiB@65");
#endif

class AppGpuWindow : public AppWindowTest {
 protected:
  virtual QString gpu() const = 0;
  bool knowsCpuSpeed() const override { return false; }  // all devices are measured one after the other

  bool isChosen() {
    const auto* row = m_app->window().findChild<QWidget*>("device0");
    return row != nullptr && row->findChild<QComboBox*>("devicePicker")->currentData() == gpu();
  }
  bool isMeasured() {
    return std::ranges::all_of(m_app->models().calculator().devices().present(), [](const DeviceInfo& device) {
      return !is_used_unasked(device) || device.speed.read_bytes_per_s > 0;
    });
  }
  QPushButton* loadButton() { return find<QPushButton>("loadButton"); }
  void choose(QComboBox* combo, int index) {
    combo->setCurrentIndex(index);
    emit combo->activated(index);
  }
  // Until the engine has what `press` asks for; every arena is as large as planned, and these devices have some.
  void loadBy(QPushButton* press, const QStringList& expected) {
    ASSERT_TRUE(waitFor([&] { return press->isEnabled(); })) << find<QLabel>("loadText")->text().toStdString();
    QSignalSpy loaded(&m_app->engine(), &ui::EnginePort::modelLoaded);
    press->click();
    ASSERT_TRUE(waitFor([&] { return loaded.count() == 1; })) << find<QLabel>("messageText")->text().toStdString();
    QStringList devices;
    for (const ui::ArenaFigures& arena : loaded[0][1].value<ui::LoadedModel>().arenas) {
      EXPECT_EQ(arena.plannedBytes, arena.mappedBytes) << arena.device.toStdString();
      if (arena.mappedBytes > 0 && !devices.contains(arena.device)) devices << arena.device;
    }
    devices.sort();
    EXPECT_EQ(devices, expected) << devices.join(' ').toStdString();
  }
  void loadBy(QPushButton* press) { loadBy(press, {"cpu", gpu()}); }
  // Of the device that the chart shows.
  QVariant legend(ui::Segment segment, int column, int role) {
    return find<QTableView>("legend")->model()->index(static_cast<int>(ui::segmentIndex(segment)), column).data(role);
  }
  void ask(const QString& text) {
    type(text);
    ASSERT_TRUE(answered());
  }
  QString lastText() { return tree().find(tree().path().last())->text; }

  // The dropped model with half of its layers on the GPU, and short answers.
  void openSplit() {
    drop(m_app->window(), kDropped);
    ASSERT_TRUE(waitFor([&] { return find<QLabel>("modelName")->text().contains("qwen3", Qt::CaseInsensitive); }));
    find<QSpinBox>("contextSpin")->setValue(320);
    find<QSpinBox>("maxTokens")->setValue(32);
    auto* layers = find<QSlider>("layersSlider");
    ASSERT_GE(layers->maximum(), 2);
    layers->setValue(layers->maximum() / 2);
    EXPECT_TRUE(waitFor([&] {
      return find<QLabel>("layersSpeed")->text().contains(QString("%1 of").arg(layers->value()));
    })) << find<QLabel>("layersSpeed")->text().toStdString();
  }
};

}  // namespace headroom::app
