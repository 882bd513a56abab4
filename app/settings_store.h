// Where the settings are kept between starts: one file.
#pragma once

#include <QString>

#include "ui/settings/settings.h"

namespace headroom::app {

QString settingsFile(const QString& dataFolder);

// An INI file. What is absent, unreadable or out of range is the default.
class SettingsStore {
 public:
  explicit SettingsStore(QString path) : m_path(std::move(path)) {}
  ui::Settings read() const;
  bool write(const ui::Settings& settings) const;  // false: the file cannot be written

 private:
  QString m_path;
};

}  // namespace headroom::app
