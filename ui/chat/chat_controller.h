// Drives one open conversation: what is asked of the engine, what its answers do to the turns, and what is kept. No
// widgets.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <optional>

#include "ui/chat/chat_draft.h"
#include "ui/chat/chat_settings.h"
#include "ui/chat/chat_stage.h"
#include "ui/chat/chat_tree.h"
#include "ui/chat/conversation_port.h"
#include "ui/chat/thinking_clock.h"
#include "ui/engine_port.h"
#include "ui/stale_model_filter.h"

namespace headroom::ui {

// The stage as it is shown.
enum class Activity : quint8 { NoModel, Idle, Opening, Reading, Writing, Stopping, Summarising };

struct ContextFigures {
  quint32 used = 0, length = 0;
  bool isEstimate = false;              // nothing of this conversation was counted yet
  bool isAtLeast = false;               // it is longer than the context, and was not counted to its end
  double tokensPerSecond = 0;           // of the running or the last answer; 0: unknown
  double predictedTokensPerSecond = 0;  // for the last answer, once it is there; 0: unknown
};

// GUI thread. Carries a ChatStage to the engine and the store, and what they answer to the turns.
class ChatController : public QObject {
  Q_OBJECT
 public:
  ChatController(EnginePort& engine, ConversationPort& store, QObject* parent = nullptr);
  ~ChatController() override;  // what was typed last and what was shown of an answer is kept

  // An answer that is being written is stored this long after its text was shown.
  static constexpr int kKeepMs = 200;

  const ChatTree& tree() const { return m_tree; }
  ChatDraft& draft() { return m_draft; }
  const ChatDraft& draft() const { return m_draft; }
  const ConversationHead& head() const { return m_head; }
  Activity activity() const;
  bool isBusy() const { return !std::holds_alternative<chat_stage::Resting>(m_stage); }
  bool canStart() const { return !isBusy() && m_model.has_value(); }  // an answer
  const Trouble& trouble() const { return m_trouble; }
  const ContextFigures& context() const { return m_context; }
  QString modelName() const { return m_model ? m_model->name : QString(); }
  int readPercent() const;
  // What the template of the loaded model takes.
  ThinkingControl thinkingControl() const { return m_model ? m_model->thinkingControl : ThinkingControl::kNone; }

  ThinkingClock& thinkingClock() { return m_thinkingClock; }
  void setSettings(const ChatSettings& settings) { m_settings = settings; }
  // With the speeds that are known now: a model may be loaded before its devices are measured.
  void setDevices(std::vector<DeviceInfo> devices) { m_devices = std::move(devices); }
  void newConversation();
  // The one that is open stays until the other was read, and takes no message meanwhile.
  void openConversation(const QString& id);
  void renameConversation(const QString& title);
  void forgetConversation(const QString& id);  // it was deleted
  void setSystemPrompt(const QString& text);   // on each key; kept when typing pauses

  // False, and nothing happens, while busy, without a model, or without a text: the caller keeps what was written.
  bool send(const QString& text, const QVector<Attachment>& attachments);
  // Another version of a turn, also of one that another version hides: it is shown again.
  bool edit(const QString& userTurnId, const QString& text, const QVector<Attachment>& attachments);
  bool sendDraft();                  // the draft, as the new message or the other version that it is
  void editTurn(const QString& id);  // begins to write another version of a turn of the user's
  // Each starts an answer; ignored while busy or without a model.
  void answer(const QString& userTurnId);  // (again)
  void regenerate(const QString& assistantTurnId);
  void continueAnswer(const QString& assistantTurnId);

  void chooseVersion(const QString& turnId);
  void stop();  // a second call does not wait for the engine
  void dropOldest();
  void summarise();
  void agreeToPlainTemplate();  // and answers the question that waits for it
  void dismissTrouble();

 signals:
  void pathChanged();  // other turns, or other versions of them
  void textAppended(const QString& turnId, const QString& text);
  void thinkingAppended(const QString& turnId, const QString& text);
  void thinkingTimed(const QString& turnId);  // once a second while it thinks
  void turnChanged(const QString& turnId);    // anything but its text
  void activityChanged();
  void modelChanged();  // what is known of it
  void contextChanged();
  void troubleChanged();
  void headChanged();

 private:
  struct ModelFacts {  // of the loaded model
    QString name, templateProblem;
    bool isPlainTemplateAgreed = false;
    std::shared_ptr<const ModelInfo> model{};
    std::shared_ptr<const MemoryPlan> plan{};
    ThinkingControl thinkingControl = ThinkingControl::kNone;
  };
  struct Speed {  // of the running answer
    QElapsedTimer clock;
    quint32 firstKvTokens = 0;  // at the first reading while writing
  };

  void connectEngine();
  void onModelLoaded(quint64 request, const LoadedModel& loaded);
  void onModelUnloaded(quint64 request);
  void onReading(const MemoryReading& reading);

  void handleEvent(const ChatEvent& event);
  void runEffect(const ChatEffect& effect);
  void appendText(const chat_effect::AppendText& append);
  void finishTurn(const chat_effect::FinishTurn& finished);
  void dropTurn(const QString& turnId);
  void takeConversation(const Conversation& conversation);
  void tellTooLong(const chat_effect::TellTooLong& told);
  void tellFailed(const Error& error);
  const DeviceInfo* deviceOf(const QString& sentence) const;
  static QString withDeviceName(const DeviceInfo& device, const QString& sentence);

  void showTurn(const QString& turnId);
  void startAnswer(const QString& turnId, bool isNewTurn, bool continues);
  bool offerPlainTemplate();
  void cutAt(const QString& turnId, const QString& summary);
  QString whereToCut();
  void resume(const QString& turnId);
  ChatRequest requestOf(std::vector<ChatMessage> messages, quint32 maxTokens) const;
  double predictedFor(const ChatFigures& figures) const;
  void forgetSpeed();
  void learnRatio(const chat_effect::Count& count);
  void estimateContext();
  void setTrouble(Trouble trouble);
  void saveHead();
  void keepPrompt();  // at once, if it waits
  void saveTurn(const QString& id);

  EnginePort& m_engine;
  ConversationPort& m_store;
  ChatSettings m_settings;
  std::vector<DeviceInfo> m_devices;
  ChatTree m_tree;
  ConversationHead m_head;
  bool m_headIsSaved = false;
  ChatDraft m_draft;

  ChatStage m_stage;
  std::optional<ModelFacts> m_model;
  StaleModelFilter m_staleModelFilter;
  Trouble m_trouble;
  ContextFigures m_context;
  double m_tokensPerChar = 0.3;  // typical for English until it is measured
  Speed m_speed;
  ThinkingClock m_thinkingClock;
  QTimer m_answerPause, m_promptPause;  // each runs while something is to be kept
};

}  // namespace headroom::ui
