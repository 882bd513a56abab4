#include "ui/chat/attachment_reader.h"

#include "ui/background/background.h"

namespace headroom::ui {

AttachmentReader::AttachmentReader(Read read, QObject* parent) : QObject(parent), m_read(std::move(read)) {}

quint64 AttachmentReader::read(const QString& path) {
  const quint64 id = ++m_lastId;
  m_running.insert(id, runInBackground(
                           readingThreads(), this, [read = m_read, path] { return read(path); },
                           [this, id, path](const ReadAttachment& found) { finish(id, path, found); }));
  return id;
}

void AttachmentReader::cancel(quint64 id) {
  QFutureWatcherBase* watcher = m_running.take(id);
  if (watcher == nullptr) return;
  watcher->cancel();  // one that waits for a thread does not begin
  delete watcher;
}

void AttachmentReader::finish(quint64 id, const QString& path, const ReadAttachment& found) {
  m_running.remove(id);
  if (const auto* attachment = std::get_if<Attachment>(&found)) {
    emit arrived(id, *attachment);
  } else if (const auto* error = std::get_if<Error>(&found)) {
    emit refused(id, QString::fromStdString(error->message));
  } else {
    emit folderFound(id, path);
  }
}

}  // namespace headroom::ui
