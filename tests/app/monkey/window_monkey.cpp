// window_monkey ACTIONS SEED...: the real window under random hands, once with each seed. Exit status 1: something is
// amiss, which the last line says.
#include <QApplication>
#include <QTemporaryDir>
#include <cstdio>
#include <cstdlib>

#include "tests/app/monkey/monkey.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: window_monkey ACTIONS SEED...\n");
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what was played is seen, however it ends
  // No file of the user is near: neither models of other programs nor a trash.
  const QTemporaryDir home;
  for (const char* variable : {"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"})
    qputenv(variable, home.path().toUtf8());
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  QApplication::setQuitOnLastWindowClosed(false);
  for (int i = 2; i < argc; ++i) {
    headroom::test::Monkey monkey(static_cast<unsigned>(std::atoi(argv[i])));
    const bool isWell = monkey.play(std::atoi(argv[1]));
    std::printf("seed %s: %s\n", argv[i], qPrintable(monkey.figures()));
    if (isWell) continue;
    std::printf("seed %s: %s\n", argv[i], qPrintable(monkey.why()));
    return 1;
  }
  return 0;
}
