// All downloads: which run and which wait their turn.
#pragma once

#include <QHash>
#include <QObject>
#include <memory>
#include <vector>

#include "ui/library/download.h"

namespace headroom::ui {

inline constexpr int kMostDownloads = 2;  // that run at once

// GUI thread. Nothing is fetched that the user has not asked for in this start of the program.
class Downloads : public QObject {
  Q_OBJECT
 public:
  Downloads(Download::FindAccess access, DiskPorts disk, DownloadLimits limits, QObject* parent = nullptr);
  ~Downloads() override;

  // What an earlier start left below `root` comes back, paused. Reads the disk on another thread.
  void findUnfinished(const QString& root);
  // One that is there already goes on, also where its folder is reached by another name.
  Download& add(const DownloadSpec& spec);
  void pause(Download& download) { download.pause(); }
  void resume(Download& download);
  // Forgets it; what is unfinished of it leaves the disk, what is done stays.
  void remove(Download& download);

  int count() const { return static_cast<int>(m_downloads.size()); }
  Download& at(int row) const { return *m_downloads[static_cast<std::size_t>(row)]; }
  int rowOf(const Download& download) const;  // -1: not here
  Download* find(const QString& path) const;  // by the first part's final path; null: none

 signals:
  void added(int row);
  void changed(int row);
  void removed(int row);
  void finished(const QString& path);

 private:
  Download& insert(const DownloadSpec& spec, const QString& realPath, DownloadStage stage);
  Download* findReal(const QString& realPath) const;  // null: none
  void fillPlaces();

  Download::FindAccess m_access;
  DiskPorts m_disk;
  DownloadLimits m_limits;
  std::vector<std::unique_ptr<Download>> m_downloads;  // in the order in which they were asked for
  QHash<const Download*, QString> m_realPaths;         // of each the path without links
};

}  // namespace headroom::ui
