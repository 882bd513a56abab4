#include "app/conversation_store.h"

#include <QDir>
#include <QFileInfo>
#include <memory>
#include <utility>

#include "app/conversation_database.h"

namespace headroom::app {

// The worker's side: the database, and what is told back.
class ConversationWorker : public QObject {
  Q_OBJECT
 public:
  explicit ConversationWorker(QString path) : m_path(std::move(path)) {}

  void start() {
    QDir().mkpath(QFileInfo(m_path).absolutePath());
    Result<std::unique_ptr<ConversationDatabase>> opened = ConversationDatabase::open(m_path);
    if (!opened) return tell(opened.error());
    m_database = std::move(*opened);
    if (!m_database->movedTo().isEmpty()) {
      emit problemFound(tr("The file of conversations could not be read. It was kept as %1, and a new one was started.")
                            .arg(m_database->movedTo()));
    }
    // What was deleted in the last run and not undone.
    check(m_database->purgeAllRemoved());
  }

  // Who asked waits for an answer, also where there is no database.
  void open(const QString& conversationId) {
    if (!m_database) return emit openFailed(conversationId);
    const auto conversation = m_database->read(conversationId);
    if (conversation) return emit opened(*conversation);
    tell(conversation.error());
    emit openFailed(conversationId);
  }

  // Without a database nothing is done: that was told once, at the start.
  template <class Call>
  void with(const Call& call) {
    if (m_database) call(*m_database, *this);
  }

  void check(const Status& status) {
    if (!status) tell(status.error());
  }
  // A full disk fails every save of an answer; the same sentence is told once.
  void tell(const Error& error) {
    if (error.message == m_told) return;
    m_told = error.message;
    emit problemFound(QString::fromStdString(error.message));
  }

 signals:
  void listed(const QString& search, const QVector<headroom::ui::ConversationHead>& heads);
  void opened(const headroom::ui::Conversation& conversation);
  void openFailed(const QString& conversationId);
  void problemFound(const QString& message);

 private:
  QString m_path;
  std::string m_told;
  std::unique_ptr<ConversationDatabase> m_database;
};

ConversationStore::ConversationStore(const QString& path, QObject* parent)
    : ui::ConversationPort(parent), m_worker(new ConversationWorker(path)) {
  m_worker->moveToThread(&m_thread);
  connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
  connect(m_worker, &ConversationWorker::listed, this, &ConversationStore::listed);
  connect(m_worker, &ConversationWorker::opened, this, &ConversationStore::opened);
  connect(m_worker, &ConversationWorker::openFailed, this, &ConversationStore::openFailed);
  connect(m_worker, &ConversationWorker::problemFound, this, &ConversationStore::problemFound);
  m_thread.setObjectName(QStringLiteral("conversations"));
  m_thread.start();
  QMetaObject::invokeMethod(m_worker, &ConversationWorker::start, Qt::QueuedConnection);
}

ConversationStore::~ConversationStore() {
  // Behind everything that was asked before; nothing new can be asked now.
  QMetaObject::invokeMethod(
      m_worker, [thread = &m_thread] { thread->quit(); }, Qt::QueuedConnection);
  m_thread.wait();
}

template <class Call>
void ConversationStore::post(Call call) {
  QMetaObject::invokeMethod(
      m_worker, [worker = m_worker, call = std::move(call)] { worker->with(call); }, Qt::QueuedConnection);
}

void ConversationStore::list(const QString& search) {
  post([search](ConversationDatabase& database, ConversationWorker& worker) {
    const auto heads = database.list(search);
    heads ? emit worker.listed(search, *heads) : worker.tell(heads.error());
  });
}

void ConversationStore::open(const QString& conversationId) {
  const auto read = [worker = m_worker, conversationId] { worker->open(conversationId); };
  QMetaObject::invokeMethod(m_worker, read, Qt::QueuedConnection);
}

void ConversationStore::saveHead(const ui::ConversationHead& head) {
  post([head](ConversationDatabase& database, ConversationWorker& worker) { worker.check(database.saveHead(head)); });
}

void ConversationStore::saveTurn(const QString& conversationId, const ui::Turn& turn) {
  post([conversationId, turn](ConversationDatabase& database, ConversationWorker& worker) {
    worker.check(database.saveTurn(conversationId, turn));
  });
}

void ConversationStore::rename(const QString& conversationId, const QString& title) {
  post([=](ConversationDatabase& database, ConversationWorker& worker) {
    worker.check(database.rename(conversationId, title));
  });
}

void ConversationStore::chooseVersion(const QString& conversationId, const QString& id) {
  post([=](ConversationDatabase& database, ConversationWorker& worker) {
    worker.check(database.chooseVersion(conversationId, id));
  });
}

void ConversationStore::remove(const QString& conversationId) {
  post([=](ConversationDatabase& database, ConversationWorker& worker) {
    worker.check(database.setRemoved(conversationId, true));
  });
}

void ConversationStore::restore(const QString& conversationId) {
  post([=](ConversationDatabase& database, ConversationWorker& worker) {
    worker.check(database.setRemoved(conversationId, false));
  });
}

void ConversationStore::purge(const QString& conversationId) {
  post([=](ConversationDatabase& database, ConversationWorker& worker) {
    worker.check(database.purge(conversationId));
  });
}

}  // namespace headroom::app

#include "conversation_store.moc"
