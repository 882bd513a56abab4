#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <cstdio>

#include "app/application.h"
#include "standard_streams.h"

namespace {

constexpr int kUsage = 2, kNoDisplay = 4;  // as headroom-cli's

// On Linux a window needs X or Wayland; Qt itself would end the process with a message about plugins.
bool hasDisplay() {
#ifdef Q_OS_LINUX
  return qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY") ||
         qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
#else
  return true;
#endif
}

void print(std::FILE* where, const QString& text) { std::fputs(text.toLocal8Bit().constData(), where); }

QStringList argumentsOf(int argc, char** argv) {
  QStringList arguments;
  for (int i = 0; i < argc; ++i) arguments.append(QString::fromLocal8Bit(argv[i]));
  return arguments;
}

}  // namespace

int main(int argc, char** argv) {
  headroom::openMissingStreams();
  QCoreApplication::setApplicationName(QStringLiteral("headroom"));
  QCoreApplication::setApplicationVersion(QStringLiteral(HEADROOM_VERSION));
  QCommandLineParser parser;
  parser.setApplicationDescription(QStringLiteral("See exactly what memory a local model takes, load it, chat."));
  const QCommandLineOption help = parser.addHelpOption(), version = parser.addVersionOption();
  parser.addPositionalArgument(QStringLiteral("MODEL"),
                               QStringLiteral("A .gguf file to open; without one the starter model is loaded."),
                               QStringLiteral("[MODEL]"));
  // Before the application is made: these work without a display. What Qt itself understands (-platform, -style) is
  // left to it.
  const bool understood = parser.parse(argumentsOf(argc, argv));
  if (understood && parser.isSet(help)) return print(stdout, parser.helpText()), 0;
  if (understood && parser.isSet(version)) return print(stdout, QStringLiteral("headroom " HEADROOM_VERSION "\n")), 0;
  if (!hasDisplay()) {
    print(stderr, QStringLiteral("headroom: there is no display (DISPLAY and WAYLAND_DISPLAY are not set). In a "
                                 "terminal use headroom-cli, for "
                                 "example: headroom-cli run MODEL\n"));
    return kNoDisplay;
  }
  QApplication application(argc, argv);
  if (!parser.parse(QCoreApplication::arguments()) || parser.positionalArguments().size() > 1) {
    const QString why =
        parser.errorText().isEmpty() ? QStringLiteral("one MODEL at most can be opened") : parser.errorText();
    print(stderr, QStringLiteral("headroom: %1; see headroom --help\n").arg(why));
    return kUsage;
  }
  headroom::app::Application headroom(headroom::app::findPaths());
  const QStringList models = parser.positionalArguments();
  headroom.start(models.isEmpty() ? QString() : QDir::current().absoluteFilePath(models.first()));
  return QApplication::exec();
}
