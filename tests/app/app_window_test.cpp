// The whole program without a display: the real window, the real engine, a model of random weights.
#include <gtest/gtest.h>

#include <QAction>
#include <QActionGroup>
#include <QComboBox>
#include <QDir>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
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
#include "ui/chat/chat_widget.h"
#include "ui/main_window/main_window.h"

namespace headroom::app {
namespace {

const QString kStarter = QStringLiteral(HEADROOM_SOURCE_DIR "/tests/golden/models/llama-gqa.gguf");
const QString kDropped = QStringLiteral(HEADROOM_SOURCE_DIR "/tests/golden/models/qwen3.gguf");

class AppWindowTest : public testing::Test {
 protected:
  void SetUp() override { start(); }
  void start() {
    ApplicationPaths paths = findPaths();
    paths.dataFolder = m_data.path();
    paths.starterModel = kStarter;
    m_app = std::make_unique<Application>(paths);
    QSignalSpy loaded(&m_app->engine(), &ui::EnginePort::modelLoaded);
    m_app->start({});
    ASSERT_TRUE(loaded.wait(20'000));
    agreeToTemplate();
  }

  template <class T>
  T* find(const char* name) {
    T* found = m_app->window().findChild<T*>(QLatin1StringView(name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  static bool waitFor(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 20'000); }
  QString verdict() { return find<QLabel>("verdictSentence")->text(); }

  // The golden models carry no chat template: the banner asks, and the plain form is agreed to.
  void agreeToTemplate() {
    auto* plain = find<QPushButton>("plainTemplate");
    ASSERT_TRUE(waitFor([&] { return plain->isVisible(); }));
    plain->click();
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
    return waitFor([&] { return !m_app->chat().controller().isBusy(); });
  }
  QToolButton* visibleButton(const char* name) {
    for (QToolButton* button : m_app->window().findChildren<QToolButton*>(QLatin1StringView(name))) {
      if (button->isVisible()) return button;
    }
    return nullptr;
  }
  const ui::ChatTree& tree() { return m_app->chat().controller().tree(); }

  // Beside the other build outputs, for people to look at.
  void grab(const QString& name) {
    QTest::qWait(300);
    const QString folder = qEnvironmentVariable("HEADROOM_SCREENSHOTS", QDir::current().filePath("screenshots"));
    ASSERT_TRUE(QDir().mkpath(folder));
    EXPECT_TRUE(m_app->window().grab().save(QDir(folder).filePath(name + ".png")));
  }

  QTemporaryDir m_data;
  std::unique_ptr<Application> m_app;
};

TEST_F(AppWindowTest, a_file_is_dropped_planned_fixed_loaded_and_chatted_with) {
  EXPECT_TRUE(find<QLabel>("modelNote")->text().contains("not a general assistant"));

  drop(m_app->window(), kDropped);
  ASSERT_TRUE(waitFor([&] { return find<QLabel>("modelName")->text().contains("qwen3", Qt::CaseInsensitive); }))
      << find<QLabel>("modelName")->text().toStdString();
  EXPECT_TRUE(verdict().startsWith("Fits:")) << verdict().toStdString();

  const QString before = verdict();
  auto* slider = find<QSlider>("contextSlider");
  slider->setValue(slider->value() == slider->maximum() ? slider->minimum() : slider->maximum());
  ASSERT_TRUE(waitFor([&] { return verdict() != before; })) << before.toStdString();

  find<QSpinBox>("slotsSpin")->setValue(4);
  auto* rule = find<QComboBox>("headroomRule");
  rule->setCurrentIndex(1);
  emit rule->activated(1);
  auto* edit = find<QLineEdit>("headroomEdit");
  edit->setFocus();
  edit->selectAll();
  QTest::keyClicks(edit, "1500 KiB");
  QTest::keyClick(edit, Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] { return verdict().startsWith("Does not fit"); })) << verdict().toStdString();
  EXPECT_FALSE(find<QPushButton>("loadButton")->isEnabled());
  find<QPushButton>("fix0")->click();
  ASSERT_TRUE(waitFor([&] { return verdict().startsWith("Fits:"); })) << verdict().toStdString();

  QSignalSpy loaded(&m_app->engine(), &ui::EnginePort::modelLoaded);
  find<QPushButton>("loadButton")->click();
  ASSERT_TRUE(waitFor([&] { return loaded.count() == 1; }));
  for (const ui::ArenaFigures& arena : loaded[0][1].value<ui::LoadedModel>().arenas) EXPECT_EQ(arena.plannedBytes, arena.mappedBytes);
  agreeToTemplate();

  type("hello");
  ASSERT_TRUE(answered());
  ASSERT_EQ(tree().path().size(), 2);
}

TEST_F(AppWindowTest, an_answer_is_stopped_and_regenerated_and_kept_for_the_next_start) {
  type("hello");
  ASSERT_TRUE(waitFor([&] { return m_app->chat().controller().activity() != ui::Activity::Reading; }));
  QTest::keyClick(find<QPlainTextEdit>("messageEdit"), Qt::Key_Escape);
  ASSERT_TRUE(answered());
  ASSERT_TRUE(waitFor([&] { return visibleButton("regenerate") != nullptr; }));
  visibleButton("regenerate")->click();
  find<QPushButton>("sendButton")->click();  // stops
  ASSERT_TRUE(answered());
  EXPECT_EQ(tree().versions(tree().path()[1]).size(), 2);
  for (const auto& [theme, name] : {std::pair(ui::ThemeChoice::Light, "window-light"), std::pair(ui::ThemeChoice::Dark, "window-dark")}) {
    for (QAction* action : m_app->window().findChildren<QAction*>()) {
      if (action->actionGroup() && action->data().toInt() == static_cast<int>(theme)) action->trigger();
    }
    grab(QLatin1StringView(name));
  }

  m_app.reset();
  start();
  auto* list = find<QListWidget>("conversationList");
  ASSERT_TRUE(waitFor([&] { return list->count() == 1; }));
  EXPECT_EQ(list->item(0)->text(), "hello");
  emit list->itemActivated(list->item(0));
  ASSERT_TRUE(waitFor([&] { return tree().path().size() == 2; }));
  EXPECT_EQ(tree().versions(tree().path()[1]).size(), 2);
}

TEST_F(AppWindowTest, what_is_no_model_is_one_sentence_and_the_loaded_one_stays) {
  drop(m_app->window(), HEADROOM_SOURCE_DIR "/LICENSE");
  ASSERT_TRUE(waitFor([&] { return find<QLabel>("messageText")->isVisible(); }));
  EXPECT_TRUE(find<QLabel>("messageText")->text().contains("LICENSE")) << find<QLabel>("messageText")->text().toStdString();
  EXPECT_EQ(m_app->chat().controller().activity(), ui::Activity::Idle);
}

TEST_F(AppWindowTest, the_window_can_be_made_small_and_cuts_nothing_off) {
  QWidget& window = m_app->window();
  const QSize least = window.minimumSizeHint();
  EXPECT_LE(least.width(), 1100);
  EXPECT_LE(least.height(), 650);
  for (const QSize size : {QSize(1600, 1000), QSize(1440, 900), QSize(1280, 800), QSize(1100, 650)}) {
    window.resize(size);
    m_app->window().findChild<QAction*>("actionResetDocks")->trigger();
    QTest::qWait(50);
    EXPECT_EQ(window.size(), size);
    for (const QScrollArea* area : window.findChildren<QScrollArea*>()) {
      if (!area->isVisible() || area->horizontalScrollBarPolicy() != Qt::ScrollBarAlwaysOff) continue;
      EXPECT_LE(area->widget()->width(), area->viewport()->width())
          << area->parentWidget()->metaObject()->className() << " is cut off at its right in a window of " << size.width();
    }
    EXPECT_GE(m_app->chat().width(), m_app->chat().minimumSizeHint().width());
  }
}

}  // namespace
}  // namespace headroom::app
