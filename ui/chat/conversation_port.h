// What the chat asks of whatever keeps conversations. The window opens no database: app/conversation_store implements
// this.
#pragma once

#include <QObject>

#include "base/message.h"
#include "ui/chat/conversation.h"

namespace headroom::ui {

// Lives on the GUI thread; no method waits; answers come as signals on the GUI thread, in the order of the requests.
// Changes are stored in that order too: once an answer to a later request has come, a change outlives the end of this
// program at any moment, unless problemFound() said that it waits or failed, or notKept() that nothing is kept. What
// waits is listed and opened as if it were stored. Of a turn that was saved while it was being written the last save
// counts; it is read as interrupted.
class ConversationPort : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  virtual void list(const QString& search) = 0;  // newest first, whether pinned or not; an empty search lists all
  virtual void open(const QString& conversationId) = 0;                 // opened() or openFailed(), once
  virtual void saveConversation(const Conversation& conversation) = 0;  // one that is new: all of it or nothing
  virtual void saveHead(const ConversationHead& head) = 0;              // inserts or replaces
  virtual void saveTurn(const QString& conversationId,
                        const ui::Turn& turn) = 0;  // inserts or replaces; its head is saved before
  // Replaces the draft of a conversation; an empty one is forgotten. An empty id means the conversation that has no
  // message yet: there is one such draft, and it outlives the program as well.
  virtual void saveDraft(const QString& conversationId, const Draft& draft) = 0;
  virtual void openNewDraft() = 0;  // the draft of the empty id: newDraftOpened()
  virtual void rename(const QString& conversationId, const QString& title) = 0;
  virtual void setPinned(const QString& conversationId, bool isPinned) = 0;
  virtual void chooseVersion(const QString& conversationId,
                             const QString& id) = 0;  // active among those with its parent
  // Erases a turn: with all below it, or alone, so that what is below it stands below its parent.
  virtual void removeTurn(const QString& conversationId, const QString& id, bool isAlone) = 0;
  virtual void remove(const QString& conversationId) = 0;   // hidden at once, erased by purge()
  virtual void restore(const QString& conversationId) = 0;  // undoes remove()
  virtual void purge(const QString& conversationId) = 0;    // erases it if it is removed

 signals:
  void listed(const QString& search, const QVector<headroom::ui::ListedConversation>& conversations);
  void opened(const headroom::ui::Conversation& conversation);
  void newDraftOpened(const headroom::ui::Draft& draft);
  void openFailed(const QString& conversationId);  // answers open() in the place of opened(); problemFound says why
  // Once, at the start: this run keeps nothing on disk, for this reason; all requests are answered as if it did.
  void notKept(const headroom::Message& reason);
  void problemFound(const headroom::Message& problem);  // in plain words: what failed, what became of the data
};

}  // namespace headroom::ui
