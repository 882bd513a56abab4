#include "app/model_downloads.h"

#include <QFile>
#include <QFileInfo>
#include <utility>

#include "ui/library/download_panel.h"
#include "ui/library/hub_reference.h"
#include "ui/library/model_folders.h"
#include "ui/model/model_controller.h"
#include "ui/settings/settings_model.h"

namespace headroom::app {

ModelDownloads::ModelDownloads(ui::SettingsModel& settings, ui::ModelController& models, ui::InspectModel inspect,
                               QString dataFolder, QString modelsToStart, Keyring keyring, QObject* parent)
    : QObject(parent),
      m_settings(settings),
      m_models(models),
      m_dataFolder(std::move(dataFolder)),
      m_modelsToStart(std::move(modelsToStart)),
      m_tokens(std::move(keyring)),
      m_downloads(
          std::make_unique<ui::Downloads>([this] { return access(); }, ui::systemDisk(), ui::DownloadLimits())) {
  connect(m_downloads.get(), &ui::Downloads::finished, this, &ModelDownloads::listFolderOf);
  ui::BrowserPorts ports;
  ports.findAccess = [this] { return access(); };
  ports.downloadFolder = [this] { return folder(); };
  ports.startingDevices = [this] { return m_models.calculator().startingDevices(); };
  ports.inspectModel = std::move(inspect);
  m_browser = std::make_unique<ui::HubBrowser>(std::move(ports), ui::BrowserLimits());
}

ModelDownloads::~ModelDownloads() = default;

ui::HubAccess ModelDownloads::access() const {
  // What other programs were given is for the hub that they talk to, and no mirror of ours.
  const QUrl hub = ui::hubAddress(m_settings.library().hubAddress);
  const ui::TokenSource source = m_tokens.source();
  const bool isOurs = source == ui::TokenSource::Keyring || source == ui::TokenSource::ThisRun;
  return {hub, isOurs || hub.host() == ui::hubAddress({}).host() ? m_tokens.token() : QByteArray()};
}

QString ModelDownloads::folder() const {
  return ui::downloadFolder(m_settings.library(), ui::libraryPlaces(m_dataFolder));
}

void ModelDownloads::findUnfinished() {
  for (const QString& root : ui::foldersOfDownloads(m_settings.library(), ui::libraryPlaces(m_dataFolder)))
    m_downloads->findUnfinished(root);
}

// What was fetched is listed wherever it lies. The folder of now is, by whichever name it is reached.
void ModelDownloads::listFolderOf(const QString& path) {
  const QString here = QFileInfo(folder()).canonicalFilePath();
  if (!here.isEmpty() && QFileInfo(path).canonicalFilePath().startsWith(here + QLatin1Char('/'))) return;
  ui::LibrarySettings library = m_settings.library();
  if (ui::listEarlierFolderOf(library, path, ui::libraryPlaces(m_dataFolder))) m_settings.setLibrary(library);
}

// A damaged list is left out: it is nobody's first need.
ui::DownloadPanel* ModelDownloads::makePanel() {
  QFile file(m_modelsToStart);
  Result<std::vector<ui::ModelToStart>> toStart =
      ui::parseModelsToStart(file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray());
  auto* panel = new ui::DownloadPanel(*m_browser, *m_downloads, m_tokens,
                                      toStart ? std::move(*toStart) : std::vector<ui::ModelToStart>());
  const ui::StartingDevices devices = m_models.calculator().startingDevices();
  Bytes memory = 0;
  for (const DeviceInfo& device : devices.choices.present()) memory += device.total_bytes;
  panel->setMemory(memory);
  return panel;
}

}  // namespace headroom::app
