// What five things that people come for cost in the real window, with the real engine and the starter model: clicks,
// keys, typed texts, and the seconds that the window and the engine take for them; those of the user come on top.
// Usage: window_jobs. Exit code 1 when a job did not come to its end.
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QLineEdit>
#include <QListView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cstdio>
#include <functional>

#include "app/application.h"
#include "app/engine_bridge.h"
#include "bench/bench_paths.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/chat_widget.h"
#include "ui/library/model_library.h"
#include "ui/main_window/main_window.h"

namespace {

constexpr int kWaitMs = 60'000;

// Hands that count what they do. All of it goes through the widget that a user would see at that moment.
class Hands {
 public:
  explicit Hands(headroom::app::Application& app) : m_app(app) {}

  // False, where it is not on screen: then there is nothing that a user could press.
  bool click(const char* name) { return click(m_app.window().findChild<QWidget*>(QLatin1StringView(name))); }
  bool click(QWidget* widget) {
    if (widget == nullptr || !waitFor([&] { return widget->isVisible() && widget->isEnabled(); })) return false;
    QTest::mouseClick(widget, Qt::LeftButton);
    ++m_nClicks;
    return true;
  }
  bool clickRow(QListView& list, int row) {
    const QModelIndex index = list.model()->index(row, 0);
    if (!list.isVisible() || !index.isValid()) return false;
    QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(index).center());
    ++m_nClicks;
    return true;
  }
  bool press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    QWidget* to = m_app.window().focusWidget();
    if (to == nullptr) return false;
    QTest::keyClick(to, key, modifiers);
    ++m_nKeys;
    return true;
  }
  bool type(const QString& text) {
    QWidget* to = m_app.window().focusWidget();
    if (to == nullptr) return false;
    QTest::keyClicks(to, text);
    ++m_nTexts;
    return true;
  }
  static bool waitFor(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, kWaitMs); }

  void begin() {
    m_nClicks = m_nKeys = m_nTexts = 0;
    m_clock.start();
  }
  void print(const char* job, bool isDone) const {
    std::printf("| %s | %d | %d | %d | %.1f |%s\n", job, m_nClicks, m_nKeys, m_nTexts,
                static_cast<double>(m_clock.elapsed()) / 1e3, isDone ? "" : " did not come to its end");
  }

 private:
  headroom::app::Application& m_app;
  QElapsedTimer m_clock;
  int m_nClicks = 0, m_nKeys = 0, m_nTexts = 0;
};

class Jobs {
 public:
  Jobs(headroom::app::Application& app, const QString& secondModel)
      : m_app(app), m_hands(app), m_secondModel(secondModel) {}

  // From the start of the program: what is asked is typed at once, while the model is still being loaded.
  bool firstAnswer() {
    m_app.start({});
    return Hands::waitFor([&] { return m_app.models().load().loaded() != nullptr; }) &&
           m_hands.type(QStringLiteral("What is the KV cache?")) && m_hands.press(Qt::Key_Return) && isAnswered();
  }
  // The loaded model with another context, ready to be asked.
  bool longerContext() {
    const auto nCtx = [&] { return m_app.models().load().loaded()->plan->options.n_ctx; };
    const std::uint32_t wanted = nCtx() / 2;  // the starter is loaded with the longest that it was trained with
    auto* spin = find<QSpinBox>("contextSpin");
    if (!spin->isVisible() && !m_hands.click("memoryChip")) return false;
    if (!m_hands.click(spin->findChild<QLineEdit*>()) || !m_hands.press(Qt::Key_A, Qt::ControlModifier)) return false;
    return m_hands.type(QString::number(wanted)) && m_hands.press(Qt::Key_Tab) && m_hands.click("loadButton") &&
           Hands::waitFor([&] { return m_app.models().load().isSettled() && nCtx() == wanted; });
  }
  // Whether the model would fit a card that is not here.
  bool smallerCard() {
    if (!find<QWidget>("hostRow")->isVisible() && !m_hands.click("memoryChip")) return false;
    auto* picker = find<QWidget>("hostRow")->findChild<QComboBox*>(QStringLiteral("devicePicker"));
    if (!m_hands.click(picker->lineEdit())) return false;
    const QString card = QStringLiteral("RTX 3050 Laptop");
    const auto isPlanned = [&] {
      const auto plan = m_app.models().calculator().plan();
      return plan != nullptr && std::ranges::count(plan->devices, card.toStdString(), &headroom::DeviceInfo::name) == 1;
    };
    return Hands::waitFor([&] { return picker->lineEdit()->hasSelectedText(); }) && m_hands.type(card) &&
           m_hands.press(Qt::Key_Return) && Hands::waitFor(isPlanned);
  }
  // One of the library's in the place of the loaded one.
  bool secondModel() {
    if (!m_hands.press(Qt::Key_3, Qt::ControlModifier)) return false;
    auto* list = find<QListView>("libraryList");
    if (!Hands::waitFor([&] { return list->isVisible() && list->model()->rowCount() > 0; })) return false;
    if (!m_hands.clickRow(*list, 0) || !m_hands.click("libraryLoad")) return false;
    return Hands::waitFor([&] {
      const headroom::ui::LoadedModel* loaded = m_app.models().load().loaded();
      return loaded != nullptr && loaded->path == m_secondModel && m_app.models().load().isSettled();
    });
  }
  // By a word of it, from a new conversation.
  bool oldAnswer() {
    const QString id = m_app.chat().session().head().id;
    if (!m_hands.press(Qt::Key_N, Qt::ControlModifier) || !m_hands.click("conversationSearch")) return false;
    if (!m_hands.type(QStringLiteral("KV cache"))) return false;
    auto* list = find<QListView>("conversationList");
    if (!Hands::waitFor([&] { return list->model()->rowCount() > 0; })) return false;
    return m_hands.clickRow(*list, 0) && Hands::waitFor([&] { return m_app.chat().session().head().id == id; });
  }

  bool run() {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    std::printf("| job | clicks | keys | typed texts | seconds |\n| -- | -- | -- | -- | -- |\n");
    bool isDone = true;
    const auto one = [&](const char* name, bool (Jobs::*job)()) {
      m_hands.begin();
      const bool isOne = (this->*job)();
      m_hands.print(name, isOne);
      isDone = isDone && isOne;
    };
    one("first answer, from the first start", &Jobs::firstAnswer);
    one("another context, loaded", &Jobs::longerContext);
    one("a second model, loaded", &Jobs::secondModel);
    one("find an old answer", &Jobs::oldAnswer);
    // The last: with a card that is not here nothing can be loaded.
    one("does it fit a smaller card", &Jobs::smallerCard);
    return isDone;
  }

 private:
  template <class W>
  W* find(const char* name) {
    return m_app.window().findChild<W*>(QLatin1StringView(name));
  }
  bool isAnswered() {
    return Hands::waitFor([&] {
      const headroom::ui::ChatSession& session = m_app.chat().session();
      return !session.isBusy() && session.tree().path().size() == 2;
    });
  }

  headroom::app::Application& m_app;
  Hands m_hands;
  QString m_secondModel;
};

}  // namespace

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  QTemporaryDir data;
  headroom::app::ApplicationPaths paths = headroom::bench::benchPaths(data);
  const QString models = QDir(data.path()).filePath(QStringLiteral("models"));
  const QString second = QDir(models).filePath(QStringLiteral("second.gguf"));
  if (!QDir().mkpath(models) || !QFile::copy(paths.starterModel, second)) {
    std::fprintf(stderr, "window_jobs: needs the starter model, found none at \"%s\"\n",
                 qPrintable(paths.starterModel));
    return 1;
  }
  headroom::app::Application app(paths);
  headroom::ui::LibrarySettings library = app.library().settings();
  library.huggingFace = library.lmStudio = library.ollama = false;
  app.library().chooseSettings(library);
  return Jobs(app, second).run() ? 0 : 1;
}
