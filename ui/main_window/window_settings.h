// What the window remembers between starts: a plain struct with defaults; the application stores it.
#pragma once

#include <QByteArray>
#include <QString>
#include <optional>

#include "ui/main_window/panes.h"

namespace headroom::ui {

struct WindowSettings {
  QByteArray geometry;  // empty: the default size
  QByteArray docks;     // where they are; empty: Memory left, VRAM right, as at the first start
  PaneWidths paneWidths;
  // The panes that the user opened or closed himself; absent: he never did, and the chat has the room.
  std::optional<Panes> panes;
  QString lastFolder;
  bool operator==(const WindowSettings&) const = default;
};

}  // namespace headroom::ui
