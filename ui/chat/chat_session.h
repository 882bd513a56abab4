// One conversation that is alive: what is asked of the engine, what its answers do to the turns, and what is kept. It
// need not be the open one: an answer goes on while another conversation is read. No widgets.
#pragma once

#include <QObject>
#include <QTimer>
#include <map>
#include <optional>

#include "ui/chat/chat_draft.h"
#include "ui/chat/chat_stage.h"
#include "ui/chat/chat_tree.h"
#include "ui/chat/context_meter.h"
#include "ui/chat/conversation_port.h"
#include "ui/chat/prefix_break.h"
#include "ui/chat/thinking_clock.h"
#include "ui/engine_port.h"
#include "ui/settings/settings_model.h"

namespace headroom::ui {

// The stage as it is shown.
enum class Activity : quint8 { NoModel, Idle, Reading, Writing, Stopping, Summarising };

struct ChatModel {  // what is known of the loaded model
  QString name;
  Message templateProblem;
  bool isPlainTemplateAgreed = false;
  std::shared_ptr<const ModelInfo> info{};
  std::shared_ptr<const MemoryPlan> plan{};
  ThinkingChoices thinkingChoices = {};
};

// What all conversations share; ChatSessions owns it.
struct ChatSurroundings {
  EnginePort& engine;
  ConversationPort& store;
  SettingsModel& settings;
  // With the speeds that are known now: a model may be loaded before its devices are measured.
  std::vector<DeviceInfo> devices{};
  std::optional<ChatModel> model{};
  // Of each conversation, by its id, the newest prompt that this model answered: kept beside the sessions, which end
  // when they are left.
  std::map<QString, SentPrompt> answered{};
};

// GUI thread. Carries a ChatStage to the engine and the store, and what they answer to the turns.
class ChatSession : public QObject {
  Q_OBJECT
 public:
  // A new conversation, which is in the store from its first message on; or one that the store has read. What is shared
  // outlives the session.
  explicit ChatSession(ChatSurroundings& shared, QObject* parent = nullptr);
  ChatSession(ChatSurroundings& shared, const Conversation& conversation, QObject* parent = nullptr);
  ~ChatSession() override;  // as end() does when the program ends

  // An answer that is being written is stored this long after its text was shown.
  static constexpr int kKeepMs = 200;

  const ChatTree& tree() const { return m_tree; }
  ChatDraft& draft() { return m_draft; }
  const ChatDraft& draft() const { return m_draft; }
  const ConversationHead& head() const { return m_head; }
  bool isStored() const { return m_headIsSaved; }  // it has had a message
  Activity activity() const;
  bool isBusy() const { return request() != 0; }
  quint64 request() const { return requestOf(m_stage); }         // that it waits for; 0: none
  bool hasStarted() const;                                       // that request: it waits for no slot
  bool canStart() const { return !isBusy() && m_shared.model; }  // an answer
  const Trouble& trouble() const { return m_trouble; }
  const ContextFigures& context() const { return m_meter.figures(); }
  int readPercent() const;
  ThinkingClock& thinkingClock() { return m_thinkingClock; }

  // What the engine tells of the request that it waits for; of another one it does nothing.
  void handleEvent(const ChatEvent& event);
  // By this request another model, or none, is there now.
  void modelChanged(quint64 request);
  // False when there is nothing to agree to.
  bool offerPlainTemplate();
  // True once after an answer has ended by itself with something to read.
  bool takeNews() { return std::exchange(m_hasNews, false); }
  // Once: what was typed and shown is stored, and nobody is told anything any more. `how` is Deleted or Ended.
  void end(const ChatEvent& how);

  void restart();  // one without a message becomes another new conversation; what is being written stays
  void rename(const QString& title);
  // A title by the loaded model: there is an answer to name it by, the user has not named it, and nothing waits for his
  // decision.
  bool canAskForTitle() const;
  ChatRequest titleRequest() const;                                  // only then
  void takeTitle(const QString& title, const ChatFigures& figures);  // what came of that; empty: none
  AnswerOptions options() const;                  // its own, or those of conversations that have none
  void setOptions(const AnswerOptions& options);  // likewise kept when typing pauses
  void setSystemPrompt(const QString& text);      // on each key; kept when typing pauses
  void keepTyped();                               // at once: the system prompt and the draft

  // False, and nothing happens, while busy, without a model, or without a text: the caller keeps what was written.
  bool send(const QString& text, const QVector<Attachment>& attachments);
  // Another version of a turn, also of one that another version hides: it is shown again.
  // Of the user's, and then it is answered; of an answer, which needs no model.
  bool edit(const QString& turnId, const QString& text, const QVector<Attachment>& attachments);
  bool sendDraft();  // the draft, as the new message or the other version that it is
  // Without a model: holds the draft, and sends it when one is loaded. Changing the draft takes it back, and so do
  // stop() and another conversation.
  void sendDraftOnceLoaded();
  void takeBackDraft();
  bool sendsOnceLoaded() const { return m_heldDraft.has_value(); }
  ChatRequest draftRequest() const;  // what that would ask of the engine; without messages: nothing, or of no model
  void editTurn(const QString& id);  // begins to write another version of a turn that stands
  // With all that was said after it, or alone where ChatTree::canRemoveAlone(). Ignored while busy.
  void removeTurn(QString id, bool isAlone);  // by value: it may be the one of the turn that goes
  // Each starts an answer; ignored while busy or without a model.
  void answer(const QString& userTurnId);  // (again)
  void regenerate(const QString& assistantTurnId);
  void continueAnswer(const QString& assistantTurnId);

  void chooseVersion(const QString& turnId);
  void stop();  // a second call does not wait for the engine
  void dropOldest();
  void summarise();
  void agreeToPlainTemplate();  // for all conversations; and answers the question that waits for it here
  void dismissTrouble();

 signals:
  void pathChanged();  // other turns, or other versions of them
  void textAppended(const QString& turnId, const QString& text);
  void thinkingAppended(const QString& turnId, const QString& text);
  void thinkingTimed(const QString& turnId);  // once a second while it thinks
  void turnChanged(const QString& turnId);    // anything but its text
  void activityChanged();                     // or how far it is
  void contextChanged();
  void troubleChanged();
  void headChanged();
  void plainTemplateAgreed();

 private:
  ChatSession(ChatSurroundings& shared, const QString& draftOf, QObject* parent);

  void runEffect(const ChatEffect& effect);
  void appendText(const chat_effect::AppendText& append);
  void finishTurn(const chat_effect::FinishTurn& finished);
  void takePrefixBreak(Turn& turn, const chat_effect::FinishTurn& finished);
  void dropTurn(const QString& turnId);
  void tellTooLong(const chat_effect::TellTooLong& told);
  void tellFailed(const chat_effect::TellFailed& told);
  std::optional<DeviceInfo> deviceOf(const Error& error) const;
  static QString withDeviceName(const DeviceInfo& device, const QString& sentence);

  void showTurn(const QString& turnId);
  void startAnswer(const QString& turnId, bool isNewTurn, bool continues);
  void cutAt(const QString& turnId, const QString& summary);
  QString whereToCut();
  void resume(const QString& turnId);
  ChatRequest requestFor(std::vector<ChatMessage> messages, quint32 maxTokens) const;
  void estimateContext();
  void settleFull();
  void setTrouble(Trouble trouble);
  void saveHead();
  void saveTurn(const QString& id);

  ChatSurroundings& m_shared;
  ChatTree m_tree;
  ConversationHead m_head;
  bool m_headIsSaved = false, m_hasNews = false;
  std::optional<Draft> m_heldDraft;  // goes out with the next model
  ChatDraft m_draft;

  ChatStage m_stage;
  Trouble m_trouble;
  ContextMeter m_meter;
  SentPrompt m_sent;  // of the newest answer
  ThinkingClock m_thinkingClock;
  QTimer m_answerPause, m_promptPause;  // each runs while something is to be kept
};

}  // namespace headroom::ui
