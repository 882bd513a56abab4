// The chat's conversation port over a database that lives on a thread of its own, so that a slow disk never stalls the
// window.
#pragma once

#include <QThread>
#include <functional>

#include "base/result.h"
#include "ui/chat/conversation_port.h"

namespace headroom::app {

class ConversationDatabase;
class ConversationWorker;

class ConversationStore : public ui::ConversationPort {
  Q_OBJECT
 public:
  explicit ConversationStore(const QString& path, QObject* parent = nullptr);
  // Waits until everything asked before is on disk, as far as the disk takes it.
  ~ConversationStore() override;

  void list(const QString& search) override;
  void open(const QString& conversationId) override;
  void removeTurn(const QString& conversationId, const QString& id, bool isAlone) override;
  void saveConversation(const ui::Conversation& conversation) override;
  void saveHead(const ui::ConversationHead& head) override;
  void saveTurn(const QString& conversationId, const ui::Turn& turn) override;
  void saveDraft(const QString& conversationId, const ui::Draft& draft) override;
  void openNewDraft() override;
  void rename(const QString& conversationId, const QString& title) override;
  void setPinned(const QString& conversationId, bool isPinned) override;
  void chooseVersion(const QString& conversationId, const QString& id) override;
  void remove(const QString& conversationId) override;
  void restore(const QString& conversationId) override;
  void purge(const QString& conversationId) override;

 private:
  template <class Call>
  void post(Call call);
  void change(const QString& subject, std::function<Status(ConversationDatabase&)> make);

  QThread m_thread;
  ConversationWorker* m_worker;  // lives on m_thread, deleted when it ends
};

}  // namespace headroom::app
