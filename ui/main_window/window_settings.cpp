#include "ui/main_window/window_settings.h"

namespace headroom::ui {

QStringList withRecentFile(QStringList files, const QString& path) {
  files.removeAll(path);
  files.prepend(path);
  while (files.size() > kMaxRecentFiles) files.removeLast();
  return files;
}

}  // namespace headroom::ui
