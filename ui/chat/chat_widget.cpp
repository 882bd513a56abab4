#include "ui/chat/chat_widget.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QShortcut>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "ui/chat/attachment_viewer.h"
#include "ui/chat/chat_pixels.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/composer.h"
#include "ui/chat/context_gauge.h"
#include "ui/chat/conversation_files.h"
#include "ui/chat/conversation_list.h"
#include "ui/chat/conversation_list_model.h"
#include "ui/chat/draft_tokens.h"
#include "ui/chat/find_bar.h"
#include "ui/chat/removal_question.h"
#include "ui/chat/sampler_panel.h"
#include "ui/chat/trouble_message.h"
#include "ui/chat/welcome.h"
#include "ui/keys/view_keys.h"
#include "ui/theme/elided_label.h"
#include "ui/theme/roles.h"

namespace headroom::ui {

namespace {

QToolButton* makeToggle(const QString& text, const char* name, ViewKey key, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setText(text);
  button->setObjectName(QLatin1String(name));
  button->setCheckable(true);
  button->setShortcut(keysOf(key).first());
  button->setToolTip(withKey(text, key));
  button->setAccessibleName(text);
  return button;
}

}  // namespace

ChatWidget::ChatWidget(ChatSessions& sessions, ConversationPort& store, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_sessions(sessions),
      m_store(store),
      m_theme(theme),
      m_files(std::make_unique<ConversationFiles>(sessions, store)) {
  setObjectName(QStringLiteral("chatWidget"));
  setAcceptDrops(true);
  m_list = new ConversationList(theme, store, this);
  QWidget* middle = makeMiddle();
  makePanel();
  m_sides = new ChatSides(*this, {m_list, middle, m_panelArea, m_header});
  connectSides();
  connectSessions();
  connectTrouble();
  connectComposer();
  connectTokens();
  connectView();
  connectList();
  connectFiles();
  m_panel->setSettings(settings());
  m_panel->setThinkingChoices(sessions.thinkingChoices());
  m_list->refresh();
  setFocusProxy(m_composer);
  m_sides->setWanted({settings().listVisible, settings().panelVisible, settings().listWidth, settings().panelWidth});
  m_sides->arrange();
  showSession();
}

ChatWidget::~ChatWidget() = default;

QWidget* ChatWidget::makeHeader() {
  auto* header = m_header = new QWidget(this);
  auto* layout = new QHBoxLayout(header);
  layout->setContentsMargins(0, 0, 0, 0);
  m_listToggle = makeToggle(tr("Conversations"), "toggleConversations", ViewKey::ShowConversations, header);
  m_panelToggle = makeToggle(tr("Options"), "toggleChatSettings", ViewKey::ShowOptions, header);
  m_title = new ElidedLabel("heading", Qt::AlignHCenter, header);
  m_title->setObjectName(QStringLiteral("conversationTitle"));
  connect(m_listToggle, &QToolButton::clicked, this, [this](bool on) { m_sides->toggle(Side::List, on); });
  connect(m_panelToggle, &QToolButton::clicked, this, [this](bool on) { m_sides->toggle(Side::Panel, on); });
  layout->addWidget(m_listToggle);
  layout->addWidget(m_title, 1);
  layout->addWidget(m_panelToggle);
  return header;
}

QWidget* ChatWidget::makeMiddle() {
  auto* middle = new QWidget(this);
  auto* layout = new QVBoxLayout(middle);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(kGrid);
  layout->addWidget(makeHeader());
  auto* card = new QFrame(middle);
  setRole(card, "card");
  auto* cardLayout = new QVBoxLayout(card);
  cardLayout->setContentsMargins(1, 1, 1, 1);
  m_stack = new QStackedWidget(card);
  m_welcome = new Welcome(m_stack);
  m_view = new ChatView(session().tree(), m_theme, m_stack);
  m_stack->addWidget(m_welcome);
  m_stack->addWidget(m_view);
  cardLayout->addWidget(m_stack);
  layout->addWidget(card, 1);
  m_jump = new QPushButton(tr("Go to the newest text"), m_view);
  m_jump->setObjectName(QStringLiteral("jumpToEnd"));
  m_jump->hide();
  m_trouble = new MessageBar(m_theme, "trouble", middle);
  layout->addWidget(m_trouble);
  m_find = new FindBar(m_theme, *m_view, middle);
  layout->addWidget(m_find);
  m_composer = new Composer(m_theme, session().draft(), middle);
  layout->addWidget(m_composer);
  auto* foot = new QHBoxLayout;
  foot->setContentsMargins(4, 0, 4, 0);
  m_gauge = new ContextGauge(m_theme, middle);
  m_status = new QLabel(middle);
  m_status->setObjectName(QStringLiteral("chatStatus"));
  setRole(m_status, "muted");
  foot->addWidget(m_gauge, 1);
  foot->addWidget(m_status);
  layout->addLayout(foot);
  return middle;
}

void ChatWidget::makePanel() {
  m_panelArea = new QScrollArea(this);
  m_panelArea->setObjectName(QStringLiteral("chatSettingsArea"));
  m_panelArea->setWidgetResizable(true);
  m_panelArea->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_panel = new SamplerPanel(m_panelArea);
  setRole(m_panel, "page");
  for (QWidget* side : {static_cast<QWidget*>(m_list), static_cast<QWidget*>(m_panelArea)})
    side->setAttribute(Qt::WA_StyledBackground);
  m_panelArea->setWidget(m_panel);
  connect(m_panel, &SamplerPanel::settingsEdited, &m_sessions.settings(), &SettingsModel::setChat);
  connect(m_panel, &SamplerPanel::optionsEdited, this,
          [this](const AnswerOptions& options) { session().setOptions(options); });
  connect(m_panel, &SamplerPanel::systemPromptEdited, this,
          [this](const QString& text) { session().setSystemPrompt(text); });
}

void ChatWidget::connectSides() {
  const auto keep = [this] {
    const auto& [list, panel, listWidth, panelWidth] = m_sides->wanted();
    ChatSettings changed = settings();
    changed.listVisible = list;
    changed.panelVisible = panel;
    changed.listWidth = listWidth;
    changed.panelWidth = panelWidth;
    m_sessions.settings().setChat(changed);
  };
  connect(m_sides, &ChatSides::chosen, this, keep);
  connect(m_sides, &ChatSides::dragged, this, keep);
  connect(m_sides, &ChatSides::arranged, this, [this] {
    m_listToggle->setChecked(m_sides->isShown(Side::List));
    m_panelToggle->setChecked(m_sides->isShown(Side::Panel));
  });
  connect(m_sides, &ChatSides::uncovered, m_composer, &Composer::focusText);
}

void ChatWidget::connectSessions() {
  connect(&m_sessions.settings(), &SettingsModel::chatChanged, m_panel, [this] {
    m_panel->setSettings(settings());
    m_panel->setOptions(session().options());
  });
  connect(&m_sessions, &ChatSessions::currentChanged, this, &ChatWidget::showSession);
  connect(&m_sessions, &ChatSessions::openingChanged, this, &ChatWidget::showActivity);
  connect(&m_sessions, &ChatSessions::modelChanged, this, [this] {
    m_panel->setThinkingChoices(m_sessions.thinkingChoices());
    showActivity();
  });
  connect(&m_sessions, &ChatSessions::marksChanged, this, &ChatWidget::showActivity);
  connect(&m_store, &ConversationPort::problemFound, this,
          [this](const Message& problem) { emit problemFound(problem); });
}

struct ChatWidget::Kept {
  Composer::Kept composer;
  ChatView::Place place;
  ConversationList::Kept list;
  ChatSides::Kept sides;
  FindBar::Kept find;
  std::unique_ptr<ConversationFiles> files;  // with what runs
  int panelScroll = 0;
  quint64 newestAttached = 0, newestModelDrop = 0;
};

std::shared_ptr<ChatWidget::Kept> ChatWidget::release() {
  m_files->disconnect(this);
  return std::make_shared<Kept>(Kept{m_composer->release(), m_view->place(), m_list->kept(), m_sides->kept(),
                                     m_find->kept(), std::move(m_files), m_panelArea->verticalScrollBar()->value(),
                                     m_newestAttached, m_newestModelDrop});
}

void ChatWidget::takeOver(Kept& kept) {
  m_composer->takeOver(std::move(kept.composer));
  m_composer->setLimit(m_sessions.attachmentLimit());
  m_sides->takeOver(kept.sides);
  m_list->takeOver(kept.list);
  m_view->takeOver(kept.place);
  m_find->takeOver(kept.find);
  m_files = std::move(kept.files);
  connectFiles();
  for (AttachmentViewer* viewer : window()->findChildren<AttachmentViewer*>()) {
    if (viewer->tokens() == 0) countTokens(*viewer);
  }
  m_panelArea->verticalScrollBar()->setValue(kept.panelScroll);
  m_newestAttached = kept.newestAttached;
  m_newestModelDrop = kept.newestModelDrop;
}

// All that is heard of a session hangs on m_connections, and ends with it.
void ChatWidget::showSession() {
  m_connections = std::make_unique<QObject>();
  QObject* shown = m_connections.get();
  ChatSession* from = &session();
  connect(from, &ChatSession::pathChanged, shown, [this] { showPath(); });
  connect(from, &ChatSession::textAppended, shown, [this](const QString& id, const QString& text) {
    m_view->appendText(id, text);
    m_find->refresh();
  });
  connect(from, &ChatSession::thinkingAppended, shown,
          [this](const QString& id, const QString& text) { m_view->appendThinking(id, text); });
  connect(from, &ChatSession::thinkingTimed, shown, [this](const QString& id) { m_view->refreshThinking(id); });
  connect(from, &ChatSession::turnChanged, shown, [this](const QString& id) {
    m_view->refreshTurn(id);
    m_find->refresh();
  });
  connect(from, &ChatSession::activityChanged, shown, [this] { showActivity(); });
  connect(from, &ChatSession::contextChanged, shown, [this] { m_gauge->setFigures(session().context()); });
  connect(from, &ChatSession::troubleChanged, shown, [this] { showTrouble(); });
  connect(from, &ChatSession::headChanged, shown, [this] { showHead(); });
  connect(&from->draft(), &ChatDraft::changed, shown, [this] { showEditPlace(); });
  m_composer->showDraft(from->draft());
  m_tokens->watch(*from);
  showTree();
  m_find->showTree(from->tree());
  showTrouble();
  m_gauge->setFigures(from->context());
  showHead();
  showPlace();
  showActivity();
  showSearched();
}

// The conversation that was chosen among those with a searched text shows where that is, once it is open.
void ChatWidget::showSearched() {
  if (m_searched.text.isEmpty() || m_searched.id != session().head().id || m_sessions.isOpening()) return;
  m_find->openAtFirst(std::exchange(m_searched, {}).text);
}

void ChatWidget::connectTrouble() {
  connect(m_trouble, &MessageBar::dismissed, this, [this] { session().dismissTrouble(); });
}

// It belongs to the conversation: it goes with it and comes back with it, until it is settled or dismissed there.
void ChatWidget::showTrouble() {
  const Trouble& trouble = session().trouble();
  if (trouble.kind == Trouble::Kind::None) return m_trouble->clear();
  m_trouble->setOnly(
      troubleMessage(trouble, {[this] { session().dropOldest(); }, [this] { session().summarise(); },
                               [this] { emit largerContextWanted(session().trouble().neededTokens); },
                               [this] { session().agreeToPlainTemplate(); }, [this] { emit loadAgainWanted(); },
                               [this] { emit loadWithoutWanted(session().trouble().deviceId); }}));
}

void ChatWidget::connectComposer() {
  const auto takeKeys = [this] { m_composer->setEnterSends(m_sessions.settings().general().enterSends); };
  connect(&m_sessions.settings(), &SettingsModel::generalChanged, m_composer, takeKeys);
  takeKeys();
  connect(m_composer, &Composer::sendChosen, this, [this] {
    if (session().sendDraft()) return m_view->scrollToEnd();
    if (m_isLoading) session().sendDraftOnceLoaded();
  });
  connect(m_composer, &Composer::stopChosen, this, [this] { session().stop(); });
  connect(m_composer, &Composer::attachChosen, this, &ChatWidget::chooseAttachment);
  connect(m_composer, &Composer::editLastWanted, this, &ChatWidget::editLast);
  connect(m_composer, &Composer::attachmentRefused, this, &ChatWidget::problemFound);
  connect(m_composer, &Composer::folderFound, this, [this](quint64 id, const QString& path) {
    if (id <= m_newestModelDrop) return;
    m_newestModelDrop = id;
    emit modelDropped(path);
  });
  connect(m_welcome, &Welcome::questionChosen, this, [this](const QString& question) {
    if (session().send(question, {})) m_view->scrollToEnd();  // what is being written stays
  });
}

void ChatWidget::connectTokens() {
  m_tokens = new DraftTokens(m_sessions.engine(), this);
  connect(m_tokens, &DraftTokens::changed, this, [this] { m_composer->setFigures(m_tokens->figures()); });
  const auto takeModel = [this] {
    m_composer->setLimit(m_sessions.attachmentLimit());
    m_tokens->recount();
  };
  connect(&m_sessions, &ChatSessions::modelChanged, m_tokens, takeModel);
  takeModel();
  connect(m_composer, &Composer::openChosen, this, &ChatWidget::openAttachment);
  connect(m_composer, &Composer::largerContextWanted, this, &ChatWidget::largerContextWanted);
}

void ChatWidget::connectView() {
  connect(m_view, &ChatView::attachmentChosen, this, [this](const QString& id, qsizetype index) {
    const Turn* turn = session().tree().find(id);
    if (turn != nullptr && index < turn->attachments.size()) openAttachment(turn->attachments[index], 0);
  });
  connect(m_view, &ChatView::editChosen, this, &ChatWidget::startEditing);
  connect(m_view, &ChatView::removeChosen, this, &ChatWidget::askToRemove);
  connect(m_view, &ChatView::regenerateChosen, this, [this](const QString& id) { session().regenerate(id); });
  connect(m_view, &ChatView::answerChosen, this, [this](const QString& id) { session().answer(id); });
  connect(m_view, &ChatView::continueChosen, this, [this](const QString& id) { session().continueAnswer(id); });
  connect(m_view, &ChatView::versionChosen, this, [this](const QString& id) { session().chooseVersion(id); });
  connect(m_view, &ChatView::endLeft, m_jump, [this](bool left) {
    m_jump->setVisible(left);
    placeJumpButton();
  });
  connect(m_jump, &QPushButton::clicked, m_view, &ChatView::scrollToEnd);
  connect(makeShortcut(ViewKey::FindText, this), &QShortcut::activated, this, [this] {
    m_sides->uncover();
    m_find->open();
  });
  connect(m_find, &FindBar::closed, m_composer, &Composer::focusText);
}

void ChatWidget::connectList() {
  // Here, because the button of a hidden list would not hear its keys.
  connect(makeShortcut(ViewKey::NewConversation, this), &QShortcut::activated, m_list, &ConversationList::newChosen);
  connect(m_list, &ConversationList::newChosen, this, [this] {
    m_sides->uncover();
    m_sessions.newConversation();
    m_composer->focusText();
  });
  connect(m_list, &ConversationList::openChosen, this, [this](const QString& id, const QString& search) {
    m_sides->uncover();
    m_searched = {id, search};
    m_sessions.openConversation(id);
    showSearched();
  });
  connect(m_list, &ConversationList::renamed, &m_sessions, &ChatSessions::renameConversation);
  connect(m_list, &ConversationList::removed, &m_sessions, &ChatSessions::forgetConversation);
  connect(m_list, &ConversationList::stopChosen, &m_sessions, &ChatSessions::stop);
  connect(m_list, &ConversationList::importChosen, this, &ChatWidget::chooseImport);
  connect(m_list, &ConversationList::exportChosen, this, &ChatWidget::exportConversation);
}

// Without the sides, which give way: the docks beside the pane keep the room that they were given.
QSize ChatWidget::minimumSizeHint() const { return {kMiddlePx + 2 * kMarginPx, kMiddlePx}; }
QSize ChatWidget::sizeHint() const { return minimumSizeHint(); }

void ChatWidget::showHead() {
  const ConversationHead& head = session().head();
  m_title->setText(head.title.isEmpty() ? tr("New conversation") : head.title);
  m_panel->setSystemPrompt(head.systemPrompt);
  m_panel->setOptions(session().options());
  m_list->setCurrent(head);
}

void ChatWidget::showPath() {
  m_view->showPath();
  m_find->refresh();
  showPlace();
}

void ChatWidget::showPlace() {
  m_stack->setCurrentWidget(session().tree().isEmpty() ? static_cast<QWidget*>(m_welcome) : m_view);
  showEditPlace();
}

void ChatWidget::startEditing(const QString& turnId) {
  session().editTurn(turnId);
  m_composer->focusText();
}

void ChatWidget::askToRemove(const QString& turnId) {
  const ChatTree& tree = session().tree();
  if (tree.find(turnId) == nullptr) return;
  askForRemoval({static_cast<int>(tree.below(turnId).size()), tree.canRemoveAlone(turnId)}, this,
                // Another conversation may be open by then, which has no such turn.
                [this, turnId](bool isAlone) { session().removeTurn(turnId, isAlone); });
}

void ChatWidget::showEditPlace() {
  const QString edited = session().draft().editedTurn();
  const Turn* turn = session().tree().find(edited);
  m_composer->setEditsAnswer(turn != nullptr && turn->role == Role::Assistant);
  m_composer->setEditHidden(!edited.isEmpty() && !session().tree().path().contains(edited));
}

void ChatWidget::editLast() {
  const QStringList path = session().tree().path();
  if (session().isBusy()) return;
  for (qsizetype i = path.size() - 1; i >= 0; --i) {
    if (session().tree().find(path[i])->role == Role::User) return startEditing(path[i]);
  }
}

void ChatWidget::placeJumpButton() {
  if (!m_jump->isVisible()) return;
  m_jump->adjustSize();
  m_jump->move((m_view->width() - m_jump->width()) / 2, m_view->height() - m_jump->height() - kBottomPx);
  m_jump->raise();
}

void ChatWidget::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange) m_sides->arrange();
  QWidget::changeEvent(event);
}

void ChatWidget::resizeEvent(QResizeEvent*) {
  m_sides->arrange();
  placeJumpButton();
}

void ChatWidget::keyPressEvent(QKeyEvent* event) {
  const bool stops = isViewKey(*event, ViewKey::StopAnswer);
  if (isViewKey(*event, ViewKey::UncoverChat) && m_sides->isCovered()) {
    m_sides->uncover();
  } else if (stops && m_list->isAncestorOf(focusWidget()) && !m_list->chosenAnswer().isEmpty()) {
    m_sessions.stop(m_list->chosenAnswer());
  } else if (stops && session().isBusy()) {
    session().stop();
  } else if (m_composer->isAncestorOf(focusWidget()) &&
             (isViewKey(*event, ViewKey::PageUp) || isViewKey(*event, ViewKey::PageDown))) {
    QCoreApplication::sendEvent(m_view, event);
  } else {
    QWidget::keyPressEvent(event);
  }
}

}  // namespace headroom::ui
