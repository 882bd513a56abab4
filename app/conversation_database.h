// Conversations in one SQLite file. No thread of its own: see conversation_store.h.
#pragma once

#include <QSqlDatabase>
#include <QVector>
#include <memory>

#include "app/conversation_schema.h"
#include "base/result.h"
#include "ui/chat/conversation.h"

namespace headroom::app {

// Used on one thread. Every error is a whole sentence; kResource when the same call may succeed later, because the disk
// was full or another program held the file. A change that succeeded is on the disk: it outlives the end of this
// program at any moment, and a loss of power as far as the disk keeps what it reports as written.
class ConversationDatabase {
 public:
  // Opens or makes the file. One that SQLite calls damaged is renamed beside itself and a new one made: `movedTo` then
  // says where it went. One that a newer program wrote (kUnsupported), that is locked or cannot be written (kResource)
  // is left as it is.
  static Result<std::unique_ptr<ConversationDatabase>> open(const QString& path);
  static Result<std::unique_ptr<ConversationDatabase>> openInMemory();  // gone with the object
  // All that is on the disk now, in memory: what is changed there leaves the file as it is. A search finds titles in
  // it, and of the texts those that are saved into it.
  Result<std::unique_ptr<ConversationDatabase>> copyInMemory() const;
  ~ConversationDatabase();
  ConversationDatabase(const ConversationDatabase&) = delete;
  ConversationDatabase& operator=(const ConversationDatabase&) = delete;

  const QString& movedTo() const { return m_movedTo; }  // empty: nothing was moved

  // Those with `search` in their title or in a text (see conversation_search.h); newest first.
  Result<QVector<ui::ListedConversation>> list(const QString& search);
  Result<ui::Conversation> read(const QString& id);
  Status saveConversation(const ui::Conversation& conversation);  // head and turns, all of them or nothing
  Status saveHead(const ui::ConversationHead& head);
  // An active one makes its other versions inactive. What is still being written is found by searches once it is done.
  Status saveTurn(const QString& conversationId, const ui::Turn& turn);
  Status finishInterrupted();  // what was being written when the program ended
  Status saveDraft(const QString& conversationId, const ui::Draft& draft);  // an empty one goes
  Result<ui::Draft> readDraft(const QString& conversationId);               // empty: there is none
  Status rename(const QString& id, const QString& title);
  Status setPinned(const QString& id, bool isPinned);
  Status chooseVersion(const QString& conversationId, const QString& turnId);
  // With all below it, or alone: what is below it stands below its parent then. Nothing of its words stays in the file.
  Status removeTurn(const QString& conversationId, const QString& turnId, bool isAlone);
  Status setRemoved(const QString& id, bool removed);
  Status purge(const QString& id);  // only what is removed; nothing of its words stays in the file
  Status purgeAllRemoved();

 private:
  explicit ConversationDatabase(QString connection) : m_connection(std::move(connection)) {}
  static std::unique_ptr<ConversationDatabase> unopened();
  static Error newerFile(const QString& path, const FileFacts& facts);
  Status prepareFile(const QString& path);
  Status prepare(const QString& path);
  Status writeTurn(const QString& conversationId, const ui::Turn& turn);
  Status erased(const Result<int>& rows);
  QSqlDatabase database() const { return QSqlDatabase::database(m_connection, false); }

  QString m_connection, m_movedTo;
};

}  // namespace headroom::app
