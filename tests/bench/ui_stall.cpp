// Drives the real window without a display, a library of 1,000 models, a load and a chat, scrolls through a
// conversation of 2,000 turns, then all at once: the library open, two answers that are written and a conversation of
// 5,000 turns. Prints the longest time that the event loop did not come round. Beside it stands the
// processor time that the loop itself took in one round: on a machine that others use, the difference is theirs. Usage:
// ui_stall [MODEL]; without one the starter model answers, else a golden one, which the library is made of in any case.
// Exit code 1 when a stall was longer than the target.
#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QListView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>

#include "app/application.h"
#include "app/engine_bridge.h"
#include "bench/bench_paths.h"
#include "ui/chat/chat_sessions.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/chat_widget.h"
#include "ui/chat/sample_pairs.h"
#include "ui/library/model_library.h"
#include "ui/main_window/main_window.h"

namespace {

constexpr qint64 kTargetMs = 32;
constexpr int kWaitMs = 60'000;

// A timer that is due every millisecond; the longest gap between two of its ticks is the longest stall.
class StallMeter : public QObject {
 public:
  StallMeter() {
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, [this] {
      const qint64 gap = m_clock.nsecsElapsed();
      const qint64 now = workNs();
      m_clock.start();
      m_longestNs = std::max(m_longestNs, gap);
      m_longestWorkNs = std::max(m_longestWorkNs, now - m_workNs);
      m_workNs = now;
    });
  }
  void start() {
    m_longestNs = m_longestWorkNs = 0;
    m_workNs = workNs();
    m_clock.start();
    m_timer.start(1);
  }
  double stopMs() {
    m_timer.stop();
    return static_cast<double>(m_longestNs) / 1e6;
  }

  double longestWorkMs() const { return static_cast<double>(m_longestWorkNs) / 1e6; }

 private:
  static qint64 workNs() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
  }

  QTimer m_timer;
  QElapsedTimer m_clock;
  qint64 m_longestNs = 0, m_longestWorkNs = 0, m_workNs = 0;
};

// Runs the event loop as the application does until that holds. QTest::qWaitFor sleeps up to 10 ms between two rounds,
// which would count as a stall of the window.
bool runUntil(const std::function<bool()>& holds) {
  QEventLoop loop;
  QTimer look;
  QObject::connect(&look, &QTimer::timeout, &loop, [&] {
    if (holds()) loop.quit();
  });
  look.start(1);
  QTimer::singleShot(kWaitMs, &loop, &QEventLoop::quit);
  loop.exec();
  return holds();
}

void runFor(int ms) {
  QEventLoop loop;
  QTimer::singleShot(ms, &loop, &QEventLoop::quit);
  loop.exec();
}

class Drive {
 public:
  explicit Drive(headroom::app::Application& app) : m_app(app) {}

  bool load(const QString& model) {
    bool loaded = false;
    const auto seen =
        QObject::connect(&m_app.engine(), &headroom::ui::EnginePort::modelLoaded, &m_app, [&] { loaded = true; });
    m_app.models().open(model, headroom::ui::AfterOpen::Load);
    const bool done = runUntil([&] { return loaded; });
    QObject::disconnect(seen);
    return done;
  }

  bool ask(const QString& question) {
    auto* edit = m_app.chat().findChild<QPlainTextEdit*>(QStringLiteral("messageEdit"));
    edit->setPlainText(question);
    m_app.chat().findChild<QPushButton*>(QStringLiteral("sendButton"))->click();
    return runUntil([&] { return !m_app.chat().session().isBusy(); });
  }

  // All that lies in the folder of downloads is read and planned.
  bool showLibrary(int nModels) {
    m_app.window().showLibrary(true);
    const auto isPlanned = [](const headroom::ui::LibraryEntry& entry) { return entry.fit.fits(); };
    const bool done = runUntil([&] {
      const auto& entries = m_app.library().model().entries();
      return std::count_if(entries.begin(), entries.end(), isPlanned) == nModels;
    });
    m_app.window().showLibrary(false);
    return done;
  }

  // Answers in two conversations that begin again as soon as they end, until stopStreaming().
  bool startStreaming() {
    m_app.window().findChild<QSpinBox*>(QStringLiteral("slotsSpin"))->setValue(2);
    auto* load = m_app.window().findChild<QPushButton*>(QStringLiteral("loadButton"));
    if (!runUntil([&] { return load->isEnabled() && !load->isHidden(); })) return false;
    load->click();
    const auto isLoaded = [&] {
      const headroom::ui::LoadedModel* loaded = m_app.models().load().loaded();
      return loaded != nullptr && m_app.models().load().isSettled() && loaded->plan->options.n_slots == 2;
    };
    if (!runUntil(isLoaded)) return false;
    headroom::ui::ChatSessions& sessions = m_app.sessions();
    QObject::connect(&m_again, &QTimer::timeout, &m_app, [this, &sessions] {
      for (const QString& id : m_streaming) {
        headroom::ui::ChatSession* session = sessions.find(id);
        if (session != nullptr && session->canStart()) session->regenerate(session->tree().lastId());
      }
    });
    QObject::connect(&m_app.engine(), &headroom::ui::EnginePort::textArrived, &m_app, [this, &sessions] {
      const auto& all = sessions.sessions();
      const auto nBusy = std::count_if(all.begin(), all.end(),
                                       [](const headroom::ui::ChatSession* session) { return session->isBusy(); });
      m_nBoth += nBusy >= 2;
    });
    for (int i = 0; i < 2; ++i) {
      sessions.newConversation();
      if (!sessions.current().send(QStringLiteral("Why does a longer context need more memory?"), {})) return false;
      m_streaming.append(sessions.current().head().id);
    }
    m_again.start(20);
    return true;
  }
  void stopStreaming() { m_again.stop(); }
  int nBoth() const { return m_nBoth; }  // pieces of text that came while both were written

  bool openLong(const headroom::ui::Conversation& conversation) {
    m_app.sessions().importConversation(conversation);
    auto* view = m_app.chat().findChild<headroom::ui::ChatView*>();
    return runUntil([&] {
      return m_app.sessions().current().head().id == conversation.head.id && view->isLaidOut() &&
             view->verticalScrollBar()->maximum() > 0;
    });
  }
  bool scrollLong() { return scrollThrough(*m_app.chat().findChild<headroom::ui::ChatView*>()); }
  // In the place of the chat, from its start to its end and back.
  bool scrollLibrary() {
    m_app.window().showLibrary(true);
    auto* list = m_app.window().findChild<QListView*>(QStringLiteral("libraryList"));
    for (int step = 0; step <= 60; ++step) {
      list->verticalScrollBar()->setValue(list->verticalScrollBar()->maximum() * step / 60);
      runFor(20);
    }
    m_app.window().showLibrary(false);
    runFor(200);
    return list->verticalScrollBar()->maximum() > 0;
  }

  static bool scrollThrough(headroom::ui::ChatView& view) {
    constexpr int kSteps = 60;
    for (int step = 0; step <= kSteps; ++step) {
      view.verticalScrollBar()->setValue(view.verticalScrollBar()->maximum() * step / kSteps);
      runFor(1);  // rows that are left behind are deleted too, as in the application's own loop
    }
    return runUntil([&] { return view.isLaidOut(); });
  }

  void agreeToTemplate() {
    auto* plain = m_app.chat().findChild<QPushButton*>(QStringLiteral("plainTemplate"));
    if (plain != nullptr) plain->click();
  }

 private:
  headroom::app::Application& m_app;
  QTimer m_again;
  QStringList m_streaming;  // conversations
  int m_nBoth = 0;
};

headroom::ui::Conversation longConversation() {
  headroom::ui::ChatTree tree;
  headroom::ui::appendPairs(tree, {}, 2500);
  headroom::ui::Conversation conversation;
  conversation.head.id = QStringLiteral("long");
  conversation.head.title = QStringLiteral("A long one");
  conversation.turns = tree.turns();
  return conversation;
}

// Jumps through a long conversation from its start to its end, a pass of the event loop each.
class LongConversation {
 public:
  LongConversation() {
    headroom::ui::appendPairs(m_tree, {}, 1000);
    m_view.resize(600, 500);
    m_view.show();
    QTest::qWait(300);  // an empty window comes first, as in the application
  }

  bool open() {
    m_view.showPath();
    return runUntil([this] { return m_view.isLaidOut(); });
  }

  bool scroll() { return Drive::scrollThrough(m_view); }

 private:
  // Beside the application's own, which looks at the system's palette after each change of one: two that look would
  // wake each other for ever.
  headroom::ui::Theme m_theme{headroom::ui::AppearanceSettings{.theme = headroom::ui::ThemeChoice::Light},
                              [] { return false; }};
  headroom::ui::ChatTree m_tree;
  headroom::ui::ChatView m_view{m_tree, m_theme};
};

// Each a file of its own to the library.
void copyModel(const QString& model, const QString& folder, int nCopies) {
  QDir().mkpath(folder);
  for (int i = 0; i < nCopies; ++i) QFile::copy(model, QDir(folder).filePath(QStringLiteral("model-%1.gguf").arg(i)));
}

}  // namespace

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  QTemporaryDir data;
  headroom::app::ApplicationPaths paths = headroom::bench::benchPaths(data);
  QString small = paths.starterModel;
  if (small.isEmpty()) small = QStringLiteral(HEADROOM_SOURCE_DIR "/tests/golden/models/llama-gqa.gguf");
  const QString model = argc > 1 ? QString::fromLocal8Bit(argv[1]) : small;
  paths.starterModel = model;

  headroom::app::Application app(paths);
  app.window().show();
  QTest::qWait(300);
  Drive drive(app);
  StallMeter meter;
  double longest = 0;
  const auto measured = [&](const char* phase, const std::function<bool()>& run) {
    meter.start();
    const bool done = run();
    const double stall = meter.stopMs();
    longest = std::max(longest, stall);
    std::printf("%-12s longest stall %6.1f ms, of it own work at most %6.1f ms%s\n", phase, stall,
                meter.longestWorkMs(), done ? "" : "  (did not finish)");
    return done;
  };
  constexpr int kModels = 1000;
  copyModel(small, QDir(data.path()).filePath(QStringLiteral("models")), kModels);
  QElapsedTimer sinceShown;
  sinceShown.start();
  bool done = measured("library", [&] { return drive.showLibrary(kModels); });
  std::printf("%-12s %d models read and planned in %.2f s\n", "library", kModels,
              static_cast<double>(sinceShown.elapsed()) / 1e3);
  done = done && measured("load", [&] { return drive.load(model); });
  drive.agreeToTemplate();
  for (int turn = 0; done && turn < 4; ++turn)
    done = measured("answer", [&] { return drive.ask(QStringLiteral("Why does a longer context need more memory?")); });
  done = done && measured("load again", [&] { return drive.load(model); });
  LongConversation conversation;
  done = done && measured("open chat", [&] { return conversation.open(); });
  done = done && measured("scroll", [&] { return conversation.scroll(); });
  const headroom::ui::Conversation longOne = longConversation();
  done = done && drive.startStreaming();
  done = done && measured("all: open", [&] { return drive.openLong(longOne); });
  done = done && measured("all: scroll", [&] { return drive.scrollLong(); });
  done = done && measured("all: library", [&] { return drive.scrollLibrary(); });
  drive.stopStreaming();
  std::printf("%-12s %d pieces of text came while two answers were written\n", "all", drive.nBoth());
  done = done && drive.nBoth() > 0;
  std::printf("longest event-loop stall %.1f ms (target: under %lld ms)\n", longest, static_cast<long long>(kTargetMs));
  return done && longest < kTargetMs ? 0 : 1;
}
