#include "ui/library/folder_watcher.h"

#include <QSet>
#include <QThread>

namespace headroom::ui {
namespace {

constexpr int kEndMs = 200;

}  // namespace

void FolderWatch::watchOnly(const QStringList& folders) {
  const QStringList now = directories();
  const QSet<QString> wanted(folders.begin(), folders.end()), watched(now.begin(), now.end());
  const QStringList gone = (watched - wanted).values(), added = (wanted - watched).values();
  if (!gone.isEmpty()) removePaths(gone);
  // What is not there cannot be watched, and is tried again with the next change.
  if (!added.isEmpty() && addPaths(added).size() < added.size()) emit begun();
}

FolderWatcher::FolderWatcher(QObject* parent) : QObject(parent), m_thread(new QThread), m_watch(new FolderWatch) {
  connect(m_watch, &QFileSystemWatcher::directoryChanged, this, &FolderWatcher::changed);
  connect(m_watch, &FolderWatch::begun, this, &FolderWatcher::begun);
  m_thread->setObjectName(QStringLiteral("watching"));
  m_thread->setStackSize(1 << 20);
  m_watch->moveToThread(m_thread);
  connect(m_thread, &QThread::finished, m_watch, &QObject::deleteLater);
  m_thread->start();
}

// A thread that a disk keeps is left to it.
FolderWatcher::~FolderWatcher() {
  m_thread->quit();
  if (m_thread->wait(kEndMs)) delete m_thread;
}

// Nothing of this object is touched there: it may be gone when a disk answers at last.
void FolderWatcher::setFolders(const QStringList& folders) {
  const auto watch = [watch = m_watch, folders] { watch->watchOnly(folders); };
  QMetaObject::invokeMethod(m_watch, watch, Qt::QueuedConnection);
}

}  // namespace headroom::ui
