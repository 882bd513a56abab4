#include "app/settings_store.h"

#include <QDir>
#include <QSettings>
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "format/dtype_table.h"
#include "plan/plan_options.h"
#include "ui/library/model_folders.h"

namespace headroom::app {

namespace {

using ui::Settings;

// Where a setting stands in the file and in the struct.
struct Entry {
  const char* key;
  std::function<QVariant(const Settings&)> get;
  std::function<void(Settings&, const QVariant&)> set;
};

void setWidth(int& target, const QVariant& value) {
  bool ok = false;
  const int px = value.toInt(&ok);
  if (ok && px >= 0 && px <= 10'000) target = px;
}

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

ui::LanguageChoice languageFrom(const QString& name) {
  return name == QLatin1StringView("en")   ? ui::LanguageChoice::English
         : name == QLatin1StringView("de") ? ui::LanguageChoice::German
                                           : ui::LanguageChoice::System;
}

QString languageName(ui::LanguageChoice choice) {
  switch (choice) {
    case ui::LanguageChoice::English: return QStringLiteral("en");
    case ui::LanguageChoice::German: return QStringLiteral("de");
    case ui::LanguageChoice::System: break;
  }
  return QStringLiteral("system");
}

// "memory+vram": the panes that are open; absent while the user has chosen none.
constexpr auto kMemoryPane = QLatin1StringView("memory"), kVramPane = QLatin1StringView("vram"),
               kNoPane = QLatin1StringView("none");

QVariant panesValue(const std::optional<ui::Panes>& panes) {
  if (!panes) return QString();
  QStringList open;
  if (panes->memory) open << kMemoryPane;
  if (panes->vram) open << kVramPane;
  return open.isEmpty() ? QString(kNoPane) : open.join(QLatin1Char('+'));
}

std::optional<ui::Panes> panesFrom(const QString& text) {
  ui::Panes panes;
  for (const QString& name : text.split(QLatin1Char('+'))) {
    if (name == kMemoryPane) panes.memory = true;
    if (name == kVramPane) panes.vram = true;
    if (name != kMemoryPane && name != kVramPane && name != kNoPane) return std::nullopt;
  }
  return panes;
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

// One option of a plan: `set` is told what stands in the file.
struct PlanEntry {
  const char* key;
  std::function<QVariant(const PlanOptions&)> get;
  std::function<void(PlanOptions&, const QVariant&)> set;
};

template <class T>
PlanEntry countEntry(const char* key, T PlanOptions::*field, qlonglong from, qlonglong to) {
  return {key, [field](const PlanOptions& options) { return QVariant(static_cast<qlonglong>(options.*field)); },
          [field, from, to](PlanOptions& options, const QVariant& value) {
            bool ok = false;
            const qlonglong number = value.toLongLong(&ok);
            if (ok && number >= from && number <= to) options.*field = static_cast<T>(number);
          }};
}

PlanEntry typeEntry(const char* key, DType PlanOptions::*field) {
  return {key,
          [field](const PlanOptions& options) {
            return QVariant(QString::fromStdString(std::string(dtype_row(options.*field).name)));
          },
          [field](PlanOptions& options, const QVariant& value) {
            for (const DTypeRow& row : kDTypes) {
              if (row.is_kv_offered && row.name == value.toString().toStdString()) options.*field = row.dtype;
            }
          }};
}

// Those that the window has a control for; the others are chosen anew for each plan.
const std::vector<PlanEntry>& planEntries() {
  using O = PlanOptions;
  static const std::vector<PlanEntry> kEntries{
      countEntry("context", &O::n_ctx, 0, kMaxContext),
      countEntry("slots", &O::n_slots, 1, kMaxBatch),
      countEntry("batch", &O::n_batch, kAutoBatch, kMaxBatch),
      countEntry("checkpoints", &O::n_checkpoints, kAutoCheckpoints, kMostCheckpoints),
      countEntry("gpu_layers", &O::n_gpu_layers, kAutoLayers, 100'000),
      countEntry("cpu_ffn", &O::n_cpu_ffn, kAutoLayers, 100'000),
      typeEntry("keys", &O::kv_k),
      typeEntry("values", &O::kv_v)};
  return kEntries;
}

ui::PlannedModel readPlanned(QSettings& file) {
  ui::PlannedModel model;
  model.path = file.value(QStringLiteral("path")).toString();
  for (const PlanEntry& entry : planEntries()) {
    const QVariant value = file.value(QLatin1StringView(entry.key));
    if (value.isValid()) entry.set(model.asked, value);
  }
  readArray(file, "devices", [&] {
    if (const auto device = readDevice(file)) model.devices.push_back(*device);
  });
  return model;
}

void writePlanned(QSettings& file, const ui::PlannedModel& model) {
  file.setValue(QStringLiteral("path"), model.path);
  for (const PlanEntry& entry : planEntries()) file.setValue(QLatin1StringView(entry.key), entry.get(model.asked));
  writeArray(file, "devices", model.devices.size(), [&](std::size_t i) { writeDevice(file, model.devices[i]); });
}

const std::vector<Entry>& entries() {
  using S = Settings;
  static const std::vector<Entry> kEntries{
      // Not "general": QSettings writes such a group as "General" and does not find it again.
      {"program/loads_last", [](const S& s) { return QVariant(s.general.loadsLast); },
       [](S& s, const QVariant& v) { s.general.loadsLast = v.toBool(); }},
      {"program/enter_sends", [](const S& s) { return QVariant(s.general.enterSends); },
       [](S& s, const QVariant& v) { s.general.enterSends = v.toBool(); }},
      {"program/model_titles", [](const S& s) { return QVariant(s.general.modelTitles); },
       [](S& s, const QVariant& v) { s.general.modelTitles = v.toBool(); }},
      {"program/language", [](const S& s) { return QVariant(languageName(s.general.language)); },
       [](S& s, const QVariant& v) { s.general.language = languageFrom(v.toString()); }},
      {"window/theme", [](const S& s) { return QVariant(themeName(s.appearance.theme)); },
       [](S& s, const QVariant& v) { s.appearance.theme = themeFrom(v.toString()); }},
      {"window/text_percent", [](const S& s) { return QVariant(s.appearance.textPercent); },
       [](S& s, const QVariant& v) {
         if (const int percent = v.toInt(); std::ranges::count(ui::kTextPercents, percent) == 1)
           s.appearance.textPercent = percent;
       }},
      {"window/high_contrast", [](const S& s) { return QVariant(s.appearance.highContrast); },
       [](S& s, const QVariant& v) { s.appearance.highContrast = v.toBool(); }},
      {"window/reduce_motion", [](const S& s) { return QVariant(s.appearance.reduceMotion); },
       [](S& s, const QVariant& v) { s.appearance.reduceMotion = v.toBool(); }},
      {"window/geometry", [](const S& s) { return QVariant(s.window.geometry); },
       [](S& s, const QVariant& v) { s.window.geometry = v.toByteArray(); }},
      {"window/docks", [](const S& s) { return QVariant(s.window.docks); },
       [](S& s, const QVariant& v) { s.window.docks = v.toByteArray(); }},
      {"window/panes", [](const S& s) { return panesValue(s.window.panes); },
       [](S& s, const QVariant& v) { s.window.panes = panesFrom(v.toString()); }},
      {"window/memory_width", [](const S& s) { return QVariant(s.window.paneWidths.memory); },
       [](S& s, const QVariant& v) { setWidth(s.window.paneWidths.memory, v); }},
      {"window/vram_width", [](const S& s) { return QVariant(s.window.paneWidths.vram); },
       [](S& s, const QVariant& v) { setWidth(s.window.paneWidths.vram, v); }},
      {"window/recent_files", [](const S& s) { return QVariant(s.models.recentFiles); },
       [](S& s, const QVariant& v) { s.models.recentFiles = v.toStringList().mid(0, ui::kMaxRecentFiles); }},
      {"models/loaded", [](const S& s) { return QVariant(s.models.loadedPath); },
       [](S& s, const QVariant& v) { s.models.loadedPath = v.toString(); }},
      {"models/is_loading", [](const S& s) { return QVariant(s.models.isLoading); },
       [](S& s, const QVariant& v) { s.models.isLoading = v.toBool(); }},
      {"window/last_folder", [](const S& s) { return QVariant(s.window.lastFolder); },
       [](S& s, const QVariant& v) { s.window.lastFolder = v.toString(); }},
      {"chat/system_prompt", [](const S& s) { return QVariant(s.chat.systemPrompt); },
       [](S& s, const QVariant& v) { s.chat.systemPrompt = v.toString(); }},
      {"chat/list_visible", [](const S& s) { return QVariant(s.chat.listVisible); },
       [](S& s, const QVariant& v) { s.chat.listVisible = v.toBool(); }},
      {"chat/panel_visible", [](const S& s) { return QVariant(s.chat.panelVisible); },
       [](S& s, const QVariant& v) { s.chat.panelVisible = v.toBool(); }},
      {"chat/list_width", [](const S& s) { return QVariant(s.chat.listWidth); },
       [](S& s, const QVariant& v) { setWidth(s.chat.listWidth, v); }},
      {"chat/panel_width", [](const S& s) { return QVariant(s.chat.panelWidth); },
       [](S& s, const QVariant& v) { setWidth(s.chat.panelWidth, v); }},
      {"library/folders", [](const S& s) { return QVariant(s.library.folders); },
       [](S& s, const QVariant& v) { s.library.folders = v.toStringList(); }},
      {"library/hugging_face", [](const S& s) { return QVariant(s.library.huggingFace); },
       [](S& s, const QVariant& v) { s.library.huggingFace = v.toBool(); }},
      {"library/lm_studio", [](const S& s) { return QVariant(s.library.lmStudio); },
       [](S& s, const QVariant& v) { s.library.lmStudio = v.toBool(); }},
      {"library/ollama", [](const S& s) { return QVariant(s.library.ollama); },
       [](S& s, const QVariant& v) { s.library.ollama = v.toBool(); }},
      {"library/download_folder", [](const S& s) { return QVariant(s.library.downloadFolder); },
       [](S& s, const QVariant& v) { s.library.downloadFolder = v.toString(); }},
      {"library/earlier_download_folders", [](const S& s) { return QVariant(s.library.earlierDownloadFolders); },
       [](S& s, const QVariant& v) {
         s.library.earlierDownloadFolders = v.toStringList().mid(0, ui::kMostEarlierFolders);
       }},
      {"library/hub_address", [](const S& s) { return QVariant(s.library.hubAddress); },
       [](S& s, const QVariant& v) { s.library.hubAddress = v.toString(); }},
  };
  return kEntries;
}

SamplerSettings readSampler(const QSettings& file, const QString& prefix) {
  SamplerSettings sampler;
  for (const auto& entry : ui::samplerFields()) {
    const QVariant value = file.value(prefix + QLatin1StringView(entry.key));
    if (value.isValid()) entry.set(sampler, value);
  }
  return sampler;
}

void writeSampler(QSettings& file, const QString& prefix, const SamplerSettings& sampler) {
  for (const auto& entry : ui::samplerFields())
    file.setValue(prefix + QLatin1StringView(entry.key), entry.get(sampler));
}

}  // namespace

QString settingsFile(const QString& dataFolder) { return QDir(dataFolder).filePath(QStringLiteral("settings.ini")); }

ui::Settings SettingsStore::read() const {
  QSettings file(m_path, QSettings::IniFormat);
  Settings settings;
  for (const Entry& entry : entries()) {
    const QVariant value = file.value(QLatin1StringView(entry.key));
    if (value.isValid()) entry.set(settings, value);
  }
  settings.chat.answers.sampler = readSampler(file, QStringLiteral("sampler/"));
  for (const auto& field : ui::answerFields())
    field.set(settings.chat.answers, file.value(QStringLiteral("chat/") + QLatin1StringView(field.key)));
  readArray(file, "prompts", [&] {
    const QString name = file.value(QStringLiteral("name")).toString();
    if (!name.isEmpty()) settings.chat.prompts.append({name, file.value(QStringLiteral("text")).toString()});
  });
  readArray(file, "presets", [&] {
    const QString name = file.value(QStringLiteral("name")).toString();
    if (!name.isEmpty()) settings.chat.presets.append({name, readSampler(file, QString())});
  });
  readArray(file, "devices", [&] {
    if (const auto device = readDevice(file)) settings.models.devices.push_back(*device);
  });
  readArray(file, "planned", [&] {
    ui::PlannedModel model = readPlanned(file);
    if (!model.path.isEmpty() && settings.models.planned.size() < ui::kMaxPlannedModels)
      settings.models.planned.push_back(std::move(model));
  });
  return settings;
}

bool SettingsStore::write(const Settings& settings) const {
  QSettings file(m_path, QSettings::IniFormat);
  for (const Entry& entry : entries()) file.setValue(QLatin1StringView(entry.key), entry.get(settings));
  writeSampler(file, QStringLiteral("sampler/"), settings.chat.answers.sampler);
  for (const auto& field : ui::answerFields())
    file.setValue(QStringLiteral("chat/") + QLatin1StringView(field.key), field.get(settings.chat.answers));
  const auto& prompts = settings.chat.prompts;
  writeArray(file, "prompts", static_cast<std::size_t>(prompts.size()), [&](std::size_t i) {
    file.setValue(QStringLiteral("name"), prompts[static_cast<qsizetype>(i)].name);
    file.setValue(QStringLiteral("text"), prompts[static_cast<qsizetype>(i)].text);
  });
  const auto& presets = settings.chat.presets;
  writeArray(file, "presets", static_cast<std::size_t>(presets.size()), [&](std::size_t i) {
    const auto& preset = presets[static_cast<qsizetype>(i)];
    file.setValue(QStringLiteral("name"), preset.name);
    writeSampler(file, QString(), preset.sampler);
  });
  const auto& devices = settings.models.devices;
  writeArray(file, "devices", devices.size(), [&](std::size_t i) { writeDevice(file, devices[i]); });
  const auto& planned = settings.models.planned;
  writeArray(file, "planned", planned.size(), [&](std::size_t i) { writePlanned(file, planned[i]); });
  file.sync();
  return file.status() == QSettings::NoError;
}

}  // namespace headroom::app
