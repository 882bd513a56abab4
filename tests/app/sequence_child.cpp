// Plays a sequence into the store, for conversation_kill_test: FILE SEED. Asks everything at once, as a quick user and
// an answer that streams would, and prints the number of a step when an answer behind it has come: then it is stored.
#include <QCoreApplication>
#include <QTimer>
#include <cstdio>

#include "app/conversation_store.h"
#include "tests/app/conversation_sequence.h"

int main(int argc, char** argv) {
  QCoreApplication application(argc, argv);
  if (argc != 3) return 2;
  headroom::app::ConversationStore store(QString::fromLocal8Bit(argv[1]));
  const std::vector<headroom::test::Step> steps = headroom::test::sequenceOf(QByteArray(argv[2]).toUInt());
  std::size_t stored = 0;
  QObject::connect(&store, &headroom::ui::ConversationPort::problemFound, &application,
                   [](const headroom::Message& problem) {
                     std::printf("problem: %s\n", problem.text().c_str());
                     std::fflush(stdout);
                   });
  QObject::connect(&store, &headroom::ui::ConversationPort::listed, &application, [&] {
    std::printf("%zu\n", ++stored);
    std::fflush(stdout);
    if (stored == steps.size()) QCoreApplication::quit();
  });
  for (const headroom::test::Step& step : steps) {
    headroom::test::play(step, store);
    store.list({});
  }
  return QCoreApplication::exec();
}
