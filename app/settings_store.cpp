#include "app/settings_store.h"

#include <QSettings>
#include <cmath>
#include <functional>
#include <vector>

namespace headroom::app {

namespace {

// Where a setting stands in the file and in the struct.
struct Entry {
  const char* key;
  std::function<QVariant(const Settings&)> get;
  std::function<void(Settings&, const QVariant&)> set;
};

void setFloat(float& target, const QVariant& value, float from, float to) {
  bool ok = false;
  const float number = value.toFloat(&ok);
  if (ok && std::isfinite(number) && number >= from && number <= to) target = number;
}

void setCount(std::uint32_t& target, const QVariant& value) {
  bool ok = false;
  const uint number = value.toUInt(&ok);
  if (ok && number <= 1'000'000) target = number;
}

QVariant number(float value) { return QString::number(static_cast<double>(value), 'g', 6); }

ui::ThemeChoice themeFrom(const QString& name) {
  return name == QLatin1StringView("light")  ? ui::ThemeChoice::Light
         : name == QLatin1StringView("dark") ? ui::ThemeChoice::Dark
                                             : ui::ThemeChoice::System;
}

QString themeName(ui::ThemeChoice choice) {
  switch (choice) {
    case ui::ThemeChoice::Light: return QStringLiteral("light");
    case ui::ThemeChoice::Dark: return QStringLiteral("dark");
    case ui::ThemeChoice::System: break;
  }
  return QStringLiteral("system");
}

// The keys of a sampler, for the current one and for each preset.
struct SamplerEntry {
  const char* key;
  std::function<QVariant(const SamplerSettings&)> get;
  std::function<void(SamplerSettings&, const QVariant&)> set;
};

const std::vector<SamplerEntry>& samplerEntries() {
  using S = SamplerSettings;
  static const std::vector<SamplerEntry> kEntries{
      {"temperature", [](const S& s) { return number(s.temperature); },
       [](S& s, const QVariant& v) { setFloat(s.temperature, v, 0, 5); }},
      {"top_k", [](const S& s) { return QVariant(s.top_k); }, [](S& s, const QVariant& v) { setCount(s.top_k, v); }},
      {"top_p", [](const S& s) { return number(s.top_p); },
       [](S& s, const QVariant& v) { setFloat(s.top_p, v, 0, 1); }},
      {"min_p", [](const S& s) { return number(s.min_p); },
       [](S& s, const QVariant& v) { setFloat(s.min_p, v, 0, 1); }},
      {"repetition_penalty", [](const S& s) { return number(s.repetition_penalty); },
       [](S& s, const QVariant& v) { setFloat(s.repetition_penalty, v, 0.5F, 2); }},
      {"presence_penalty", [](const S& s) { return number(s.presence_penalty); },
       [](S& s, const QVariant& v) { setFloat(s.presence_penalty, v, -2, 2); }},
      {"repetition_window", [](const S& s) { return QVariant(s.repetition_window); },
       [](S& s, const QVariant& v) { setCount(s.repetition_window, v); }},
      {"seed", [](const S& s) { return QVariant::fromValue<qulonglong>(s.seed); },
       [](S& s, const QVariant& v) { s.seed = v.toULongLong(); }},
  };
  return kEntries;
}

const std::vector<Entry>& entries() {
  using S = Settings;
  static const std::vector<Entry> kEntries{
      {"window/theme", [](const S& s) { return QVariant(themeName(s.window.theme)); },
       [](S& s, const QVariant& v) { s.window.theme = themeFrom(v.toString()); }},
      {"window/geometry", [](const S& s) { return QVariant(s.window.geometry); },
       [](S& s, const QVariant& v) { s.window.geometry = v.toByteArray(); }},
      {"window/docks", [](const S& s) { return QVariant(s.window.docks); },
       [](S& s, const QVariant& v) { s.window.docks = v.toByteArray(); }},
      {"window/recent_files", [](const S& s) { return QVariant(s.window.recentFiles); },
       [](S& s, const QVariant& v) { s.window.recentFiles = v.toStringList().mid(0, ui::kMaxRecentFiles); }},
      {"window/last_folder", [](const S& s) { return QVariant(s.window.lastFolder); },
       [](S& s, const QVariant& v) { s.window.lastFolder = v.toString(); }},
      {"chat/max_tokens", [](const S& s) { return QVariant(s.chat.maxTokens); },
       [](S& s, const QVariant& v) { setCount(s.chat.maxTokens, v); }},
      {"chat/system_prompt", [](const S& s) { return QVariant(s.chat.systemPrompt); },
       [](S& s, const QVariant& v) { s.chat.systemPrompt = v.toString(); }},
      {"chat/list_visible", [](const S& s) { return QVariant(s.chat.listVisible); },
       [](S& s, const QVariant& v) { s.chat.listVisible = v.toBool(); }},
      {"chat/panel_visible", [](const S& s) { return QVariant(s.chat.panelVisible); },
       [](S& s, const QVariant& v) { s.chat.panelVisible = v.toBool(); }},
  };
  return kEntries;
}

SamplerSettings readSampler(const QSettings& file, const QString& prefix) {
  SamplerSettings sampler;
  for (const SamplerEntry& entry : samplerEntries()) {
    const QVariant value = file.value(prefix + QLatin1StringView(entry.key));
    if (value.isValid()) entry.set(sampler, value);
  }
  return sampler;
}

void writeSampler(QSettings& file, const QString& prefix, const SamplerSettings& sampler) {
  for (const SamplerEntry& entry : samplerEntries())
    file.setValue(prefix + QLatin1StringView(entry.key), entry.get(sampler));
}

}  // namespace

Settings SettingsStore::read() const {
  QSettings file(m_path, QSettings::IniFormat);
  Settings settings;
  for (const Entry& entry : entries()) {
    const QVariant value = file.value(QLatin1StringView(entry.key));
    if (value.isValid()) entry.set(settings, value);
  }
  settings.chat.sampler = readSampler(file, QStringLiteral("sampler/"));
  const int nPresets = file.beginReadArray(QStringLiteral("presets"));
  for (int i = 0; i < nPresets; ++i) {
    file.setArrayIndex(i);
    const QString name = file.value(QStringLiteral("name")).toString();
    if (!name.isEmpty()) settings.chat.presets.append({name, readSampler(file, QString())});
  }
  file.endArray();
  return settings;
}

bool SettingsStore::write(const Settings& settings) const {
  QSettings file(m_path, QSettings::IniFormat);
  for (const Entry& entry : entries()) file.setValue(QLatin1StringView(entry.key), entry.get(settings));
  writeSampler(file, QStringLiteral("sampler/"), settings.chat.sampler);
  file.remove(QStringLiteral("presets"));
  file.beginWriteArray(QStringLiteral("presets"), static_cast<int>(settings.chat.presets.size()));
  for (qsizetype i = 0; i < settings.chat.presets.size(); ++i) {
    file.setArrayIndex(static_cast<int>(i));
    file.setValue(QStringLiteral("name"), settings.chat.presets[i].name);
    writeSampler(file, QString(), settings.chat.presets[i].sampler);
  }
  file.endArray();
  file.sync();
  return file.status() == QSettings::NoError;
}

}  // namespace headroom::app
