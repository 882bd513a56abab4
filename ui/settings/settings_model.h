// The one holder of all settings: whoever shows or uses one reads it here, changes it here and is told here.
#pragma once

#include <QObject>

#include "ui/settings/settings.h"

namespace headroom::ui {

// GUI thread; owned by the application, outlives whoever is given it. Setters that change nothing tell nobody. What a
// slot reads is always the newest, also while another slot changes it again.
class SettingsModel : public QObject {
  Q_OBJECT
 public:
  explicit SettingsModel(Settings settings = {}, QObject* parent = nullptr);

  const Settings& all() const { return m_settings; }
  const GeneralSettings& general() const { return m_settings.general; }
  const AppearanceSettings& appearance() const { return m_settings.appearance; }
  const WindowSettings& window() const { return m_settings.window; }
  const ModelMemory& models() const { return m_settings.models; }
  const ChatSettings& chat() const { return m_settings.chat; }
  const LibrarySettings& library() const { return m_settings.library; }

  void setGeneral(const GeneralSettings& general);
  void setAppearance(const AppearanceSettings& appearance);
  void setWindow(const WindowSettings& window);
  void setModels(const ModelMemory& models);
  void setChat(const ChatSettings& chat);
  void setLibrary(const LibrarySettings& library);

 signals:
  void generalChanged();
  void appearanceChanged();
  void windowChanged();
  void modelsChanged();
  void chatChanged();
  void libraryChanged();
  void changed();  // any of them, behind its own signal

 private:
  template <class Part>
  void set(Part Settings::*part, const Part& value, void (SettingsModel::*told)());

  Settings m_settings;
};

}  // namespace headroom::ui
