// Conversations in one SQLite file. No thread of its own: see conversation_store.h.
#pragma once

#include <QSqlDatabase>
#include <QVector>

#include "base/result.h"
#include "ui/chat/conversation.h"

namespace headroom::app {

// Used on one thread. Every error is kResource with a whole sentence.
class ConversationDatabase {
 public:
  // Opens or makes the file. One that SQLite calls damaged, or that a newer program wrote, is renamed beside itself and
  // a new one made: `movedTo` then says where it went.
  static Result<std::unique_ptr<ConversationDatabase>> open(const QString& path);
  ~ConversationDatabase();
  ConversationDatabase(const ConversationDatabase&) = delete;
  ConversationDatabase& operator=(const ConversationDatabase&) = delete;

  const QString& movedTo() const { return m_movedTo; }  // empty: nothing was moved

  Result<QVector<ui::ConversationHead>> list(const QString& search);  // in titles and texts; newest first
  Result<ui::Conversation> read(const QString& id);
  Status saveHead(const ui::ConversationHead& head);
  Status saveTurn(const QString& conversationId,
                  const ui::Turn& turn);  // an active one makes its other versions inactive
  Status rename(const QString& id, const QString& title);
  Status chooseVersion(const QString& conversationId, const QString& turnId);
  Status setRemoved(const QString& id, bool removed);
  Status purge(const QString& id);  // only what is removed
  Status purgeAllRemoved();

 private:
  explicit ConversationDatabase(QString connection) : m_connection(std::move(connection)) {}
  Status prepareFile(const QString& path);
  Status migrate();
  QSqlDatabase database() const { return QSqlDatabase::database(m_connection, false); }

  QString m_connection, m_movedTo;
};

}  // namespace headroom::app
