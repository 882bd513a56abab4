// Tells when the entries of folders change, without waiting for a disk.
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QStringList>

class QThread;

namespace headroom::ui {

// Lives on the thread of a FolderWatcher.
class FolderWatch : public QFileSystemWatcher {
  Q_OBJECT
 public:
  void watchOnly(const QStringList& folders);

 signals:
  void begun();
};

// GUI thread; the system is asked on a thread of its own, because that looks at each folder, and the disk of one may
// not answer. Nobody waits long for that thread, not even the end of the program.
class FolderWatcher : public QObject {
  Q_OBJECT
 public:
  explicit FolderWatcher(QObject* parent = nullptr);
  ~FolderWatcher() override;

  void setFolders(const QStringList& folders);  // in the place of those before

 signals:
  void changed(const QString& folder);  // a file or folder in it was made, removed or renamed
  void begun();                         // more folders are watched from now on: what changed before was not told

 private:
  QThread* m_thread;
  FolderWatch* m_watch;
};

}  // namespace headroom::ui
