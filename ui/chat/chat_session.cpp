#include "ui/chat/chat_session.h"

#include <QDateTime>
#include <QHash>
#include <QUuid>
#include <algorithm>
#include <utility>

#include "base/overloaded.h"
#include "ui/chat/chat_request.h"
#include "ui/chat/conversation_titles.h"
#include "ui/format/format_bytes.h"

namespace headroom::ui {

namespace {

constexpr quint32 kTitleTokens = 32, kThoughtTitleTokens = 512;  // at most

qint64 nowMs() { return QDateTime::currentMSecsSinceEpoch(); }

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

ChatSession::ChatSession(ChatSurroundings& shared, const QString& draftOf, QObject* parent)
    : QObject(parent), m_shared(shared), m_draft(shared.store, this, draftOf) {
  m_promptPause.setSingleShot(true);
  m_promptPause.setInterval(ChatDraft::kKeepMs);
  connect(&m_promptPause, &QTimer::timeout, this, &ChatSession::saveHead);
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
  connect(&m_draft, &ChatDraft::changed, this, [this] {
    if (m_heldDraft && *m_heldDraft != m_draft.draft()) takeBackDraft();
  });
  if (shared.model && shared.model->plan) m_meter.setLength(shared.model->plan->options.n_ctx);
}

ChatSession::ChatSession(ChatSurroundings& shared, QObject* parent) : ChatSession(shared, QString(), parent) {
  restart();
}

ChatSession::ChatSession(ChatSurroundings& shared, const Conversation& conversation, QObject* parent)
    : ChatSession(shared, conversation.head.id, parent) {
  m_head = conversation.head;
  m_headIsSaved = true;
  m_tree.reset(conversation.turns);
  m_draft.open(conversation.draft, m_tree);
  estimateContext();
}

ChatSession::~ChatSession() { end(chat_event::Ended{}); }

// Nobody is told: who listened may be half gone already.
void ChatSession::end(const ChatEvent& how) {
  blockSignals(true);
  m_draft.blockSignals(true);
  handleEvent(how);
  keepTyped();
}

Activity ChatSession::activity() const {
  return std::visit(
      Overloaded{[this](const chat_stage::Resting&) { return m_shared.model ? Activity::Idle : Activity::NoModel; },
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

int ChatSession::readPercent() const {
  const auto* answer = std::get_if<chat_stage::Answering>(&m_stage);
  return answer ? answer->readPercent : 0;
}

bool ChatSession::hasStarted() const {
  return std::visit(Overloaded{[](const chat_stage::Resting&) { return false; },
                               [](const auto& waiting) { return waiting.hasStarted; }},
                    m_stage);
}

// The stage is whole before anything is done about it: an effect may start the next answer.
void ChatSession::handleEvent(const ChatEvent& event) {
  const Activity before = activity();
  const int percentBefore = readPercent();
  const bool hadStarted = hasStarted();
  for (const ChatEffect& effect : react(m_stage, event)) runEffect(effect);
  if (activity() != before || readPercent() != percentBefore || hasStarted() != hadStarted) emit activityChanged();
}

void ChatSession::runEffect(const ChatEffect& effect) {
  std::visit(Overloaded{[this](const chat_effect::StopRequest& stop) { m_shared.engine.stop(stop.request); },
                        [this](const chat_effect::AppendText& append) { appendText(append); },
                        [this](const chat_effect::FinishTurn& finished) { finishTurn(finished); },
                        [this](const chat_effect::DropTurn& dropped) { dropTurn(dropped.turnId); },
                        [this](const chat_effect::Count& count) { m_meter.learn(count); },
                        [this](const chat_effect::CutAndResume& cut) {
                          cutAt(cut.cutId, cut.summary);
                          resume(cut.resumeId);
                        },
                        [this](const chat_effect::TellTrouble& told) { setTrouble(told.trouble); },
                        [this](const chat_effect::TellFull& full) {
                          const auto words = [length = full.contextLength] {
                            return tr("The context is full: all %1 tokens are used, and the answer is not finished.")
                                .arg(formatCount(length));
                          };
                          setTrouble({.kind = Trouble::Kind::ContextFull,
                                      .sentence = words,
                                      .neededTokens = full.contextLength * 2,
                                      .resumeId = full.resumeId});
                          settleFull();
                        },
                        [this](const chat_effect::TellTooLong& told) { tellTooLong(told); },
                        [this](const chat_effect::TellFailed& failed) { tellFailed(failed); }},
             effect);
}

void ChatSession::restart() {
  m_head = {
      QUuid::createUuid().toString(QUuid::WithoutBraces), {}, m_shared.settings.chat().systemPrompt, nowMs(), nowMs()};
  estimateContext();
  setTrouble({});
  emit headChanged();
}

void ChatSession::rename(const QString& title) {
  if (title.trimmed().isEmpty()) return;
  m_head.title = title.trimmed();
  if (m_headIsSaved) m_shared.store.rename(m_head.id, m_head.title);
  emit headChanged();
}

bool ChatSession::canAskForTitle() const {
  if (!canStart() || m_trouble.kind != Trouble::Kind::None || m_tree.isEmpty()) return false;
  const Turn& last = *m_tree.find(m_tree.lastId());
  const bool isAnswered = last.role == Role::Assistant && !last.text.isEmpty();
  return isAnswered && m_head.title == titleFromMessage(*m_tree.find(m_tree.path().first()));
}

// Greedy, and without a thought where the template lets it choose: it is asked in passing.
ChatRequest ChatSession::titleRequest() const {
  ChatRequest request = requestFor(titleMessages(m_tree, m_head.systemPrompt), kTitleTokens);
  request.sampler = {};
  request.sampler.temperature = 0;
  request.thinking = m_shared.model->thinkingChoices.least();
  const bool hasThought = !m_tree.find(m_tree.lastId())->thinking.isEmpty();
  if (request.thinking != ThinkingChoice::kOff && hasThought) request.maxTokens = kThoughtTitleTokens;
  return request;
}

void ChatSession::takeTitle(const QString& title, const ChatFigures& figures) {
  SentPrompt& before = m_shared.answered[m_head.id];
  before.asideTokens = figures.contextUsed - std::min(figures.contextUsed, before.contextUsed);
  rename(title);
}

void ChatSession::setSystemPrompt(const QString& text) {
  if (text == m_head.systemPrompt) return;
  m_head.systemPrompt = text;
  if (m_headIsSaved && !m_promptPause.isActive()) m_promptPause.start();
  estimateContext();
  emit headChanged();
}

AnswerOptions ChatSession::options() const { return m_head.options.value_or(m_shared.settings.chat().answers); }

void ChatSession::setOptions(const AnswerOptions& options) {
  const auto own = options == m_shared.settings.chat().answers ? std::nullopt : std::optional(options);
  if (own == m_head.options) return;
  m_head.options = own;
  if (m_headIsSaved && !m_promptPause.isActive()) m_promptPause.start();
  emit headChanged();
}

bool ChatSession::send(const QString& text, const QVector<Attachment>& attachments) {
  if (!canStart() || (text.trimmed().isEmpty() && attachments.isEmpty())) return false;
  const QString id = m_tree.append(m_tree.lastId(), Role::User, text, nowMs());
  m_tree.find(id)->attachments = attachments;
  if (m_head.title.isEmpty()) m_head.title = titleFromMessage(*m_tree.find(id));
  saveHead();
  saveTurn(id);
  answer(id);
  return true;
}

bool ChatSession::edit(const QString& turnId, const QString& text, const QVector<Attachment>& attachments) {
  const Turn* old = m_tree.find(turnId);
  if (old == nullptr || isBusy() || (text.trimmed().isEmpty() && attachments.isEmpty())) return false;
  const bool isAnswer = old->role == Role::Assistant;
  if (!isAnswer && !canStart()) return false;
  Turn changed = *old;
  showTurn(turnId);
  const QString id = m_tree.append(changed.parentId, changed.role, text, nowMs());
  Turn& turn = *m_tree.find(id);
  if (!isAnswer) turn.attachments = attachments;  // nobody would see those of an answer
  turn.cutBefore = changed.cutBefore;
  turn.summary = changed.summary;
  turn.modelName = changed.modelName;
  saveHead();
  saveTurn(id);
  if (!isAnswer) {
    answer(id);
    return true;
  }
  setTrouble({});
  estimateContext();
  emit pathChanged();
  return true;
}

void ChatSession::removeTurn(QString id, bool isAlone) {
  const Turn* turn = m_tree.find(id);
  if (isBusy() || turn == nullptr || (isAlone && !m_tree.canRemoveAlone(id))) return;
  const QString parentId = turn->parentId;
  isAlone ? m_tree.removeAlone(id) : m_tree.remove(id);
  m_shared.store.removeTurn(m_head.id, id, isAlone);
  // Another version may stand in its place.
  for (const QString& at : m_tree.path()) {
    if (m_tree.find(at)->parentId == parentId) m_shared.store.chooseVersion(m_head.id, at);
  }
  m_draft.turnsRemoved(m_tree);
  setTrouble({});
  estimateContext();
  emit pathChanged();
}

bool ChatSession::sendDraft() {
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

void ChatSession::sendDraftOnceLoaded() {
  if (m_shared.model || !m_draft.canSend()) return;
  m_heldDraft = m_draft.draft();
  emit activityChanged();
}

void ChatSession::takeBackDraft() {
  if (std::exchange(m_heldDraft, std::nullopt)) emit activityChanged();
}

// The prompt as it would be with the draft sent: the draft is appended to a copy of the tree, whose texts are shared
// with the tree itself and not copied.
ChatRequest ChatSession::draftRequest() const {
  const DraftMessage& message = m_draft.message();
  if (!m_shared.model || message.isEmpty()) return {};
  ChatTree tree = m_tree;
  const Turn* edited = tree.find(m_draft.editedTurn());
  if (edited != nullptr && edited->role == Role::Assistant) return {};  // an answer that is changed by hand
  const Turn before = edited == nullptr ? Turn() : *edited;
  for (const Turn* turn = edited; turn != nullptr; turn = tree.find(turn->parentId)) tree.choose(turn->id);
  const QString id = tree.append(edited == nullptr ? tree.lastId() : before.parentId, Role::User, message.text, 0);
  Turn& turn = *tree.find(id);
  for (const DraftFile& file : message.files) {
    if (file.readId == 0) turn.attachments.append(file.attachment);
  }
  turn.cutBefore = before.cutBefore;
  turn.summary = before.summary;
  return requestFor(requestMessages(tree, m_head.systemPrompt, id), 0);
}

void ChatSession::editTurn(const QString& id) {
  const Turn* turn = m_tree.find(id);
  if (turn != nullptr && turn->state != TurnState::Writing) m_draft.edit(*turn);
}

void ChatSession::answer(const QString& userTurnId) {
  if (!canStart() || m_tree.find(userTurnId) == nullptr) return;
  showTurn(userTurnId);
  startAnswer(m_tree.append(userTurnId, Role::Assistant, QString(), nowMs()), true, false);
}

void ChatSession::regenerate(const QString& assistantTurnId) {
  const Turn* turn = m_tree.find(assistantTurnId);
  if (turn != nullptr) answer(turn->parentId);
}

void ChatSession::continueAnswer(const QString& assistantTurnId) {
  const Turn* turn = m_tree.find(assistantTurnId);
  if (!canStart() || turn == nullptr || !canContinue(turn->state)) return;
  showTurn(assistantTurnId);
  // An answer that was stopped before its first word has nothing to go on from.
  startAnswer(assistantTurnId, false, !turn->text.isEmpty() || !turn->thinking.isEmpty());
}

// Conversations are told apart by numbers in the engine: two with one would only wait for each other.
ChatRequest ChatSession::requestFor(std::vector<ChatMessage> messages, quint32 maxTokens) const {
  ChatRequest request;
  request.conversation = std::max<quint64>(qHash(m_head.id), 1);
  request.messages = std::move(messages);
  request.allowPlainTemplate = m_shared.model->isPlainTemplateAgreed;
  request.maxTokens = maxTokens;
  request.sampler = options().sampler;
  request.thinking = options().thinking;
  return request;
}

// What is asked about a turn is answered below it, and the model reads what leads to it: no other version may hide
// them.
void ChatSession::showTurn(const QString& turnId) {
  if (m_tree.path().contains(turnId)) return;
  for (const Turn* turn = m_tree.find(turnId); turn != nullptr; turn = m_tree.find(turn->parentId)) {
    m_tree.choose(turn->id);
    m_shared.store.chooseVersion(m_head.id, turn->id);
  }
}

void ChatSession::startAnswer(const QString& turnId, bool isNewTurn, bool continues) {
  Turn& turn = *m_tree.find(turnId);
  const QString questionId = turn.parentId;
  turn.state = TurnState::Writing;
  turn.modelName = m_shared.model->name;
  ChatRequest request =
      requestFor(requestMessages(m_tree, m_head.systemPrompt, continues ? turnId : questionId), options().maxTokens);
  request.continueLast = continues;
  const qsizetype sentChars = charsOf(request.messages);
  m_sent = sentPrompt(request);
  m_meter.start();
  setTrouble({});
  handleEvent(chat_event::AnswerStarted{m_shared.engine.generate(request), turnId, questionId, isNewTurn, sentChars});
  emit pathChanged();
}

void ChatSession::chooseVersion(const QString& turnId) {
  if (isBusy() || m_tree.find(turnId) == nullptr) return;
  m_tree.choose(turnId);
  m_shared.store.chooseVersion(m_head.id, turnId);
  setTrouble({});
  estimateContext();
  emit pathChanged();
}

void ChatSession::stop() {
  if (m_heldDraft) return takeBackDraft();
  handleEvent(chat_event::StopAsked{});
}

void ChatSession::modelChanged(quint64 request) {
  const std::optional<ChatModel>& model = m_shared.model;
  m_meter.setLength(model && model->plan ? model->plan->options.n_ctx : 0);
  m_meter.forgetSpeed();
  handleEvent(chat_event::ModelChanged{request});
  if (model) {
    // A question that was asked while this model was on its way is answered by it.
    if (const auto* waiting = std::get_if<chat_stage::Answering>(&m_stage)) {
      m_tree.find(waiting->turnId)->modelName = model->name;
      emit turnChanged(waiting->turnId);
    }
    estimateContext();
    setTrouble({});
  }
  emit activityChanged();
  emit contextChanged();
  if (model && std::exchange(m_heldDraft, std::nullopt)) sendDraft();
}

void ChatSession::appendText(const chat_effect::AppendText& append) {
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
  if (append.contextUsed > 0) {
    m_meter.grow(append.contextUsed);
    emit contextChanged();
  }
  if (!m_answerPause.isActive()) m_answerPause.start();
}

void ChatSession::finishTurn(const chat_effect::FinishTurn& finished) {
  Turn& turn = *m_tree.find(finished.turnId);
  turn.state = finished.state;
  m_thinkingClock.end(turn);
  addFigures(turn, finished);
  takePrefixBreak(turn, finished);
  if (finished.figures) {
    const std::optional<ChatModel>& model = m_shared.model;
    const bool isKnown = model && model->info && model->plan;
    m_meter.finish(
        *finished.figures,
        isKnown ? predictedTokensPerSecond(*model->info, *model->plan, m_shared.devices, *finished.figures) : 0);
    emit contextChanged();
  }
  m_hasNews = finished.writtenChars > 0 && finished.state != TurnState::Stopped;
  m_answerPause.stop();
  saveHead();
  saveTurn(finished.turnId);
  emit turnChanged(finished.turnId);
}

// What ended before its prompt was given a slot has left the cache as it was.
void ChatSession::takePrefixBreak(Turn& turn, const chat_effect::FinishTurn& finished) {
  turn.prefixBreak = {};
  if (!finished.figures || finished.figures->promptTokens == 0) return;
  SentPrompt& before = m_shared.answered[m_head.id];
  turn.prefixBreak = findPrefixBreak(*finished.figures, before, m_sent);
  before = m_sent;
  before.promptTokens = finished.figures->promptTokens;
  before.contextUsed = finished.figures->contextUsed;
}

// The newest turn of all: it was made for the answer that did not come.
void ChatSession::dropTurn(const QString& turnId) {
  if (m_tree.turns().back().id == turnId) m_tree.removeLast();
  emit pathChanged();
}

void ChatSession::estimateContext() {
  const std::vector<ChatMessage> sent = requestMessages(m_tree, m_head.systemPrompt);
  m_meter.estimate(m_tree.isEmpty() ? 0 : charsOf(sent));
  emit contextChanged();
}

void ChatSession::saveHead() {
  m_promptPause.stop();
  m_headIsSaved = true;
  m_head.updatedMs = nowMs();
  m_shared.store.saveHead(m_head);
  m_draft.moveTo(m_head.id);
  emit headChanged();
}

void ChatSession::keepTyped() {
  if (m_promptPause.isActive()) saveHead();
  m_draft.keep();
}

void ChatSession::saveTurn(const QString& id) { m_shared.store.saveTurn(m_head.id, *m_tree.find(id)); }

}  // namespace headroom::ui
