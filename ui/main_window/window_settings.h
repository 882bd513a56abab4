// What the window remembers between starts: a plain struct with defaults; the application stores it.
#pragma once

#include <QByteArray>
#include <QStringList>
#include <vector>

#include "ui/calculator/device_choices.h"
#include "ui/theme/theme.h"

namespace headroom::ui {

struct WindowSettings {
  ThemeChoice theme = ThemeChoice::System;
  QByteArray geometry;  // empty: the default size
  QByteArray docks;     // empty: Memory left, VRAM right
  QStringList recentFiles;
  QString lastFolder;
  std::vector<ChosenDevice> devices;  // GPUs in their order, and the host; empty: those of this machine
  bool operator==(const WindowSettings&) const = default;
};

inline constexpr int kMaxRecentFiles = 10;

// Newest first, each once, at most kMaxRecentFiles.
QStringList withRecentFile(QStringList files, const QString& path);

}  // namespace headroom::ui
