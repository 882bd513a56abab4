// Every key of the window with what it does, for Help > Keyboard shortcuts.
#pragma once

#include <QString>
#include <vector>

class QMainWindow;

namespace headroom::ui {

struct Shortcut {
  QString text;  // what it does
  QString keys;  // as the desktop writes them: "Ctrl++ or Ctrl+="
};

struct ShortcutGroup {
  QString name;  // a menu, or a part of the window
  std::vector<Shortcut> shortcuts;
};

// Read off the menus as they are now and the keys of the views: nothing is listed that no action and no view has.
// GUI thread.
std::vector<ShortcutGroup> shortcutsOf(const QMainWindow& window);

}  // namespace headroom::ui
