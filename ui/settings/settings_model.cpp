#include "ui/settings/settings_model.h"

#include <utility>

namespace headroom::ui {

SettingsModel::SettingsModel(Settings settings, QObject* parent) : QObject(parent), m_settings(std::move(settings)) {}

template <class Part>
void SettingsModel::set(Part Settings::*part, const Part& value, void (SettingsModel::*told)()) {
  if (m_settings.*part == value) return;
  m_settings.*part = value;
  emit(this->*told)();
  emit changed();
}

void SettingsModel::setGeneral(const GeneralSettings& general) {
  set(&Settings::general, general, &SettingsModel::generalChanged);
}

void SettingsModel::setAppearance(const AppearanceSettings& appearance) {
  set(&Settings::appearance, appearance, &SettingsModel::appearanceChanged);
}

void SettingsModel::setWindow(const WindowSettings& window) {
  set(&Settings::window, window, &SettingsModel::windowChanged);
}

void SettingsModel::setModels(const ModelMemory& models) {
  set(&Settings::models, models, &SettingsModel::modelsChanged);
}

void SettingsModel::setChat(const ChatSettings& chat) { set(&Settings::chat, chat, &SettingsModel::chatChanged); }

void SettingsModel::setLibrary(const LibrarySettings& library) {
  set(&Settings::library, library, &SettingsModel::libraryChanged);
}

}  // namespace headroom::ui
