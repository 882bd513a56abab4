// Fetches ADDRESS with SHA256 and N_BYTES into FOLDER, to be killed meanwhile by download_kill_test. Ends with 0 when
// the file is there.
#include <QCoreApplication>
#include <cstdio>

#include "ui/library/downloads.h"

int main(int argc, char** argv) {
  using namespace headroom::ui;
  const QCoreApplication application(argc, argv);
  const QStringList arguments = application.arguments();
  if (arguments.size() != 5) return 2;
  Downloads downloads([] { return HubAccess(); }, systemDisk(), {});
  DownloadSpec spec = downloadOf(arguments[4], QUrl(arguments[1]));
  spec.parts.front().sha256 = arguments[2].toLatin1();
  spec.parts.front().n_bytes = arguments[3].toULongLong();
  Download& download = downloads.add(spec);
  QObject::connect(&download, &Download::changed, &download, [&download] {
    if (std::holds_alternative<download_stage::Failed>(download.stage()) ||
        std::holds_alternative<download_stage::Paused>(download.stage())) {
      std::fprintf(stderr, "%s\n", qUtf8Printable(download.stateText()));
      QCoreApplication::exit(1);
    }
  });
  QObject::connect(&downloads, &Downloads::finished, &download, [] { QCoreApplication::exit(0); });
  return QCoreApplication::exec();
}
