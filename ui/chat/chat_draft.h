// Carries a DraftStage to the store and to the field that shows it. No widgets.
#pragma once

#include <QObject>
#include <QTimer>

#include "ui/chat/chat_tree.h"
#include "ui/chat/conversation_port.h"
#include "ui/chat/draft_stage.h"

namespace headroom::ui {

// GUI thread. A draft belongs to one conversation, and lives as long as that is alive.
class ChatDraft : public QObject {
  Q_OBJECT
 public:
  // How long what is typed waits before it is stored, so that not each key is.
  static constexpr int kKeepMs = 600;

  // An empty id is that of the conversation that has no message yet.
  ChatDraft(ConversationPort& store, QObject* parent, const QString& conversationId = {});

  const DraftMessage& message() const { return shownMessage(m_stage); }
  Draft draft() const { return draftOf(m_stage); }
  QString editedTurn() const { return draft().editedTurn; }  // empty: a new message is written
  bool asksToDiscard() const { return std::holds_alternative<draft_stage::Asking>(m_stage); }
  bool canSend() const;  // there is something, and all of its files are read

  void handleEvent(const DraftEvent& event);
  void edit(
      const Turn& turn);  // begins to write another version of it, unless the user keeps the change that he writes
  void keep();            // at once, if it waits

  void open(const Draft& draft, const ChatTree& tree);  // what the store had of it
  void turnsRemoved(const ChatTree& tree);              // another version of a turn that went is a new message
  void moveTo(const QString& conversationId);           // the conversation has its first message now

 signals:
  void messageShown();  // another one than the field has
  void changed();       // anything
  void readCancelled(quint64 readId);

 private:
  void save(const QString& conversationId, const Draft& draft);

  ConversationPort& m_store;
  DraftStage m_stage;
  QString m_conversationId;
  QTimer m_pause;  // runs while something is to be kept
};

}  // namespace headroom::ui
