#include "ui/chat/chat_controller.h"

#include <QDateTime>
#include <QFileInfo>
#include <QLocale>
#include <QUuid>
#include <utility>

#include "ui/chat/chat_request.h"

namespace headroom::ui {

namespace {

constexpr qint64 kSaveEveryMs = 2000;
constexpr quint32 kSummaryTokens = 300;
constexpr qsizetype kTitleChars = 48;

qint64 nowMs() { return QDateTime::currentMSecsSinceEpoch(); }

QString number(quint32 value) { return QLocale().toString(value); }

QString titleFrom(const QString& text) {
  const QString line = text.simplified();
  if (line.size() <= kTitleChars) return line;
  const qsizetype space = line.lastIndexOf(u' ', kTitleChars);
  return line.left(space > kTitleChars / 2 ? space : kTitleChars) + u'…';
}

qsizetype charsOf(const std::vector<ChatMessage>& messages) {
  qsizetype chars = 0;
  for (const ChatMessage& message : messages) chars += QString::fromStdString(message.content).size();
  return chars;
}

TurnState stateAfter(ChatEnd end) {
  switch (end) {
    case ChatEnd::EndOfTurn:
    case ChatEnd::StopString: return TurnState::Done;
    case ChatEnd::MaxTokens: return TurnState::LimitHit;
    case ChatEnd::Stopped: return TurnState::Stopped;
    case ChatEnd::ContextFull: return TurnState::ContextFull;
  }
  return TurnState::Done;
}

}  // namespace

ChatController::ChatController(EnginePort& engine, ConversationPort& store, QObject* parent)
    : QObject(parent), m_engine(engine), m_store(store) {
  connect(&engine, &EnginePort::modelLoaded, this,
          [this](quint64, const LoadedModel& loaded) { onModelLoaded(loaded); });
  connect(&engine, &EnginePort::modelUnloaded, this, [this] {
    abandon();
    m_hasModel = false;
    m_modelName.clear();
    m_context.length = 0;
    setActivity(Activity::NoModel);
    emit contextChanged();
  });
  connect(&engine, &EnginePort::prefillProgressed, this, [this](quint64 request, quint32 done, quint32 total) {
    if (request != m_request || total == 0) return;
    m_readPercent = static_cast<int>(100ULL * done / total);
    emit activityChanged();
  });
  connect(&engine, &EnginePort::textArrived, this, &ChatController::onText);
  connect(&engine, &EnginePort::generationFinished, this, &ChatController::onFinished);
  connect(&engine, &EnginePort::promptTooLong, this, &ChatController::onTooLong);
  connect(&engine, &EnginePort::failed, this, &ChatController::onFailed);
  connect(&engine, &EnginePort::memoryRead, this, &ChatController::onReading);
  connect(&store, &ConversationPort::opened, this, [this](const Conversation& conversation) {
    if (conversation.head.id != m_opening) return;
    m_opening.clear();
    m_head = conversation.head;
    m_headIsSaved = true;
    m_tree.reset(conversation.turns);
    estimateContext();
    emit headChanged();
    emit pathChanged();
  });
  newConversation();
}

void ChatController::newConversation() {
  abandon();
  m_opening.clear();
  m_head = {QUuid::createUuid().toString(QUuid::WithoutBraces), {}, m_settings.systemPrompt, nowMs(), nowMs()};
  m_headIsSaved = false;
  m_tree.reset({});
  m_context.tokensPerSecond = 0;
  estimateContext();
  setTrouble({});
  emit headChanged();
  emit pathChanged();
}

void ChatController::openConversation(const QString& id) {
  if (id == m_head.id) return;
  abandon();
  setTrouble({});
  m_opening = id;
  m_context.tokensPerSecond = 0;
  m_store.open(id);
}

void ChatController::renameConversation(const QString& title) {
  if (title.trimmed().isEmpty()) return;
  m_head.title = title.trimmed();
  if (m_headIsSaved) saveHead();
  emit headChanged();
}

void ChatController::setSystemPrompt(const QString& text) {
  if (text == m_head.systemPrompt) return;
  m_head.systemPrompt = text;
  if (m_headIsSaved) saveHead();
  estimateContext();
  emit headChanged();
}

void ChatController::send(const QString& text, const QVector<Attachment>& attachments) {
  if (m_activity != Activity::Idle || (text.trimmed().isEmpty() && attachments.isEmpty())) return;
  const QString id = m_tree.append(m_tree.lastId(), Role::User, text, nowMs());
  m_tree.find(id)->attachments = attachments;
  if (m_head.title.isEmpty()) m_head.title = titleFrom(text.trimmed().isEmpty() ? attachments.first().name : text);
  saveHead();
  saveTurn(id);
  answer(id);
}

void ChatController::edit(const QString& userTurnId, const QString& text, const QVector<Attachment>& attachments) {
  const Turn* old = m_tree.find(userTurnId);
  if (m_activity != Activity::Idle || old == nullptr || (text.trimmed().isEmpty() && attachments.isEmpty())) return;
  const bool cutBefore = old->cutBefore;
  const QString summary = old->summary;
  const QString id = m_tree.append(old->parentId, Role::User, text, nowMs());
  Turn& turn = *m_tree.find(id);
  turn.attachments = attachments;
  turn.cutBefore = cutBefore;
  turn.summary = summary;
  saveHead();
  saveTurn(id);
  answer(id);
}

void ChatController::answer(const QString& userTurnId) {
  if (m_activity != Activity::Idle || m_tree.find(userTurnId) == nullptr) return;
  const QString id = m_tree.append(userTurnId, Role::Assistant, QString(), nowMs());
  startAnswer(id, false);
}

void ChatController::regenerate(const QString& assistantTurnId) {
  const Turn* turn = m_tree.find(assistantTurnId);
  if (turn != nullptr) answer(turn->parentId);
}

void ChatController::continueAnswer(const QString& assistantTurnId) {
  const Turn* turn = m_tree.find(assistantTurnId);
  if (m_activity != Activity::Idle || turn == nullptr || !canContinue(turn->state)) return;
  // An answer that was stopped before its first word has nothing to go on from.
  startAnswer(assistantTurnId, !turn->text.isEmpty());
}

bool ChatController::startAnswer(const QString& turnId, bool continues) {
  Turn& turn = *m_tree.find(turnId);
  turn.state = TurnState::Writing;
  turn.modelName = m_modelName;
  const QString lastSent = continues ? turnId : turn.parentId;
  ChatRequest request;
  request.messages = requestMessages(m_tree, m_head.systemPrompt, lastSent);
  request.continueLast = continues;
  request.allowPlainTemplate = m_plainTemplateAgreed;
  request.maxTokens = m_settings.maxTokens;
  request.sampler = m_settings.sampler;
  m_sentChars = charsOf(request.messages);
  m_answerId = m_resumeId = turnId;
  m_readPercent = 0;
  m_firstKvTokens = 0;
  m_context.tokensPerSecond = 0;
  setTrouble({});
  m_request = m_engine.generate(request);
  m_saveClock.start();
  setActivity(Activity::Reading);
  emit pathChanged();
  return true;
}

void ChatController::chooseVersion(const QString& turnId) {
  if (isBusy() || m_tree.find(turnId) == nullptr) return;
  m_tree.choose(turnId);
  m_store.chooseVersion(m_head.id, turnId);
  setTrouble({});
  estimateContext();
  emit pathChanged();
}

void ChatController::stop() {
  if (m_request == 0) return;
  m_engine.stop(m_request);
  setActivity(Activity::Stopping);
}

void ChatController::dismissTrouble() { setTrouble({}); }

// Leaves what runs, because the user goes elsewhere: its turn keeps the text it has, its late answers are ignored.
void ChatController::abandon() {
  if (m_request == 0) return;
  m_engine.stop(std::exchange(m_request, 0));
  finishTurn(TurnState::Stopped);
  setActivity(m_hasModel ? Activity::Idle : Activity::NoModel);
}

void ChatController::onModelLoaded(const LoadedModel& loaded) {
  m_hasModel = true;
  const QString name = loaded.model ? QString::fromStdString(loaded.model->name) : QString();
  const bool isOther = name != m_modelName || loaded.templateProblem != m_templateProblem;
  m_modelName = name.isEmpty() ? QFileInfo(loaded.path).completeBaseName() : name;
  m_templateProblem = loaded.templateProblem;
  if (isOther) m_plainTemplateAgreed = false;
  m_context.length = loaded.plan ? loaded.plan->options.n_ctx : 0;
  if (m_request != 0) abandon();
  setActivity(Activity::Idle);
  estimateContext();
  setTrouble({});
  offerPlainTemplate();
}

// False when there is nothing to agree to.
bool ChatController::offerPlainTemplate() {
  if (m_templateProblem.isEmpty() || m_plainTemplateAgreed) return false;
  setTrouble({Trouble::Kind::Template,
              tr("This file's chat template cannot be used: %1 The plain form (\"role: text\" lines) can be used "
                 "instead; answers may be less good.")
                  .arg(m_templateProblem),
              0});
  return true;
}

void ChatController::onText(quint64 request, const QString& text) {
  if (request != m_request || text.isEmpty()) return;
  if (m_activity == Activity::Summarising) {
    m_summary += text;
    return;
  }
  if (m_activity == Activity::Reading) {
    m_writingClock.start();
    setActivity(Activity::Writing);
  }
  m_tree.find(m_answerId)->text += text;
  emit textAppended(m_answerId, text);
  if (m_saveClock.elapsed() > kSaveEveryMs) {
    saveTurn(m_answerId);
    m_saveClock.start();
  }
}

void ChatController::onFinished(quint64 request, ChatEnd end, const ChatFigures& figures) {
  if (request != m_request) return;
  m_request = 0;
  if (m_activity == Activity::Summarising || !m_cutId.isEmpty()) {
    const QString cut = std::exchange(m_cutId, {});
    const QString summary = std::exchange(m_summary, {}).trimmed();
    setActivity(Activity::Idle);
    if (end == ChatEnd::Stopped || summary.isEmpty()) return;
    cutAt(cut, summary);
    resume();
    return;
  }
  Turn& turn = *m_tree.find(m_answerId);
  turn.generatedTokens = figures.generatedTokens;
  turn.decodeSeconds = figures.decodeSeconds;
  turn.seed = figures.seed;
  learnRatio(figures.promptTokens + figures.generatedTokens, m_sentChars + turn.text.size());
  m_context.used = figures.contextUsed;
  m_context.length = figures.contextLength;
  m_context.isEstimate = false;
  m_context.tokensPerSecond = figures.decodeSeconds > 0 ? figures.generatedTokens / figures.decodeSeconds : 0;
  finishTurn(stateAfter(end));
  setActivity(Activity::Idle);
  emit contextChanged();
  if (end != ChatEnd::ContextFull) return;
  setTrouble({Trouble::Kind::ContextFull,
              tr("The context is full: all %1 tokens are used, and the answer is not finished.")
                  .arg(number(figures.contextLength)),
              figures.contextLength * 2});
}

void ChatController::onTooLong(quint64 request, quint32 promptTokens, quint32 contextLength) {
  if (request != m_request) return;
  m_request = 0;
  learnRatio(promptTokens, m_sentChars);
  const bool wasSummary = !std::exchange(m_cutId, {}).isEmpty();
  if (!wasSummary) takeBackEmptyAnswer();
  setActivity(Activity::Idle);
  const QString text = wasSummary ? tr("The oldest turns are themselves too long to be summarised in %1 tokens. Drop "
                                       "them, or plan a larger context.")
                                        .arg(number(contextLength))
                                  : tr("This conversation needs %1 tokens and the context holds %2.")
                                        .arg(number(promptTokens), number(contextLength));
  setTrouble({Trouble::Kind::PromptTooLong, text, promptTokens + promptTokens / 2});
}

void ChatController::onFailed(quint64 request, const Error& error) {
  if (request != m_request || request == 0) return;
  m_request = 0;
  m_cutId.clear();
  m_summary.clear();
  if (!m_answerId.isEmpty()) {
    takeBackEmptyAnswer();
    if (!m_answerId.isEmpty())
      finishTurn(error.code == ErrorCode::kCancelled ? TurnState::Stopped : TurnState::Interrupted);
  }
  setActivity(m_hasModel ? Activity::Idle : Activity::NoModel);
  // Who sent without having agreed is asked again: the bare error would leave no way on.
  if (error.code == ErrorCode::kCancelled || offerPlainTemplate()) return;
  setTrouble({Trouble::Kind::Failed, QString::fromStdString(error.message), 0});
}

void ChatController::onReading(const MemoryReading& reading) {
  if (m_activity != Activity::Writing || reading.kvTokensUsed == 0) return;
  if (m_firstKvTokens == 0) {
    m_firstKvTokens = reading.kvTokensUsed;
    m_writingClock.start();
  } else if (reading.kvTokensUsed > m_firstKvTokens && m_writingClock.elapsed() > 0) {
    m_context.tokensPerSecond =
        1000.0 * (reading.kvTokensUsed - m_firstKvTokens) / static_cast<double>(m_writingClock.elapsed());
  }
  m_context.used = reading.kvTokensUsed;
  m_context.isEstimate = false;
  emit contextChanged();
}

void ChatController::finishTurn(TurnState state) {
  if (m_answerId.isEmpty()) return;
  const QString id = std::exchange(m_answerId, {});
  m_tree.find(id)->state = state;
  m_head.updatedMs = nowMs();
  saveHead();
  saveTurn(id);
  emit turnChanged(id);
}

// Nothing was written: the answer goes away and its question can be sent again. One that was to be continued keeps what
// it had.
void ChatController::takeBackEmptyAnswer() {
  if (m_answerId.isEmpty()) return;
  if (!m_tree.find(m_answerId)->text.isEmpty()) {
    finishTurn(TurnState::ContextFull);
    return;
  }
  m_resumeId = m_tree.find(m_answerId)->parentId;
  if (m_tree.turns().back().id == m_answerId) m_tree.removeLast();
  m_answerId.clear();
  emit pathChanged();
}

QString ChatController::whereToCut() {
  const QString cut = cutPoint(m_tree, m_tokensPerChar, 0.5 * m_context.length);
  if (cut.isEmpty()) {
    setTrouble({Trouble::Kind::AloneTooLong,
                tr("Nothing older is left to drop: the newest message alone fills the context. Shorten it, or plan a "
                   "larger context."),
                m_context.length * 2});
  }
  return cut;
}

void ChatController::dropOldest() {
  if (m_activity != Activity::Idle) return;
  const QString cut = whereToCut();
  if (cut.isEmpty()) return;
  const QStringList sent = sentPath(m_tree);
  cutAt(cut, m_tree.find(sent.first())->summary);
  resume();
}

void ChatController::summarise() {
  if (m_activity != Activity::Idle) return;
  m_cutId = whereToCut();
  if (m_cutId.isEmpty()) return;
  ChatRequest request;
  request.messages = summaryMessages(m_tree, m_cutId);
  request.allowPlainTemplate = m_plainTemplateAgreed;
  request.maxTokens = kSummaryTokens;
  request.sampler = m_settings.sampler;
  m_sentChars = charsOf(request.messages);
  m_summary.clear();
  setTrouble({});
  m_request = m_engine.generate(request);
  setActivity(Activity::Summarising);
}

void ChatController::cutAt(const QString& turnId, const QString& summary) {
  Turn& turn = *m_tree.find(turnId);
  turn.cutBefore = true;
  turn.summary = summary;
  saveTurn(turnId);
  estimateContext();
  emit pathChanged();
}

// Goes on with what the full context had stopped.
void ChatController::resume() {
  const Turn* turn = m_tree.find(m_resumeId);
  if (turn == nullptr || m_tree.lastId() != m_resumeId) return;
  if (turn->role == Role::User) {
    answer(m_resumeId);
  } else {
    continueAnswer(m_resumeId);
  }
}

void ChatController::agreeToPlainTemplate() {
  m_plainTemplateAgreed = true;
  setTrouble({});
  const Turn* last = m_tree.find(m_tree.lastId());
  if (last != nullptr && last->role == Role::User) answer(last->id);
}

void ChatController::learnRatio(quint32 tokens, qsizetype chars) {
  if (tokens > 0 && chars > 0) m_tokensPerChar = static_cast<double>(tokens) / static_cast<double>(chars);
}

void ChatController::estimateContext() {
  const qsizetype chars = charsOf(requestMessages(m_tree, m_head.systemPrompt, m_tree.lastId()));
  m_context.used = m_tree.isEmpty() ? 0 : static_cast<quint32>(m_tokensPerChar * static_cast<double>(chars));
  m_context.isEstimate = m_context.used > 0;
  emit contextChanged();
}

void ChatController::setActivity(Activity activity) {
  if (activity == m_activity) return;
  m_activity = activity;
  emit activityChanged();
}

void ChatController::setTrouble(Trouble trouble) {
  if (trouble.kind == Trouble::Kind::None && m_trouble.kind == Trouble::Kind::None) return;
  m_trouble = std::move(trouble);
  emit troubleChanged();
}

void ChatController::saveHead() {
  m_headIsSaved = true;
  m_head.updatedMs = nowMs();
  m_store.saveHead(m_head);
  emit headChanged();
}

void ChatController::saveTurn(const QString& id) { m_store.saveTurn(m_head.id, *m_tree.find(id)); }

}  // namespace headroom::ui
