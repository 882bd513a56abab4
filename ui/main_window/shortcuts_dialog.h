// Help > Keyboard shortcuts.
#pragma once

#include <QDialog>
#include <vector>

#include "ui/main_window/shortcuts.h"

class QTreeWidget;

namespace headroom::ui {

// Deletes itself when it is closed.
class ShortcutsDialog : public QDialog {
  Q_OBJECT
 public:
  ShortcutsDialog(const std::vector<ShortcutGroup>& groups, QWidget* parent);

 private:
  void showMatches(const QString& text);

  QTreeWidget* m_list;
};

}  // namespace headroom::ui
