#include "ui/chat/chat_sessions.h"

#include <QFileInfo>
#include <algorithm>

#include "plan/prompt_memory.h"

namespace headroom::ui {

ChatSessions::ChatSessions(EnginePort& engine, ConversationPort& store, SettingsModel& settings, QObject* parent)
    : QObject(parent), m_shared{engine, store, settings} {
  connectEngine();
  connect(&store, &ConversationPort::opened, this, &ChatSessions::takeOpened);
  connect(&store, &ConversationPort::openFailed, this, [this](const QString& id) {
    if (id == m_opening) setOpening({});
  });
  connect(&store, &ConversationPort::newDraftOpened, this, &ChatSessions::takeNewDraft);
  m_current = add(new ChatSession(m_shared, this));
  m_titler = new ConversationTitler(*this);
  store.openNewDraft();
}

// Before m_shared, which they refer to.
ChatSessions::~ChatSessions() {
  blockSignals(true);
  qDeleteAll(findChildren<ChatSession*>(QString(), Qt::FindDirectChildrenOnly));
}

void ChatSessions::connectEngine() {
  EnginePort* engine = &m_shared.engine;
  connect(engine, &EnginePort::modelLoaded, this, &ChatSessions::onModelLoaded);
  connect(engine, &EnginePort::modelUnloaded, this, &ChatSessions::onModelUnloaded);
  connect(engine, &EnginePort::prefillProgressed, this, [this](quint64 request, quint32 done, quint32 total) {
    if (total > 0) route(chat_event::ReadingProgressed{request, static_cast<int>(100ULL * done / total)});
  });
  connect(engine, &EnginePort::textArrived, this, [this](quint64 request, const QString& text, quint32 contextUsed) {
    route(chat_event::TextArrived{request, text, TextKind::kAnswer, contextUsed});
  });
  connect(engine, &EnginePort::thinkingArrived, this,
          [this](quint64 request, const QString& text, quint32 contextUsed) {
            route(chat_event::TextArrived{request, text, TextKind::kThinking, contextUsed});
          });
  connect(engine, &EnginePort::generationFinished, this,
          [this](quint64 request, ChatEnd end, const ChatFigures& figures) {
            route(chat_event::Finished{request, end, figures});
          });
  connect(engine, &EnginePort::promptTooLong, this,
          [this](quint64 request, quint32 promptTokens, quint32 contextLength, bool isAtLeast) {
            route(chat_event::TooLong{request, promptTokens, contextLength, isAtLeast});
          });
  connect(engine, &EnginePort::failed, this, [this](quint64 request, const Error& error) {
    route(chat_event::Failed{request, error});
  });
}

// An answer of the engine finds the session that waits for it, or nobody.
template <class Event>
void ChatSessions::route(const Event& event) {
  const auto waiting = std::find_if(m_sessions.begin(), m_sessions.end(),
                                    [&](const ChatSession* session) { return session->request() == event.request; });
  if (event.request == 0 || waiting == m_sessions.end()) return;
  (*waiting)->handleEvent(event);
  settle();
}

void ChatSessions::onModelLoaded(quint64 request, const LoadedModel& loaded) {
  if (!m_staleModelFilter.isLoadedNews(request)) return;
  m_staleModelFilter.loaded(request);
  ChatModel model{loaded.model ? QString::fromStdString(loaded.model->name) : QString(),
                  loaded.templateProblem,
                  false,
                  loaded.model,
                  loaded.plan,
                  loaded.thinkingChoices};
  if (model.name.isEmpty()) model.name = QFileInfo(loaded.path).completeBaseName();
  const std::optional<ChatModel>& before = m_shared.model;
  if (before && before->name == model.name && before->templateProblem == model.templateProblem)
    model.isPlainTemplateAgreed = before->isPlainTemplateAgreed;
  m_shared.model = std::move(model);
  tellModel(request);
  m_current->offerPlainTemplate();
}

void ChatSessions::onModelUnloaded(quint64 request) {
  if (!m_staleModelFilter.isUnloadedNews(request)) return;
  m_staleModelFilter.unloaded(request);
  m_shared.model.reset();
  tellModel(request);
}

void ChatSessions::tellModel(quint64 request) {
  m_shared.answered.clear();
  for (ChatSession* session : QVector<ChatSession*>(m_sessions)) session->modelChanged(request);
  emit modelChanged();
  m_titler->forgetModel();
  settle();
}

AttachmentLimit ChatSessions::attachmentLimit() const {
  const std::optional<ChatModel>& model = m_shared.model;
  if (!model || !model->plan || !model->info || model->info->longest_token_bytes == 0) return {};
  const quint32 nCtx = model->plan->options.n_ctx;
  const Bytes most = Bytes{nCtx} * std::min(model->info->longest_token_bytes, kMostTokenBytes);
  return {std::min(most, kMostAttachmentBytes), nCtx};
}

ChatSession* ChatSessions::find(const QString& conversationId) const {
  const auto found = std::find_if(m_sessions.begin(), m_sessions.end(),
                                  [&](const ChatSession* session) { return session->head().id == conversationId; });
  return found == m_sessions.end() ? nullptr : *found;
}

ChatSession* ChatSessions::findNew() const {
  const auto found = std::find_if(m_sessions.begin(), m_sessions.end(),
                                  [](const ChatSession* session) { return !session->isStored(); });
  return found == m_sessions.end() ? nullptr : *found;
}

ChatSession* ChatSessions::add(ChatSession* session) {
  connect(session, &ChatSession::activityChanged, this, [this] {
    showMarks();
    if (m_titler != nullptr) m_titler->look();
  });
  connect(session, &ChatSession::troubleChanged, this, &ChatSessions::showMarks);
  connect(session, &ChatSession::plainTemplateAgreed, this, [this] {
    for (ChatSession* each : QVector<ChatSession*>(m_sessions)) {
      if (each->trouble().kind == Trouble::Kind::Template) each->dismissTrouble();
    }
    settle();
  });
  m_sessions.append(session);
  return session;
}

// What was typed last in the one that is left goes into the store: when it is opened again, it may be read from there.
void ChatSessions::leaveCurrent() {
  m_current->keepTyped();
  m_current->takeBackDraft();
  m_current->dismissTrouble();  // it was seen
}

void ChatSessions::setCurrent(ChatSession* session) {
  setOpening({});
  if (session == m_current) return;
  leaveCurrent();
  m_current = session;
  m_unread.remove(session->head().id);
  emit currentChanged();
  settle();
}

void ChatSessions::setOpening(const QString& id) {
  if (id == m_opening) return;
  m_opening = id;
  emit openingChanged();
}

// The one without a message is kept while others are open, with what is being written in it.
void ChatSessions::newConversation() {
  ChatSession* fresh = findNew();
  if (fresh == nullptr) fresh = add(new ChatSession(m_shared, this));
  if (fresh == m_current) fresh->restart();  // one that waited meanwhile keeps what was written and chosen for it
  setCurrent(fresh);
}

void ChatSessions::openConversation(const QString& id) {
  if (ChatSession* session = find(id)) return setCurrent(session);
  leaveCurrent();
  setOpening(id);
  m_shared.store.open(id);
}

void ChatSessions::takeOpened(const Conversation& conversation) {
  if (conversation.head.id != m_opening) return;
  setCurrent(add(new ChatSession(m_shared, conversation, this)));
}

// What the last run left of a conversation without a message.
void ChatSessions::takeNewDraft(const Draft& draft) {
  if (draft.isEmpty()) return;
  ChatSession* fresh = findNew();
  if (fresh == nullptr) fresh = add(new ChatSession(m_shared, this));
  fresh->draft().handleEvent(draft_event::OlderFound{draft});
}

void ChatSessions::importConversation(const Conversation& conversation) {
  m_shared.store.saveConversation(conversation);
  openConversation(conversation.head.id);
}

void ChatSessions::renameConversation(const QString& id, const QString& title) {
  if (ChatSession* session = find(id)) return session->rename(title);
  if (!title.trimmed().isEmpty()) m_shared.store.rename(id, title.trimmed());
}

void ChatSessions::forgetConversation(const QString& id) {
  if (id == m_opening) setOpening({});
  m_unread.remove(id);
  ChatSession* session = find(id);
  if (session != nullptr) {
    if (session == m_current) newConversation();
    if (session == m_current) return;  // it had no message: nothing was deleted
    if (m_sessions.contains(session)) endSession(session, chat_event::Deleted{});
  }
  showMarks();
}

void ChatSessions::stop(const QString& id) {
  ChatSession* session = find(id);
  if (session == nullptr) return;
  session->stop();
  settle();
}

// Later, because it may be what has just told something.
void ChatSessions::endSession(ChatSession* session, const ChatEvent& how) {
  session->end(how);
  m_sessions.removeOne(session);
  session->deleteLater();
}

// Lets go of what nobody waits for any more.
void ChatSessions::settle() {
  for (ChatSession* session : QVector<ChatSession*>(m_sessions)) {
    const bool isLeft = session != m_current && !session->isBusy() && session->isStored();
    if (session == m_current || isLeft) {
      const bool hasNews = session->takeNews();
      if (isLeft && hasNews) m_unread.insert(session->head().id);
    }
    if (isLeft && session->trouble().kind == Trouble::Kind::None) endSession(session, chat_event::Ended{});
  }
  showMarks();
  m_titler->look();
}

// The engine gives each answer a slot in the order in which they were asked for.
int ChatSessions::answersBefore(const ChatSession& session) const {
  if (!session.isBusy() || session.hasStarted()) return 0;
  const auto isBefore = [&](const ChatSession* other) {
    return other->isBusy() && (other->hasStarted() || other->request() < session.request());
  };
  const auto nBefore = static_cast<int>(std::count_if(m_sessions.begin(), m_sessions.end(), isBefore));
  const bool isKnown = m_shared.model && m_shared.model->plan;
  const int nSlots = isKnown ? static_cast<int>(m_shared.model->plan->options.n_slots) : 1;
  return std::max(0, nBefore - nSlots + 1);
}

void ChatSessions::showMarks() {
  using Kind = ConversationMark::Kind;
  ConversationMarks marks;
  for (const QString& id : m_unread) marks.insert(id, {Kind::Unread, 0});
  for (const ChatSession* session : m_sessions) {
    const int nBefore = answersBefore(*session);
    const QString& id = session->head().id;
    if (session->isBusy()) {
      marks.insert(id, {nBefore > 0 ? Kind::Waiting : Kind::Writing, nBefore});
    } else if (session->trouble().kind != Trouble::Kind::None) {
      marks.insert(id, {Kind::Trouble, 0});
    }
  }
  if (marks == m_marks) return;
  m_marks = std::move(marks);
  emit marksChanged();
}

}  // namespace headroom::ui
