// All conversations that are alive: the open one, and those whose answers go on while it is read. No widgets.
#pragma once

#include <QObject>
#include <QSet>
#include <QVector>

#include "ui/chat/attachment.h"
#include "ui/chat/chat_session.h"
#include "ui/chat/conversation_mark.h"
#include "ui/chat/conversation_titler.h"
#include "ui/stale_model_filter.h"

namespace headroom::ui {

// GUI thread. Opens, leaves and ends sessions, and brings each what the engine tells of its request. One that is left
// while its answer runs stays alive until that has ended, and while it has a trouble that nobody saw; what it wrote is
// in the store by then.
class ChatSessions : public QObject {
  Q_OBJECT
 public:
  // All of them outlive it.
  ChatSessions(EnginePort& engine, ConversationPort& store, SettingsModel& settings, QObject* parent = nullptr);
  ~ChatSessions() override;  // what was typed last and what was shown of each answer is kept

  // The open one: there always is one. The reference is good until currentChanged().
  ChatSession& current() { return *m_current; }
  const ChatSession& current() const { return *m_current; }
  ChatSession* find(const QString& conversationId) const;  // null: it is not alive
  const QVector<ChatSession*>& sessions() const { return m_sessions; }
  // A conversation that the store still reads. The current one is shown until then.
  bool isOpening() const { return !m_opening.isEmpty(); }

  QString modelName() const { return m_shared.model ? m_shared.model->name : QString(); }
  // What the template of the loaded model takes.
  ThinkingChoices thinkingChoices() const {
    return m_shared.model ? m_shared.model->thinkingChoices : ThinkingChoices{};
  }
  // What a file may have of text to be of use to that model.
  AttachmentLimit attachmentLimit() const;
  EnginePort& engine() { return m_shared.engine; }
  SettingsModel& settings() { return m_shared.settings; }
  void setDevices(const std::vector<headroom::DeviceInfo>& devices) { m_shared.devices = devices; }

  // How many answers have to end before that of this session begins; 0: it runs, or starts without waiting.
  int answersBefore(const ChatSession& session) const;
  const ConversationMarks& marks() const { return m_marks; }

  void newConversation();
  void openConversation(const QString& id);
  void importConversation(const Conversation& conversation);  // keeps it and opens it
  void renameConversation(const QString& id, const QString& title);
  void forgetConversation(const QString& id);  // it was deleted
  void stop(const QString& id);                // its answer, which runs or waits

 signals:
  void currentChanged();  // to another session
  void openingChanged();
  void modelChanged();
  void marksChanged();

 private:
  void connectEngine();
  void onModelLoaded(quint64 request, const LoadedModel& loaded);
  void onModelUnloaded(quint64 request);
  void tellModel(quint64 request);
  template <class Event>
  void route(const Event& event);

  ChatSession* add(ChatSession* session);
  ChatSession* findNew() const;
  void leaveCurrent();
  void setCurrent(ChatSession* session);
  void setOpening(const QString& id);
  void takeOpened(const Conversation& conversation);
  void takeNewDraft(const Draft& draft);
  void endSession(ChatSession* session, const ChatEvent& how);
  void settle();
  void showMarks();

  ChatSurroundings m_shared;
  StaleModelFilter m_staleModelFilter;
  QVector<ChatSession*> m_sessions;  // children; one of them at most has no message yet
  ChatSession* m_current = nullptr;
  QString m_opening;       // empty: none
  QSet<QString> m_unread;  // answers ended in these, and nobody has opened them since
  ConversationMarks m_marks;
  ConversationTitler* m_titler = nullptr;  // a child
};

}  // namespace headroom::ui
