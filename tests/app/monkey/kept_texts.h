// What users entered and models wrote, held against what the store has: nothing goes but what somebody deleted.
#pragma once

#include <QHash>
#include <QMap>
#include <QSet>
#include <QStringList>

#include "ui/chat/chat_sessions.h"
#include "ui/chat/conversation_port.h"

namespace headroom::test {

// Hands every request on to the real store, and what it tells back; remembers what was asked to go.
class WatchedStore : public ui::ConversationPort {
  Q_OBJECT
 public:
  explicit WatchedStore(ui::ConversationPort& store);

  void list(const QString& search) override { m_store.list(search); }
  void open(const QString& id) override { m_store.open(id); }
  void saveConversation(const ui::Conversation& whole) override { m_store.saveConversation(whole); }
  void saveHead(const ui::ConversationHead& head) override { m_store.saveHead(head); }
  void saveTurn(const QString& id, const ui::Turn& turn) override { m_store.saveTurn(id, turn); }
  void saveDraft(const QString& id, const ui::Draft& draft) override;
  void openNewDraft() override { m_store.openNewDraft(); }
  void rename(const QString& id, const QString& title) override { m_store.rename(id, title); }
  void setPinned(const QString& id, bool isPinned) override { m_store.setPinned(id, isPinned); }
  void chooseVersion(const QString& id, const QString& turnId) override { m_store.chooseVersion(id, turnId); }
  void removeTurn(const QString& id, const QString& turnId, bool isAlone) override;
  void remove(const QString& id) override;
  void restore(const QString& id) override;
  void purge(const QString& id) override { m_store.purge(id); }

 signals:
  void draftSaved(const QString& id, const headroom::ui::Draft& draft);
  void turnRemoved(const QString& turnId, bool isAlone);
  void conversationRemoved(const QString& id);
  void conversationRestored(const QString& id);

 private:
  ui::ConversationPort& m_store;
};

// Survives the window, so that what was seen before a restart is held against what is there after it.
class KeptTexts {
 public:
  // Each time that anything may have changed. A sentence: what is not as it was; empty: all is.
  QString see(const ui::ChatSessions& sessions);
  // What was typed behind the last see(), of a conversation that was left at once, is what is expected then.
  void takeLonger(const QString& id, const ui::Draft& draft);
  void forgetTurn(const QString& turnId, bool isAlone);
  void forgetConversation(const QString& id) { m_removed.insert(id); }
  void rememberConversation(const QString& id) { m_removed.remove(id); }

  // All conversations as the store reads them. The same kind of sentence.
  QString check(const QMap<QString, ui::Conversation>& stored, const ui::Draft& newDraft) const;
  qsizetype nTexts() const { return m_turns.size(); }

 private:
  struct SeenTurn {
    QString conversation, text;
  };
  QHash<QString, SeenTurn> m_turns;
  QHash<QString, QString> m_parents;   // of all turns, also of answers that have no word yet
  QHash<QString, ui::Draft> m_drafts;  // by conversation; empty: that of the one without a message
  QSet<QString> m_removed;             // conversations
  QString m_newId;                     // that of the conversation without a message
};

}  // namespace headroom::test
