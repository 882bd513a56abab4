#include "ui/chat/chat_controller.h"

#include <QDateTime>
#include <QFileInfo>
#include <QUuid>
#include <algorithm>
#include <utility>

#include "base/overloaded.h"
#include "plan/speed.h"
#include "ui/chat/chat_request.h"
#include "ui/format/format_bytes.h"

namespace headroom::ui {

namespace {

constexpr qsizetype kTitleChars = 48;

qint64 nowMs() { return QDateTime::currentMSecsSinceEpoch(); }

QString titleFrom(const QString& text) {
  const QString line = text.simplified();
  if (line.size() <= kTitleChars) return line;
  const qsizetype space = line.lastIndexOf(u' ', kTitleChars);
  return line.left(space > kTitleChars / 2 ? space : kTitleChars) + u'…';
}

// An answer that was continued counts all that was written for it: a part whose figures never came leaves it uncounted.
void addFigures(Turn& turn, const chat_effect::FinishTurn& part) {
  const bool isFirst = turn.text.size() + turn.thinking.size() == part.writtenChars;
  const bool isCounted = part.figures || part.writtenChars == 0;
  if (!isCounted || isFirst || turn.generatedTokens == 0) {
    turn.generatedTokens = 0;
    turn.decodeSeconds = 0;
  }
  turn.promptTokens = part.figures ? part.figures->promptTokens : 0;
  turn.reusedTokens = part.figures ? part.figures->reusedTokens : 0;
  if (part.figures && (isFirst || turn.generatedTokens > 0)) {
    turn.generatedTokens += part.figures->generatedTokens;
    turn.decodeSeconds += part.figures->decodeSeconds;
  }
  if (isFirst) {
    turn.seed = part.figures ? part.figures->seed : 0;
  } else if (part.writtenChars > 0) {
    turn.seed = 0;
  }
}

}  // namespace

ChatController::ChatController(EnginePort& engine, ConversationPort& store, QObject* parent)
    : QObject(parent), m_engine(engine), m_store(store), m_draft(store, this) {
  connectEngine();
  connect(&store, &ConversationPort::opened, this,
          [this](const Conversation& conversation) { handleEvent(chat_event::Opened{conversation}); });
  connect(&store, &ConversationPort::openFailed, this,
          [this](const QString& id) { handleEvent(chat_event::OpenFailed{id}); });
  m_promptPause.setSingleShot(true);
  m_promptPause.setInterval(ChatDraft::kKeepMs);
  connect(&m_promptPause, &QTimer::timeout, this, &ChatController::saveHead);
  m_answerPause.setSingleShot(true);
  m_answerPause.setInterval(kKeepMs);
  connect(&m_answerPause, &QTimer::timeout, this, [this] {
    if (const auto* answer = std::get_if<chat_stage::Answering>(&m_stage)) saveTurn(answer->turnId);
  });
  connect(&m_thinkingClock, &ThinkingClock::ticked, this, [this] {
    const auto* answer = std::get_if<chat_stage::Answering>(&m_stage);
    if (answer == nullptr) return;
    m_thinkingClock.run(*m_tree.find(answer->turnId));
    emit thinkingTimed(answer->turnId);
  });
  newConversation();
}

// Nobody is told: who listened may be half gone already.
ChatController::~ChatController() {
  blockSignals(true);
  m_draft.blockSignals(true);
  handleEvent(chat_event::Ended{});
  keepPrompt();
  m_draft.keep();
}

void ChatController::connectEngine() {
  connect(&m_engine, &EnginePort::modelLoaded, this, &ChatController::onModelLoaded);
  connect(&m_engine, &EnginePort::modelUnloaded, this, &ChatController::onModelUnloaded);
  connect(&m_engine, &EnginePort::prefillProgressed, this, [this](quint64 request, quint32 done, quint32 total) {
    if (total > 0) handleEvent(chat_event::ReadingProgressed{request, static_cast<int>(100ULL * done / total)});
  });
  connect(&m_engine, &EnginePort::textArrived, this, [this](quint64 request, const QString& text) {
    handleEvent(chat_event::TextArrived{request, text});
  });
  connect(&m_engine, &EnginePort::thinkingArrived, this, [this](quint64 request, const QString& text) {
    handleEvent(chat_event::TextArrived{request, text, TextKind::kThinking});
  });
  connect(&m_engine, &EnginePort::generationFinished, this,
          [this](quint64 request, ChatEnd end, const ChatFigures& figures) {
            handleEvent(chat_event::Finished{request, end, figures});
          });
  connect(&m_engine, &EnginePort::promptTooLong, this,
          [this](quint64 request, quint32 promptTokens, quint32 contextLength, bool isAtLeast) {
            handleEvent(chat_event::TooLong{request, promptTokens, contextLength, isAtLeast});
          });
  connect(&m_engine, &EnginePort::failed, this, [this](quint64 request, const Error& error) {
    handleEvent(chat_event::Failed{request, error});
  });
  connect(&m_engine, &EnginePort::memoryRead, this, &ChatController::onReading);
}

Activity ChatController::activity() const {
  return std::visit(
      Overloaded{[this](const chat_stage::Resting&) { return m_model ? Activity::Idle : Activity::NoModel; },
                 [](const chat_stage::Opening&) { return Activity::Opening; },
                 [](const chat_stage::Answering& answer) {
                   return answer.isStopping  ? Activity::Stopping
                          : answer.isWriting ? Activity::Writing
                                             : Activity::Reading;
                 },
                 [](const chat_stage::Summarising& summary) {
                   return summary.isStopping ? Activity::Stopping : Activity::Summarising;
                 }},
      m_stage);
}

int ChatController::readPercent() const {
  const auto* answer = std::get_if<chat_stage::Answering>(&m_stage);
  return answer ? answer->readPercent : 0;
}

// The stage is whole before anything is done about it: an effect may start the next answer.
void ChatController::handleEvent(const ChatEvent& event) {
  const Activity before = activity();
  const int percentBefore = readPercent();
  for (const ChatEffect& effect : react(m_stage, event)) runEffect(effect);
  if (activity() != before || readPercent() != percentBefore) emit activityChanged();
}

void ChatController::runEffect(const ChatEffect& effect) {
  std::visit(Overloaded{[this](const chat_effect::StopRequest& stop) { m_engine.stop(stop.request); },
                        [this](const chat_effect::AppendText& append) { appendText(append); },
                        [this](const chat_effect::FinishTurn& finished) { finishTurn(finished); },
                        [this](const chat_effect::DropTurn& dropped) { dropTurn(dropped.turnId); },
                        [this](const chat_effect::Count& count) { learnRatio(count); },
                        [this](const chat_effect::CutAndResume& cut) {
                          cutAt(cut.cutId, cut.summary);
                          resume(cut.resumeId);
                        },
                        [this](const chat_effect::TakeOpened& taken) { takeConversation(taken.conversation); },
                        [this](const chat_effect::TellTrouble& told) { setTrouble(told.trouble); },
                        [this](const chat_effect::TellFull& full) {
                          setTrouble({Trouble::Kind::ContextFull,
                                      tr("The context is full: all %1 tokens are used, and the answer is not finished.")
                                          .arg(formatCount(full.contextLength)),
                                      full.contextLength * 2, full.resumeId});
                        },
                        [this](const chat_effect::TellTooLong& told) { tellTooLong(told); },
                        [this](const chat_effect::TellFailed& failed) { tellFailed(failed.error); }},
             effect);
}

void ChatController::newConversation() {
  keepPrompt();
  handleEvent(chat_event::Left{});
  m_head = {QUuid::createUuid().toString(QUuid::WithoutBraces), {}, m_settings.systemPrompt, nowMs(), nowMs()};
  m_headIsSaved = false;
  m_tree.reset({});
  m_draft.openNew();
  forgetSpeed();
  estimateContext();
  setTrouble({});
  emit headChanged();
  emit pathChanged();
}

void ChatController::openConversation(const QString& id) {
  if (id == m_head.id) return handleEvent(chat_event::OpenGivenUp{});
  keepPrompt();
  m_draft.keep();  // the store reads it with its conversation, should that be the one that is opened next
  handleEvent(chat_event::OpenAsked{id});
  setTrouble({});
  m_store.open(id);
}

void ChatController::takeConversation(const Conversation& conversation) {
  m_head = conversation.head;
  m_headIsSaved = true;
  m_tree.reset(conversation.turns);
  m_draft.open(m_head.id, conversation.draft, m_tree);
  forgetSpeed();
  estimateContext();
  emit headChanged();
  emit pathChanged();
}

void ChatController::renameConversation(const QString& title) {
  if (title.trimmed().isEmpty()) return;
  m_head.title = title.trimmed();
  if (m_headIsSaved) saveHead();
  emit headChanged();
}

void ChatController::forgetConversation(const QString& id) {
  if (id == m_head.id) return newConversation();
  const auto* opening = std::get_if<chat_stage::Opening>(&m_stage);
  if (opening != nullptr && opening->conversationId == id) handleEvent(chat_event::OpenGivenUp{});
}

void ChatController::setSystemPrompt(const QString& text) {
  if (text == m_head.systemPrompt) return;
  m_head.systemPrompt = text;
  if (m_headIsSaved && !m_promptPause.isActive()) m_promptPause.start();
  estimateContext();
  emit headChanged();
}

bool ChatController::send(const QString& text, const QVector<Attachment>& attachments) {
  if (!canStart() || (text.trimmed().isEmpty() && attachments.isEmpty())) return false;
  const QString id = m_tree.append(m_tree.lastId(), Role::User, text, nowMs());
  m_tree.find(id)->attachments = attachments;
  if (m_head.title.isEmpty()) m_head.title = titleFrom(text.trimmed().isEmpty() ? attachments.first().name : text);
  saveHead();
  saveTurn(id);
  answer(id);
  return true;
}

bool ChatController::edit(const QString& userTurnId, const QString& text, const QVector<Attachment>& attachments) {
  const Turn* old = m_tree.find(userTurnId);
  if (!canStart() || old == nullptr || (text.trimmed().isEmpty() && attachments.isEmpty())) return false;
  const bool cutBefore = old->cutBefore;
  const QString summary = old->summary;
  showTurn(userTurnId);
  const QString id = m_tree.append(m_tree.find(userTurnId)->parentId, Role::User, text, nowMs());
  Turn& turn = *m_tree.find(id);
  turn.attachments = attachments;
  turn.cutBefore = cutBefore;
  turn.summary = summary;
  saveHead();
  saveTurn(id);
  answer(id);
  return true;
}

bool ChatController::sendDraft() {
  if (!m_draft.canSend()) return false;
  const DraftMessage message = m_draft.message();
  QVector<Attachment> attachments;
  for (const DraftFile& file : message.files) attachments.append(file.attachment);
  const QString edited = m_draft.editedTurn();
  if (!(edited.isEmpty() ? send(message.text, attachments) : edit(edited, message.text, attachments))) return false;
  m_draft.handleEvent(draft_event::Sent{});
  m_draft.keep();
  return true;
}

void ChatController::editTurn(const QString& id) {
  const Turn* turn = m_tree.find(id);
  if (turn == nullptr || turn->role != Role::User) return;
  m_draft.edit(*turn);
}

void ChatController::answer(const QString& userTurnId) {
  if (!canStart() || m_tree.find(userTurnId) == nullptr) return;
  showTurn(userTurnId);
  startAnswer(m_tree.append(userTurnId, Role::Assistant, QString(), nowMs()), true, false);
}

void ChatController::regenerate(const QString& assistantTurnId) {
  const Turn* turn = m_tree.find(assistantTurnId);
  if (turn != nullptr) answer(turn->parentId);
}

void ChatController::continueAnswer(const QString& assistantTurnId) {
  const Turn* turn = m_tree.find(assistantTurnId);
  if (!canStart() || turn == nullptr || !canContinue(turn->state)) return;
  showTurn(assistantTurnId);
  // An answer that was stopped before its first word has nothing to go on from.
  startAnswer(assistantTurnId, false, !turn->text.isEmpty() || !turn->thinking.isEmpty());
}

ChatRequest ChatController::requestOf(std::vector<ChatMessage> messages, quint32 maxTokens) const {
  ChatRequest request;
  request.messages = std::move(messages);
  request.allowPlainTemplate = m_model->isPlainTemplateAgreed;
  request.maxTokens = maxTokens;
  request.sampler = m_settings.sampler;
  request.thinking = m_settings.thinking;
  return request;
}

// What is asked about a turn is answered below it, and the model reads what leads to it: no other version may hide
// them.
void ChatController::showTurn(const QString& turnId) {
  if (m_tree.path().contains(turnId)) return;
  for (const Turn* turn = m_tree.find(turnId); turn != nullptr; turn = m_tree.find(turn->parentId)) {
    m_tree.choose(turn->id);
    m_store.chooseVersion(m_head.id, turn->id);
  }
}

void ChatController::startAnswer(const QString& turnId, bool isNewTurn, bool continues) {
  Turn& turn = *m_tree.find(turnId);
  const QString questionId = turn.parentId;
  turn.state = TurnState::Writing;
  turn.modelName = m_model->name;
  ChatRequest request =
      requestOf(requestMessages(m_tree, m_head.systemPrompt, continues ? turnId : questionId), m_settings.maxTokens);
  request.continueLast = continues;
  const qsizetype sentChars = charsOf(request.messages);
  m_speed = {};
  forgetSpeed();
  setTrouble({});
  handleEvent(chat_event::AnswerStarted{m_engine.generate(request), turnId, questionId, isNewTurn, sentChars});
  emit pathChanged();
}

void ChatController::chooseVersion(const QString& turnId) {
  if (isBusy() || m_tree.find(turnId) == nullptr) return;
  m_tree.choose(turnId);
  m_store.chooseVersion(m_head.id, turnId);
  setTrouble({});
  estimateContext();
  emit pathChanged();
}

void ChatController::stop() { handleEvent(chat_event::StopAsked{}); }

void ChatController::onModelLoaded(quint64 request, const LoadedModel& loaded) {
  if (!m_staleModelFilter.isLoadedNews(request)) return;
  m_staleModelFilter.loaded(request);
  ModelFacts facts{loaded.model ? QString::fromStdString(loaded.model->name) : QString(),
                   loaded.templateProblem,
                   false,
                   loaded.model,
                   loaded.plan,
                   loaded.thinkingControl};
  if (facts.name.isEmpty()) facts.name = QFileInfo(loaded.path).completeBaseName();
  if (m_model && m_model->name == facts.name && m_model->templateProblem == facts.templateProblem)
    facts.isPlainTemplateAgreed = m_model->isPlainTemplateAgreed;
  const Activity before = activity();
  m_model = facts;
  m_context.length = loaded.plan ? loaded.plan->options.n_ctx : 0;
  forgetSpeed();
  handleEvent(chat_event::ModelChanged{request});
  // A question that was asked while this model was on its way is answered by it.
  if (const auto* waiting = std::get_if<chat_stage::Answering>(&m_stage)) {
    m_tree.find(waiting->turnId)->modelName = facts.name;
    emit turnChanged(waiting->turnId);
  }
  if (before == Activity::NoModel) emit activityChanged();
  emit modelChanged();
  estimateContext();
  setTrouble({});
  offerPlainTemplate();
}

void ChatController::onModelUnloaded(quint64 request) {
  if (!m_staleModelFilter.isUnloadedNews(request)) return;
  m_staleModelFilter.unloaded(request);
  m_model.reset();
  m_context.length = 0;
  forgetSpeed();
  handleEvent(chat_event::ModelChanged{request});
  emit activityChanged();
  emit modelChanged();
  emit contextChanged();
}

void ChatController::appendText(const chat_effect::AppendText& append) {
  if (!m_speed.clock.isValid()) m_speed.clock.start();
  Turn& turn = *m_tree.find(append.turnId);
  if (append.kind == TextKind::kThinking) {
    turn.thinking += append.text;
    m_thinkingClock.run(turn);
    emit thinkingAppended(append.turnId, append.text);
  } else {
    m_thinkingClock.end(turn);
    turn.text += append.text;
    emit textAppended(append.turnId, append.text);
  }
  if (!m_answerPause.isActive()) m_answerPause.start();
}

void ChatController::finishTurn(const chat_effect::FinishTurn& finished) {
  Turn& turn = *m_tree.find(finished.turnId);
  turn.state = finished.state;
  m_thinkingClock.end(turn);
  addFigures(turn, finished);
  if (finished.figures) {
    const ChatFigures& figures = *finished.figures;
    // The last token of a full context is shown and has no place in it.
    m_context.used = std::min(figures.contextUsed, figures.contextLength);
    m_context.isAtLeast = false;
    m_context.length = figures.contextLength;
    m_context.isEstimate = false;
    m_context.tokensPerSecond = figures.decodeSeconds > 0 ? figures.generatedTokens / figures.decodeSeconds : 0;
    m_context.predictedTokensPerSecond = m_context.tokensPerSecond > 0 ? predictedFor(figures) : 0;
    emit contextChanged();
  }
  m_answerPause.stop();
  saveHead();
  saveTurn(finished.turnId);
  emit turnChanged(finished.turnId);
}

// By the plan that answered, for what its tokens saw in the mean.
double ChatController::predictedFor(const ChatFigures& figures) const {
  if (!m_model || !m_model->model || !m_model->plan || m_model->plan->placement.layers.empty()) return 0;
  const MemoryPlan& plan = *m_model->plan;
  std::vector<DeviceInfo> devices = plan.devices;
  for (DeviceInfo& device : devices) {
    for (const DeviceInfo& known : m_devices) {
      if (known.id == device.id) device.speed = known.speed;
    }
  }
  const quint32 nPositions = figures.contextUsed - std::min(figures.contextUsed, figures.generatedTokens / 2);
  return estimate_tokens_per_s(*m_model->model, devices, plan.placement, plan.options, nPositions).value_or(0);
}

// A speed belongs to an answer of this conversation by the model that is loaded.
void ChatController::forgetSpeed() { m_context.tokensPerSecond = m_context.predictedTokensPerSecond = 0; }

// The newest turn of all: it was made for the answer that did not come.
void ChatController::dropTurn(const QString& turnId) {
  if (m_tree.turns().back().id == turnId) m_tree.removeLast();
  emit pathChanged();
}

void ChatController::onReading(const MemoryReading& reading) {
  if (activity() != Activity::Writing || reading.kvTokensUsed == 0) return;
  if (m_speed.firstKvTokens == 0) {
    m_speed.firstKvTokens = reading.kvTokensUsed;
    m_speed.clock.start();
  } else if (reading.kvTokensUsed > m_speed.firstKvTokens && m_speed.clock.elapsed() > 0) {
    m_context.tokensPerSecond =
        1000.0 * (reading.kvTokensUsed - m_speed.firstKvTokens) / static_cast<double>(m_speed.clock.elapsed());
  }
  m_context.used = reading.kvTokensUsed;
  m_context.isEstimate = m_context.isAtLeast = false;
  emit contextChanged();
}

void ChatController::learnRatio(const chat_effect::Count& count) {
  if (count.tokens == 0 || count.chars == 0) return;
  const double ratio = static_cast<double>(count.tokens) / static_cast<double>(count.chars);
  m_tokensPerChar = count.isAtLeast ? std::max(m_tokensPerChar, ratio) : ratio;
}

void ChatController::estimateContext() {
  const qsizetype chars = charsOf(requestMessages(m_tree, m_head.systemPrompt, m_tree.lastId()));
  m_context.used = m_tree.isEmpty() ? 0 : static_cast<quint32>(m_tokensPerChar * static_cast<double>(chars));
  m_context.isEstimate = m_context.used > 0;
  m_context.isAtLeast = false;
  emit contextChanged();
}

void ChatController::saveHead() {
  m_promptPause.stop();
  m_headIsSaved = true;
  m_head.updatedMs = nowMs();
  m_store.saveHead(m_head);
  m_draft.moveTo(m_head.id);
  emit headChanged();
}

void ChatController::keepPrompt() {
  if (m_promptPause.isActive()) saveHead();
}

void ChatController::saveTurn(const QString& id) { m_store.saveTurn(m_head.id, *m_tree.find(id)); }

}  // namespace headroom::ui
