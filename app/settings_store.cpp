#include "app/settings_store.h"

#include <QSettings>
#include <cmath>
#include <functional>
#include <optional>
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

QString thinkingName(ThinkingChoice choice) {
  const std::string_view name = kThinkingChoiceNames[static_cast<std::size_t>(choice)];
  return QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size()));
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

// One array of the file: `add` takes what stands at each place.
void readArray(QSettings& file, const char* name, const std::function<void()>& add) {
  const int n = file.beginReadArray(QLatin1StringView(name));
  for (int i = 0; i < n; ++i) {
    file.setArrayIndex(i);
    add();
  }
  file.endArray();
}

void writeArray(QSettings& file, const char* name, std::size_t n, const std::function<void(std::size_t)>& write) {
  file.remove(QLatin1StringView(name));
  file.beginWriteArray(QLatin1StringView(name), static_cast<int>(n));
  for (std::size_t i = 0; i < n; ++i) {
    file.setArrayIndex(static_cast<int>(i));
    write(i);
  }
  file.endArray();
}

constexpr auto kKeepFree = QLatin1StringView("keep_free"), kAtMost = QLatin1StringView("at_most");

// Absent where the file names no device or no amount.
std::optional<ui::ChosenDevice> readDevice(const QSettings& file) {
  const QString id = file.value(QLatin1StringView("id")).toString();
  const bool isAtMost = file.contains(kAtMost);
  bool ok = false;
  const Bytes bytes = file.value(isAtMost ? kAtMost : kKeepFree).toULongLong(&ok);
  if (id.isEmpty() || !ok) return std::nullopt;
  return ui::ChosenDevice{id, isAtMost ? HeadroomRule(AtMost{bytes}) : HeadroomRule(KeepFree{bytes})};
}

void writeDevice(QSettings& file, const ui::ChosenDevice& device) {
  file.setValue(QLatin1StringView("id"), device.id);
  if (const auto* keep = std::get_if<KeepFree>(&device.headroom))
    file.setValue(kKeepFree, QVariant::fromValue<qulonglong>(keep->bytes));
  if (const auto* most = std::get_if<AtMost>(&device.headroom))
    file.setValue(kAtMost, QVariant::fromValue<qulonglong>(most->bytes));
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
      {"chat/thinking", [](const S& s) { return QVariant(thinkingName(s.chat.thinking)); },
       [](S& s, const QVariant& v) {
         s.chat.thinking = thinking_choice_named(v.toString().toStdString()).value_or(ThinkingChoice::kDefault);
       }},
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
  readArray(file, "presets", [&] {
    const QString name = file.value(QStringLiteral("name")).toString();
    if (!name.isEmpty()) settings.chat.presets.append({name, readSampler(file, QString())});
  });
  readArray(file, "devices", [&] {
    if (const auto device = readDevice(file)) settings.window.devices.push_back(*device);
  });
  return settings;
}

bool SettingsStore::write(const Settings& settings) const {
  QSettings file(m_path, QSettings::IniFormat);
  for (const Entry& entry : entries()) file.setValue(QLatin1StringView(entry.key), entry.get(settings));
  writeSampler(file, QStringLiteral("sampler/"), settings.chat.sampler);
  const auto& presets = settings.chat.presets;
  writeArray(file, "presets", static_cast<std::size_t>(presets.size()), [&](std::size_t i) {
    const auto& preset = presets[static_cast<qsizetype>(i)];
    file.setValue(QStringLiteral("name"), preset.name);
    writeSampler(file, QString(), preset.sampler);
  });
  const auto& devices = settings.window.devices;
  writeArray(file, "devices", devices.size(), [&](std::size_t i) { writeDevice(file, devices[i]); });
  file.sync();
  return file.status() == QSettings::NoError;
}

}  // namespace headroom::app
