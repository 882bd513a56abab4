#include "ui/background/write_file.h"

#include <QFileInfo>
#include <QSaveFile>

namespace headroom::ui {

Message writeWholeFile(const QString& path, const QByteArray& bytes) {
  const QFileInfo info(path);
  if (info.isDir()) return Message::say("it is a folder");
  if (info.exists() && !info.isFile()) return Message::say("it is a device or a pipe, not a file");
  if (!QFileInfo(info.absolutePath()).isDir())
    return Message::say("there is no folder {}", info.absolutePath().toStdString());
  QSaveFile file(path);
  if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit()) return {};
  return Message::plain(file.errorString().toStdString());
}

}  // namespace headroom::ui
