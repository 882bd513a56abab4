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
  // What reads a file; called on another thread, perhaps after the reader is gone.
  using Read = std::function<ReadAttachment(const AttachmentOrder& order)>;

  explicit AttachmentReader(Read read, QObject* parent = nullptr);
  ~AttachmentReader() override;  // asks those that run to stop, and waits for none

  void setRead(Read read) { m_read = std::move(read); }             // of files that come later
  void setLimit(const AttachmentLimit& limit) { m_limit = limit; }  // likewise

  // Begins to read and returns at once. One signal below follows with the id, which grows, unless it is cancelled.
  quint64 read(const QString& path);
  void cancel(quint64 id);  // nothing follows any more, whatever the disk does

 signals:
  void arrived(quint64 id, const headroom::ui::Attachment& attachment);
  void refused(quint64 id, const headroom::ui::Sentence& sentence);
  void folderFound(quint64 id, const QString& path);

 private:
  struct Running {
    QFutureWatcherBase* watcher = nullptr;
    StopSource stop;
  };
  void finish(quint64 id, const QString& path, const ReadAttachment& found);

  Read m_read;
  AttachmentLimit m_limit;
  quint64 m_lastId = 0;
  QHash<quint64, Running> m_running;
};

}  // namespace headroom::ui
