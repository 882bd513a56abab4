// Runs tests of widgets: an application without a display, and nothing of the user's own settings.
#include <gtest/gtest.h>

#include <QApplication>
#include <QStandardPaths>
#include <cstdio>

#include "ui/language/text_language.h"

namespace {

// What Qt says of painting is a fault of ours that shows as a hole in the window at best: the test that was running
// fails. The rest is printed, as ever.
void tell(QtMsgType type, const QMessageLogContext& context, const QString& message) {
  if (type != QtDebugMsg && type != QtInfoMsg && message.startsWith(QLatin1StringView("QPainter")))
    ADD_FAILURE() << "Qt says: " << message.toStdString();
  std::fprintf(stderr, "%s\n", qUtf8Printable(qFormatLogMessage(type, context, message)));
}

}  // namespace

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  qputenv("LC_ALL", "C.UTF-8");  // what the desktop speaks here is English, wherever the test runs
  qunsetenv("LANGUAGE");
  qInstallMessageHandler(tell);
  QStandardPaths::setTestModeEnabled(true);
  QApplication application(argc, argv);
  const headroom::ui::TextLanguage english;
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
