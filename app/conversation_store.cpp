#include "app/conversation_store.h"

#include <QDir>
#include <QFileInfo>
#include <QSet>
#include <QTimer>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "app/conversation_database.h"

namespace headroom::app {

namespace {

constexpr int kRetryMs = 2000;

}  // namespace

// The worker's side: the database, what waits to be written into it, and what is told back.
class ConversationWorker : public QObject {
  Q_OBJECT
 public:
  using Change = std::function<Status(ConversationDatabase&)>;

  explicit ConversationWorker(QString path) : m_path(std::move(path)) {
    m_retry.setInterval(kRetryMs);
    connect(&m_retry, &QTimer::timeout, this, &ConversationWorker::writeWaiting);
  }

  void start() {
    QDir().mkpath(QFileInfo(m_path).absolutePath());
    Result<std::unique_ptr<ConversationDatabase>> opened = ConversationDatabase::open(m_path);
    if (!opened) return goOnInMemory(opened.error());
    m_database = std::move(*opened);
    if (!m_database->movedTo().isEmpty()) {
      emit problemFound(
          Message::say("The file of conversations was damaged and could not be read. It was kept as {}, and a new one "
                       "was started.",
                       m_database->movedTo().toStdString()));
    }
    change({}, [](ConversationDatabase& database) { return database.finishInterrupted(); });
    // What was deleted in the last run and not undone.
    change({}, [](ConversationDatabase& database) { return database.purgeAllRemoved(); });
  }

  void list(const QString& search) {
    if (!m_database) return emit listed(search, {});
    const auto found = m_waiting.empty() ? m_database->list(search) : listWithWaiting(search);
    found ? emit listed(search, *found) : tell(found.error());
  }

  // Who asked waits for an answer, also where there is no database.
  void open(const QString& conversationId) {
    if (!m_database) return emit openFailed(conversationId);
    const auto conversation = readable().read(conversationId);
    if (conversation) return emit opened(*conversation);
    tell(conversation.error());
    emit openFailed(conversationId);
  }

  void openNewDraft() {
    const Result<ui::Draft> draft = m_database ? readable().readDraft({}) : ui::Draft();
    if (!draft) tell(draft.error());
    emit newDraftOpened(draft ? *draft : ui::Draft());
  }

  // Changes are made in their order. While the disk is full or the file locked they wait and are tried again; a
  // waiting change of the same `subject` as the newest one waiting is replaced by it. An empty subject is never alike.
  void change(const QString& subject, Change make) {
    if (!m_database) return;
    if (!m_waiting.empty() && !subject.isEmpty() && m_waiting.back().subject == subject) m_waiting.pop_back();
    if (m_withWaiting) static_cast<void>(make(*m_withWaiting));
    m_waiting.push_back({subject, std::move(make)});
    if (!m_retry.isActive()) writeWaiting();
  }

  // All that can be written; what is left is tried again after a while.
  void writeWaiting() {
    while (!m_waiting.empty()) {
      const Status done = m_waiting.front().make(*m_database);
      if (!done && done.error().code == ErrorCode::kResource) return wait(done.error());
      if (!done) tell(done.error());
      m_waiting.pop_front();
    }
    if (!m_retry.isActive()) return;
    m_retry.stop();
    m_withWaiting.reset();
    m_told = {};
    emit problemFound(Message::say("What had waited to be saved is saved now."));
  }

 signals:
  void listed(const QString& search, const QVector<headroom::ui::ListedConversation>& conversations);
  void opened(const headroom::ui::Conversation& conversation);
  void newDraftOpened(const headroom::ui::Draft& draft);
  void openFailed(const QString& conversationId);
  void notKept(const headroom::Message& reason);
  void problemFound(const headroom::Message& problem);

 private:
  struct Waiting {
    QString subject;
    Change make;
  };

  // What waits is read as if it were saved: who leaves a conversation finds in it again what was said and typed.
  ConversationDatabase& readable() {
    if (m_waiting.empty()) return *m_database;
    if (!m_withWaiting) {
      Result<std::unique_ptr<ConversationDatabase>> copy = m_database->copyInMemory();
      if (!copy) return *m_database;
      m_withWaiting = std::move(*copy);
      // What fails here fails in the file as well, and is told then.
      for (const Waiting& waiting : m_waiting) static_cast<void>(waiting.make(*m_withWaiting));
    }
    return *m_withWaiting;
  }

  // The copy knows the texts that were saved since, and the file those from before.
  Result<QVector<ui::ListedConversation>> listWithWaiting(const QString& search) {
    Result<QVector<ui::ListedConversation>> all = readable().list({});
    if (!all || search.isEmpty()) return all;
    QSet<QString> hits;
    for (ConversationDatabase* each : {m_database.get(), &readable()}) {
      const Result<QVector<ui::ListedConversation>> found = each->list(search);
      if (!found) return found.error();
      for (const ui::ListedConversation& hit : *found) hits.insert(hit.id);
    }
    all->removeIf([&](const ui::ListedConversation& one) { return !hits.contains(one.id); });
    return all;
  }

  // Chatting goes on, with all that a database does but last.
  void goOnInMemory(const Error& error) {
    const Message reason = Message::say("{} Nothing that you write now is kept.", error.message);
    Result<std::unique_ptr<ConversationDatabase>> memory = ConversationDatabase::openInMemory();
    if (memory) m_database = std::move(*memory);
    emit notKept(reason);
    emit problemFound(reason);
  }

  void wait(const Error& error) {
    m_retry.start();
    tell({error.code,
          Message::say("{} It is kept in memory and tried again every few seconds; closing Headroom before that loses "
                       "it.",
                       error.message)});
  }

  // A full disk fails every save of an answer; the same sentence is told once.
  void tell(const Error& error) {
    if (error.message == m_told) return;
    m_told = error.message;
    emit problemFound(error.message);
  }

  QString m_path;
  Message m_told;
  std::unique_ptr<ConversationDatabase> m_database;
  std::deque<Waiting> m_waiting;
  std::unique_ptr<ConversationDatabase> m_withWaiting;  // the file with all that waits; null: nobody has read it
  QTimer m_retry{this};                                 // runs while something waits
};

ConversationStore::ConversationStore(const QString& path, QObject* parent)
    : ui::ConversationPort(parent), m_worker(new ConversationWorker(path)) {
  m_worker->moveToThread(&m_thread);
  connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
  connect(m_worker, &ConversationWorker::listed, this, &ConversationStore::listed);
  connect(m_worker, &ConversationWorker::opened, this, &ConversationStore::opened);
  connect(m_worker, &ConversationWorker::newDraftOpened, this, &ConversationStore::newDraftOpened);
  connect(m_worker, &ConversationWorker::openFailed, this, &ConversationStore::openFailed);
  connect(m_worker, &ConversationWorker::notKept, this, &ConversationStore::notKept);
  connect(m_worker, &ConversationWorker::problemFound, this, &ConversationStore::problemFound);
  m_thread.setObjectName(QStringLiteral("conversations"));
  m_thread.start();
  QMetaObject::invokeMethod(m_worker, &ConversationWorker::start, Qt::QueuedConnection);
}

ConversationStore::~ConversationStore() {
  // Behind everything that was asked before; nothing new can be asked now.
  post([worker = m_worker, thread = &m_thread] {
    worker->writeWaiting();
    thread->quit();
  });
  m_thread.wait();
}

template <class Call>
void ConversationStore::post(Call call) {
  QMetaObject::invokeMethod(m_worker, std::move(call), Qt::QueuedConnection);
}

void ConversationStore::change(const QString& subject, std::function<Status(ConversationDatabase&)> make) {
  post([worker = m_worker, subject, make = std::move(make)] { worker->change(subject, make); });
}

void ConversationStore::list(const QString& search) {
  post([worker = m_worker, search] { worker->list(search); });
}

void ConversationStore::open(const QString& conversationId) {
  post([worker = m_worker, conversationId] { worker->open(conversationId); });
}

void ConversationStore::saveConversation(const ui::Conversation& conversation) {
  change({}, [conversation](ConversationDatabase& database) { return database.saveConversation(conversation); });
}

void ConversationStore::saveHead(const ui::ConversationHead& head) {
  change(head.id, [head](ConversationDatabase& database) { return database.saveHead(head); });
}

void ConversationStore::saveTurn(const QString& conversationId, const ui::Turn& turn) {
  change(turn.id,
         [conversationId, turn](ConversationDatabase& database) { return database.saveTurn(conversationId, turn); });
}

void ConversationStore::saveDraft(const QString& conversationId, const ui::Draft& draft) {
  change(QStringLiteral("draft of ") + conversationId,
         [conversationId, draft](ConversationDatabase& database) { return database.saveDraft(conversationId, draft); });
}

void ConversationStore::openNewDraft() {
  post([worker = m_worker] { worker->openNewDraft(); });
}

void ConversationStore::rename(const QString& conversationId, const QString& title) {
  change({}, [=](ConversationDatabase& database) { return database.rename(conversationId, title); });
}

void ConversationStore::setPinned(const QString& conversationId, bool isPinned) {
  change({}, [=](ConversationDatabase& database) { return database.setPinned(conversationId, isPinned); });
}

void ConversationStore::chooseVersion(const QString& conversationId, const QString& id) {
  change({}, [=](ConversationDatabase& database) { return database.chooseVersion(conversationId, id); });
}

void ConversationStore::removeTurn(const QString& conversationId, const QString& id, bool isAlone) {
  change({}, [=](ConversationDatabase& database) { return database.removeTurn(conversationId, id, isAlone); });
}

void ConversationStore::remove(const QString& conversationId) {
  change({}, [=](ConversationDatabase& database) { return database.setRemoved(conversationId, true); });
}

void ConversationStore::restore(const QString& conversationId) {
  change({}, [=](ConversationDatabase& database) { return database.setRemoved(conversationId, false); });
}

void ConversationStore::purge(const QString& conversationId) {
  change({}, [=](ConversationDatabase& database) { return database.purge(conversationId); });
}

}  // namespace headroom::app

#include "conversation_store.moc"
