// Looks for models on disk, reads their headers and plans each, all on other threads; what it found is a list model.
#pragma once

#include <QObject>
#include <QSet>
#include <QTimer>
#include <memory>
#include <optional>
#include <vector>

#include "ui/format/sentence.h"
#include "ui/library/folder_watcher.h"
#include "ui/library/library_model.h"
#include "ui/library/library_settings.h"
#include "ui/model/model_services.h"

namespace headroom::ui {

// What is known of one folder that is looked into.
struct LibraryFolder {
  ModelFolder where;
  FolderState state = FolderState::Unknown;
  int nModels = 0;       // as it was last seen
  bool wasSeen = false;  // it was there, at some time of this run
};

// GUI thread. Nothing is looked at before somebody sees the list; then folders are watched, and what changes in them is
// looked at while the list is seen, else when it is seen again. A disk that does not answer keeps its own folder
// waiting and nothing else, the end of the program included.
class ModelLibrary : public QObject {
  Q_OBJECT
 public:
  // `inspect` may still run when this object is gone.
  ModelLibrary(InspectModel inspect, LibraryPlaces places, LibrarySettings settings, QObject* parent = nullptr);
  ~ModelLibrary() override;

  LibraryModel& model() { return m_model; }
  const LibrarySettings& settings() const { return m_settings; }
  const LibraryPlaces& places() const { return m_places; }
  QVector<LibraryFolder> folders() const;  // in the order in which they are looked into
  // Something that was asked for is still being looked for or read.
  bool isBusy() const;

  void setSettings(const LibrarySettings& settings);     // as they were kept
  void chooseSettings(const LibrarySettings& settings);  // by the user: they are told
  void setDevices(const StartingDevices& devices);       // what fits where: all is planned anew
  void setLoadedPath(const QString& path);               // empty: no model is loaded
  // Somebody looks at the list, or at the folders.
  void setSeen(const QObject* viewer, bool isSeen);
  // What is on the screen is read and planned first.
  void setVisible(const QStringList& paths);
  void look();  // into all folders, now
  // To the trash of its disk, with all its parts; removed() or removalFailed() follows.
  void moveToTrash(const QString& path);

 signals:
  void settingsChanged(const headroom::ui::LibrarySettings& settings);  // by the user
  void foldersChanged();                                                // of folders(), or isBusy()
  void removed(const QString& name);
  void removalFailed(const headroom::ui::Sentence& sentence);

 private:
  static QString notTrashedText(const QString& name, const QStringList& moved);
  struct Folder {
    LibraryFolder told;
    FolderListing listing;  // as it was when it was last there
    bool isListing = false, isReading = false, isChecking = false, isOutdated = false;
  };
  struct Summary {  // of one file as it was then
    Bytes bytes = 0;
    qint64 changedMs = 0;
    HeaderFacts facts;
    bool isArriving = false;
  };
  void takeFolders(const QVector<ModelFolder>& folders);
  void list(Folder& folder);
  void takeListing(const ModelFolder& where, const FolderListing& listing);
  void merge();
  void fill(LibraryEntry& entry) const;
  void readNext(Folder& folder);
  void takeFacts(const FoundModel& found, const HeaderFacts& facts);
  void planNext();
  void takeFit(const QString& canonical, const ModelFit& fit);
  void watch();
  void lookSoon(const QString& changed);
  void checkStates();
  void followArrivals();
  Folder* find(const ModelFolder& where);
  QVector<FoundModel> visibleFirst(const std::function<bool(const LibraryEntry&)>& wanted) const;

  InspectModel m_inspect;
  LibraryPlaces m_places;
  LibrarySettings m_settings;
  std::optional<StartingDevices> m_devices;
  LibraryModel m_model;
  std::vector<std::unique_ptr<Folder>> m_folders;
  QHash<QString, Summary> m_summaries;  // by canonical path
  QHash<QString, ModelFit> m_fits;      // likewise, of the devices of some time
  QSet<QString> m_planned;              // likewise, of the devices of now
  QString m_loadedPath;
  QSet<QString> m_visible;  // paths
  StopFlag m_stop;          // of all that runs for these settings
  quint64 m_nDevices = 0;   // how often the devices changed
  QSet<const QObject*> m_viewers;
  bool m_isSeen = false, m_isResolving = false, m_isPlanning = false;
  FolderWatcher m_watcher;
  QTimer m_lookTimer, m_arrivalTimer, m_aboveTimer, m_stateTimer;
};

}  // namespace headroom::ui
