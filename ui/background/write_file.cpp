#include "ui/background/write_file.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QSaveFile>

namespace headroom::ui {

namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(WriteFile)
};

}  // namespace

QString writeWholeFile(const QString& path, const QByteArray& bytes) {
  const QFileInfo info(path);
  if (info.isDir()) return Words::tr("it is a folder");
  if (info.exists() && !info.isFile()) return Words::tr("it is a device or a pipe, not a file");
  if (!QFileInfo(info.absolutePath()).isDir()) return Words::tr("there is no folder %1").arg(info.absolutePath());
  QSaveFile file(path);
  if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit()) return {};
  return file.errorString();
}

}  // namespace headroom::ui
