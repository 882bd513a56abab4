// Shows an answer and stores it as the window does, for conversation_kill_test: FILE. Prints "CONVERSATION" and then a
// line for each word that was shown: how many there are, and when by this process's clock, in milliseconds.
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTimer>
#include <cstdio>

#include "app/conversation_store.h"
#include "support/fake_engine_port.h"
#include "ui/chat/chat_sessions.h"

int main(int argc, char** argv) {
  QCoreApplication application(argc, argv);
  if (argc != 2) return 2;
  headroom::app::ConversationStore store(QString::fromLocal8Bit(argv[1]));
  headroom::test::FakeEnginePort engine;
  headroom::ui::SettingsModel settings;
  headroom::ui::ChatSessions sessions(engine, store, settings);
  headroom::ui::ChatSession& chat = sessions.current();
  engine.sendLoaded("tiny", 100'000);
  chat.send("q", {});
  std::printf("%s\n", chat.head().id.toUtf8().constData());
  std::fflush(stdout);
  QElapsedTimer clock;
  clock.start();
  int nWords = 0;
  const auto showWord = [&] {
    emit engine.textArrived(engine.lastId, QStringLiteral("w "));
    std::printf("%d %lld\n", ++nWords, static_cast<long long>(clock.elapsed()));
    std::fflush(stdout);
  };
  QTimer words;
  QObject::connect(&words, &QTimer::timeout, &application, showWord);
  words.start(5);
  return QCoreApplication::exec();
}
