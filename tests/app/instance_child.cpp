// A start of the program without its window, for single_instance_test: FOLDER PATH. Prints "first" and then what it is
// handed, or "over".
#include <QCoreApplication>
#include <cstdio>

#include "app/native_path.h"
#include "app/single_instance.h"

int main(int argc, char** argv) {
  using namespace headroom::app;
  QCoreApplication application(argc, argv);
  if (argc != 3) return 2;
  SingleInstance::Options options;
  options.patience = std::chrono::seconds(60);
  const auto claimed = SingleInstance::claim(pathFromBytes(argv[1]), {{pathFromBytes(argv[2])}, {}}, options);
  const auto say = [](const QByteArray& line) {
    std::puts(line.constData());
    std::fflush(stdout);
  };
  if (!claimed) {
    say(QByteArray::fromStdString(claimed.error().message.text()));
    return 4;
  }
  say(*claimed ? "first" : "over");
  if (!*claimed) return 0;
  QObject::connect(claimed->get(), &SingleInstance::handedOver, &application, [&](const HandOver& handOver) {
    for (const QString& path : handOver.paths) say(bytesOfPath(path));
  });
  return QCoreApplication::exec();
}
