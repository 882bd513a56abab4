#include "ui/chat/attachment_reader.h"

#include "ui/background/background.h"

namespace headroom::ui {

AttachmentReader::AttachmentReader(Read read, QObject* parent) : QObject(parent), m_read(std::move(read)) {}

AttachmentReader::~AttachmentReader() {
  for (Running& running : m_running) running.stop.request_stop();
}

quint64 AttachmentReader::read(const QString& path) {
  const quint64 id = ++m_lastId;
  Running running;
  const AttachmentOrder order{path, m_limit, running.stop.token()};
  running.watcher = runInBackground(
      readingThreads(), this, [read = m_read, order] { return read(order); },
      [this, id, path](const ReadAttachment& found) { finish(id, path, found); });
  m_running.insert(id, running);
  return id;
}

void AttachmentReader::cancel(quint64 id) {
  Running running = m_running.take(id);
  if (running.watcher == nullptr) return;
  running.stop.request_stop();
  running.watcher->cancel();  // one that waits for a thread does not begin
  delete running.watcher;
}

void AttachmentReader::finish(quint64 id, const QString& path, const ReadAttachment& found) {
  m_running.remove(id);
  if (const auto* attachment = std::get_if<Attachment>(&found)) {
    emit arrived(id, *attachment);
  } else if (const auto* refusal = std::get_if<AttachmentRefusal>(&found)) {
    emit refused(id, refusal->sentence);
  } else {
    emit folderFound(id, path);
  }
}

}  // namespace headroom::ui
