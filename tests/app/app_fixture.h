// The real window over the real engine, driven as a user would, without a display.
#pragma once

#include <gtest/gtest.h>

#include <QAction>
#include <QActionGroup>
#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QDropEvent>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "app/application.h"
#include "app/engine_bridge.h"
#include "tests/app/measured_cpu.h"
#include "ui/chat/chat_widget.h"
#include "ui/library/model_library.h"
#include "ui/main_window/main_window.h"
#include "ui/message/message_bar.h"
#include "ui/model/model_controller.h"

namespace headroom::app {

inline const QString kGoldenModel = QStringLiteral(HEADROOM_SOURCE_DIR "/tests/golden/models/llama-gqa.gguf");
inline const QString kDropped = QStringLiteral(HEADROOM_SOURCE_DIR "/tests/golden/models/qwen3.gguf");

class AppWindowTest : public testing::Test {
 protected:
  ~AppWindowTest() override {
    m_app.reset();
    handOnMeasuredCpu(m_data.path(), findPaths().dataFolder);
  }
  void SetUp() override { start(); }
  // The model that the program starts with.
  virtual QString starter() const { return kGoldenModel; }
  // That checks GPUs; none: nobody does.
  virtual std::string program() const { return {}; }
  // Whether an earlier start has measured the CPU.
  virtual bool knowsCpuSpeed() const { return true; }
  void start() {
    ApplicationPaths paths = findPaths();
    paths.dataFolder = m_data.path();
    paths.starterModel = starter();
    paths.program = program();
    if (knowsCpuSpeed()) handOnMeasuredCpu(findPaths().dataFolder, m_data.path());
    m_app = std::make_unique<Application>(paths);
    QSignalSpy loaded(&m_app->engine(), &ui::EnginePort::modelLoaded);
    m_app->start({});
    ASSERT_TRUE(loaded.wait(120'000));
    if (starter() == kGoldenModel) agreeToTemplate();
  }

  template <class T>
  T* find(const char* name) {
    T* found = m_app->window().findChild<T*>(QLatin1StringView(name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  static bool waitFor(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 120'000); }
  QString verdict() { return find<QWidget>("verdict")->accessibleDescription(); }

  // The golden models carry no chat template: a message asks, and the plain form is agreed to.
  void agreeToTemplate() {
    const auto plain = [this] { return m_app->window().findChild<QPushButton*>("plainTemplate"); };
    ASSERT_TRUE(waitFor([&] { return plain() != nullptr && plain()->isVisible(); }));
    plain()->click();
  }

  // In the list of the host's row, where one more GPU is chosen.
  void addGpu(const QString& id) {
    auto* picker = find<QWidget>("hostRow")->findChild<QComboBox*>("devicePicker");
    const int row = picker->findData(id);
    ASSERT_GE(row, 0) << id.toStdString() << " is not here; mesa-vulkan-drivers has a device that needs no card";
    emit picker->activated(row);
  }

  void drop(QWidget& on, const QString& path) {
    QMimeData mime;
    mime.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter({200, 10}, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&on, &enter);
    QDropEvent event({200, 10}, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&on, &event);
  }

  void type(const QString& text) {
    auto* edit = find<QPlainTextEdit>("messageEdit");
    edit->setFocus();
    QTest::keyClicks(edit, text);
    QTest::keyClick(edit, Qt::Key_Return);
  }
  bool answered() {
    return waitFor([&] { return !m_app->chat().session().isBusy(); });
  }
  QToolButton* visibleButton(const char* name) {
    for (QToolButton* button : m_app->window().findChildren<QToolButton*>(QLatin1StringView(name))) {
      if (button->isVisible()) return button;
    }
    return nullptr;
  }
  const ui::ChatTree& tree() { return m_app->chat().session().tree(); }

  // Beside the other build outputs, for people to look at.
  void grab(const QString& name) {
    QTest::qWait(300);
    const QString folder = qEnvironmentVariable("HEADROOM_SCREENSHOTS", QDir::current().filePath("screenshots"));
    ASSERT_TRUE(QDir().mkpath(folder));
    EXPECT_TRUE(m_app->window().grab().save(QDir(folder).filePath(name + ".png")));
  }

  // NAME-light and NAME-dark.
  void grabBothThemes(const QString& name) {
    for (const auto& [theme, ending] :
         {std::pair(ui::ThemeChoice::Light, "-light"), std::pair(ui::ThemeChoice::Dark, "-dark")}) {
      for (QAction* action : m_app->window().findChildren<QAction*>()) {
        if (action->actionGroup() && action->data().toInt() == static_cast<int>(theme)) action->trigger();
      }
      grab(name + QLatin1StringView(ending));
    }
  }

  QTemporaryDir m_data;
  std::unique_ptr<Application> m_app;
};

}  // namespace headroom::app
