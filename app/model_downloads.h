// Downloads of models, put together: who keeps the token, what is fetched, what was looked for.
#pragma once

#include <QObject>
#include <QPointer>
#include <memory>

#include "app/token_keeper.h"
#include "ui/library/downloads.h"
#include "ui/library/hub_browser.h"

namespace headroom::ui {
class DownloadPanel;
class ModelController;
class SettingsModel;
}  // namespace headroom::ui

namespace headroom::app {

// Outlives the window, whose panel borrows from it. `dataFolder`: where models go when the settings name no
// folder, in "models". `modelsToStart`: the file with the short list; empty: none.
class ModelDownloads : public QObject {
  Q_OBJECT
 public:
  ModelDownloads(ui::SettingsModel& settings, ui::ModelController& models, ui::InspectModel inspect, QString dataFolder,
                 QString modelsToStart, Keyring keyring, QObject* parent = nullptr);
  ~ModelDownloads() override;

  // Goes to whoever shows it. One at a time.
  ui::DownloadPanel* makePanel();
  void findUnfinished();  // of earlier starts, also where downloads went then; they stand still until the user says
                          // otherwise
  QString folder() const;
  ui::Downloads& downloads() { return *m_downloads; }

 private:
  ui::HubAccess access() const;
  void listFolderOf(const QString& path);

  ui::SettingsModel& m_settings;
  ui::ModelController& m_models;
  const QString m_dataFolder, m_modelsToStart;
  TokenKeeper m_tokens;
  std::unique_ptr<ui::Downloads> m_downloads;
  std::unique_ptr<ui::HubBrowser> m_browser;
};

}  // namespace headroom::app
