// Everything that the program remembers between starts, beside conversations: one struct, one file.
#pragma once

#include <QString>

#include "ui/chat/chat_settings.h"
#include "ui/library/library_settings.h"
#include "ui/main_window/window_settings.h"
#include "ui/model/model_memory.h"

namespace headroom::app {

struct Settings {
  ui::WindowSettings window;
  ui::ModelMemory models;
  ui::ChatSettings chat;
  ui::LibrarySettings library;
  bool operator==(const Settings&) const = default;
};

// An INI file. What is absent, unreadable or out of range is the default.
class SettingsStore {
 public:
  explicit SettingsStore(QString path) : m_path(std::move(path)) {}
  Settings read() const;
  bool write(const Settings& settings) const;  // false: the file cannot be written

 private:
  QString m_path;
};

}  // namespace headroom::app
