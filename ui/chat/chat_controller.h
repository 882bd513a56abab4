// Drives one open conversation: what is asked of the engine, what its answers do to the turns, and what is kept. No
// widgets.
#pragma once

#include <QElapsedTimer>
#include <QObject>

#include "ui/chat/chat_settings.h"
#include "ui/chat/chat_tree.h"
#include "ui/chat/conversation_port.h"
#include "ui/engine_port.h"

namespace headroom::ui {

enum class Activity : quint8 { NoModel, Idle, Reading, Writing, Stopping, Summarising };

// Something the user should decide on; None once it is settled.
struct Trouble {
  enum class Kind : quint8 { None, ContextFull, PromptTooLong, AloneTooLong, Template, Failed };
  Kind kind = Kind::None;
  QString text;
  quint32 neededTokens = 0;  // a context that would do
};

struct ContextFigures {
  quint32 used = 0, length = 0;
  bool isEstimate = false;     // nothing of this conversation was counted yet
  double tokensPerSecond = 0;  // of the running or the last answer; 0: unknown
};

class ChatController : public QObject {
  Q_OBJECT
 public:
  ChatController(EnginePort& engine, ConversationPort& store, QObject* parent = nullptr);

  const ChatTree& tree() const { return m_tree; }
  const ConversationHead& head() const { return m_head; }
  Activity activity() const { return m_activity; }
  bool isBusy() const { return m_activity != Activity::Idle && m_activity != Activity::NoModel; }
  const Trouble& trouble() const { return m_trouble; }
  const ContextFigures& context() const { return m_context; }
  const QString& modelName() const { return m_modelName; }
  int readPercent() const { return m_readPercent; }

  void setSettings(const ChatSettings& settings) { m_settings = settings; }
  void newConversation();
  void openConversation(const QString& id);
  void renameConversation(const QString& title);
  void setSystemPrompt(const QString& text);

  // Each starts an answer; ignored while busy or without a model.
  void send(const QString& text, const QVector<Attachment>& attachments);
  void edit(const QString& userTurnId, const QString& text, const QVector<Attachment>& attachments);
  void answer(const QString& userTurnId);  // (again)
  void regenerate(const QString& assistantTurnId);
  void continueAnswer(const QString& assistantTurnId);

  void chooseVersion(const QString& turnId);
  void stop();
  void dropOldest();
  void summarise();
  void agreeToPlainTemplate();  // and answers the question that waits for it
  void dismissTrouble();

 signals:
  void pathChanged();  // other turns, or other versions of them
  void textAppended(const QString& turnId, const QString& text);
  void turnChanged(const QString& turnId);  // anything but its text
  void activityChanged();
  void contextChanged();
  void troubleChanged();
  void headChanged();

 private:
  void onModelLoaded(const LoadedModel& loaded);
  void onText(quint64 request, const QString& text);
  void onFinished(quint64 request, ChatEnd end, const ChatFigures& figures);
  void onTooLong(quint64 request, quint32 promptTokens, quint32 contextLength);
  void onFailed(quint64 request, const Error& error);
  void onReading(const MemoryReading& reading);

  bool startAnswer(const QString& turnId, bool continues);
  void finishTurn(TurnState state);
  void abandon();
  void takeBackEmptyAnswer();
  bool offerPlainTemplate();
  void cutAt(const QString& turnId, const QString& summary);
  QString whereToCut();
  void resume();
  void learnRatio(quint32 tokens, qsizetype chars);
  void estimateContext();
  void setActivity(Activity activity);
  void setTrouble(Trouble trouble);
  void saveHead();
  void saveTurn(const QString& id);

  EnginePort& m_engine;
  ConversationPort& m_store;
  ChatSettings m_settings;
  ChatTree m_tree;
  ConversationHead m_head;
  bool m_headIsSaved = false;
  QString m_opening;  // the conversation that was asked for last

  Activity m_activity = Activity::NoModel;
  Trouble m_trouble;
  ContextFigures m_context;
  QString m_modelName, m_templateProblem;
  bool m_plainTemplateAgreed = false, m_hasModel = false;
  int m_readPercent = 0;

  quint64 m_request = 0;         // 0: none runs
  QString m_answerId;            // the turn that is written
  QString m_resumeId;            // the turn to go on from once there is room
  QString m_summary, m_cutId;    // of a summary that is being written
  qsizetype m_sentChars = 0;     // of the running request
  double m_tokensPerChar = 0.3;  // typical for English until it is measured
  quint32 m_firstKvTokens = 0;   // at the first reading while writing
  QElapsedTimer m_writingClock, m_saveClock;
};

}  // namespace headroom::ui
