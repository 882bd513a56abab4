#include <unistd.h>

#include <QApplication>
#include <QCommandLineParser>
#include <QMessageBox>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "app/application.h"
#include "app/native_path.h"
#include "app/pdf_pages.h"
#include "app/prove/prove_here.h"
#include "app/quit_signals.h"
#include "app/resources.h"
#include "app/settings_store.h"
#include "app/single_instance.h"
#include "run/engine_thread.h"
#include "standard_streams.h"
#include "ui/format/message_words.h"
#include "ui/language/text_language.h"
#include "ui/theme/plain_text_guard.h"

namespace {

constexpr int kUsage = 2, kNoResource = 4;  // as headroom-cli's

// On Linux a window needs X or Wayland; Qt itself would end the process with a message about plugins.
bool hasDisplay() {
#ifdef Q_OS_LINUX
  return qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY") ||
         qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
#else
  return true;
#endif
}

// Who started it by a double-click sees no terminal.
void showTrouble(const QString& sentence) {
  const QString platform = QGuiApplication::platformName();
  const bool hasScreen = platform != QLatin1StringView("offscreen") && platform != QLatin1StringView("minimal");
  if (!hasScreen || ::isatty(STDERR_FILENO) != 0) return;
  const headroom::ui::PlainTextGuard plainText;  // a path may look like markup
  QMessageBox::critical(nullptr, QCoreApplication::applicationName(), sentence);
}

// That the window of this folder has.
headroom::ui::Language languageOf(const QString& dataFolder) {
  const headroom::app::SettingsStore settings(headroom::app::settingsFile(dataFolder));
  return headroom::ui::chosenLanguage(settings.read().general.language, headroom::ui::systemLanguages());
}

void print(std::FILE* where, const QString& text) { std::fputs(text.toLocal8Bit().constData(), where); }

QStringList argumentsOf(int argc, char** argv) {
  QStringList arguments;
  for (int i = 0; i < argc; ++i) arguments.append(headroom::app::pathFromBytes(argv[i]));
  return arguments;
}

// The files that were named, as seen from this process's folder, and the desktop's leave to come to the front.
headroom::app::HandOver wishes(const QStringList& models) {
  headroom::app::HandOver wishes;
  for (const QString& model : models) {
    std::error_code noFolder;  // it was deleted: then the name is looked for from the root, and not found
    const std::filesystem::path folder = std::filesystem::current_path(noFolder);
    wishes.paths.append(headroom::app::fromNativePath((noFolder ? "/" : folder) / headroom::app::toNativePath(model)));
  }
  wishes.activationToken = qgetenv("XDG_ACTIVATION_TOKEN");
  return wishes;
}

}  // namespace

int main(int argc, char** argv) {
  headroom::openMissingStreams();
  if (argc == 3 && std::string_view(argv[1]) == "--prove") {  // what CardProver starts
    std::signal(SIGPIPE, SIG_IGN);                            // who started it went away: that is an error of a write
    return headroom::prove_and_tell(argv[2], headroom::findDataFolder() / headroom::kKernelFolder);
  }
  if (argc == 4 && std::string_view(argv[1]) == "--read-pdf")  // what reads PDFs to attach starts
    return headroom::app::read_pdf_and_tell(argv[2], argv[3]);
  QCoreApplication::setApplicationName(QStringLiteral("headroom"));
  QCoreApplication::setApplicationVersion(QStringLiteral(HEADROOM_VERSION));
  QCommandLineParser parser;
  parser.setApplicationDescription(QStringLiteral("See exactly what memory a local model takes, load it, chat."));
  const QCommandLineOption help = parser.addHelpOption(), version = parser.addVersionOption();
  parser.addPositionalArgument(QStringLiteral("MODEL"),
                               QStringLiteral("A .gguf file to open, in the window that is open if there is one; "
                                              "without one the starter model is loaded."),
                               QStringLiteral("[MODEL...]"));
  // Before the application is made: these work without a display. What Qt itself understands (-platform, -style) is
  // left to it.
  const bool understood = parser.parse(argumentsOf(argc, argv));
  if (understood && parser.isSet(help)) return print(stdout, parser.helpText()), 0;
  if (understood && parser.isSet(version)) return print(stdout, QStringLiteral("headroom " HEADROOM_VERSION "\n")), 0;
  if (!hasDisplay()) {
    print(stderr, QStringLiteral("headroom: there is no display (DISPLAY and WAYLAND_DISPLAY are not set). In a "
                                 "terminal use headroom-cli, for "
                                 "example: headroom-cli run MODEL\n"));
    return kNoResource;
  }
  QApplication application(argc, argv);
  if (!parser.parse(argumentsOf(argc, argv))) {
    print(stderr, QStringLiteral("headroom: %1; see headroom --help\n").arg(parser.errorText()));
    return kUsage;
  }
  const headroom::app::ApplicationPaths paths = headroom::app::findPaths();
  const headroom::app::HandOver wanted = wishes(parser.positionalArguments());
  const auto instance = headroom::app::SingleInstance::claim(paths.dataFolder, wanted);
  if (!instance) {
    const headroom::ui::TextLanguage language(languageOf(paths.dataFolder));  // of the box's button too
    const QString sentence = headroom::ui::wordsOf(instance.error().message);
    print(stderr, QStringLiteral("headroom: %1\n").arg(sentence));
    showTrouble(sentence);
    return instance.error().code == headroom::ErrorCode::kUsage ? kUsage : kNoResource;
  }
  if (*instance == nullptr) return 0;  // the window that is open took it over
  int status = 0;
  {
    const headroom::app::QuitSignals quitSignals;
    headroom::app::Application headroom(paths);
    using headroom::app::SingleInstance;
    QObject::connect(instance->get(), &SingleInstance::handedOver, &headroom, &headroom::app::Application::takeOver);
    QObject::connect(&application, &QCoreApplication::aboutToQuit, instance->get(), &SingleInstance::stopListening);
    headroom.start(wanted.paths);
    status = QApplication::exec();
  }
  // All is saved. A device that does not answer keeps nobody from leaving.
  if (headroom::EngineThread::n_left_behind() > 0) std::_Exit(status);
  return status;
}
