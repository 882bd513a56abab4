// Reads files to attach, away from the window's thread.
#pragma once

#include <QHash>
#include <QObject>
#include <functional>

#include "ui/chat/attachment.h"

class QFutureWatcherBase;

namespace headroom::ui {

class AttachmentReader : public QObject {
  Q_OBJECT
 public:
  // What reads a path; called on another thread, perhaps after the reader is gone.
  using Read = std::function<ReadAttachment(const QString& path)>;

  explicit AttachmentReader(Read read = readAttachment, QObject* parent = nullptr);

  // Begins to read and returns at once. One signal below follows with the id, which grows, unless it is cancelled.
  quint64 read(const QString& path);
  void cancel(quint64 id);  // nothing follows any more, whatever the disk does

 signals:
  void arrived(quint64 id, const headroom::ui::Attachment& attachment);
  void refused(quint64 id, const QString& sentence);
  void folderFound(quint64 id, const QString& path);

 private:
  void finish(quint64 id, const QString& path, const ReadAttachment& found);

  Read m_read;
  quint64 m_lastId = 0;
  QHash<quint64, QFutureWatcherBase*> m_running;
};

}  // namespace headroom::ui
