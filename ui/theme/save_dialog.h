// Asks under which name a file is saved.
#pragma once

#include <QString>
#include <functional>

class QFileDialog;
class QWidget;

namespace headroom::ui {

struct SaveQuestion {
  QString title;
  QString name;    // that is suggested; with a folder, or the one that the desktop shows
  QString suffix;  // "zip"
  QString filter;  // which files are listed; empty: all
};

// `save` is called with a path that ends in the suffix, and only where nothing is overwritten that the user has not
// been asked about. Qt appends a suffix to names without a dot alone: "report of v1.2" is one that has none.
QFileDialog* openSaveDialog(QWidget* parent, const SaveQuestion& question,
                            const std::function<void(const QString& path)>& save);

}  // namespace headroom::ui
