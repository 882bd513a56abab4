#include "ui/chat/conversation_list.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/chat/conversation_row.h"
#include "ui/format/message_words.h"
#include "ui/keys/view_keys.h"
#include "ui/theme/clear_button.h"
#include "ui/theme/kept_places.h"
#include "ui/theme/roles.h"

namespace headroom::ui {

namespace {

constexpr int kUndoMs = 10'000;
constexpr int kSearchDelayMs = 150;
constexpr int kDayCheckMs = 60'000;

// A heading is no part of the row below it: who clicks there chooses nothing.
class ConversationView : public QListView {
 public:
  using QListView::QListView;
  QModelIndex indexAt(const QPoint& at) const override {
    const QModelIndex found = QListView::indexAt(at);
    if (!found.isValid()) return {};
    QStyleOptionViewItem option;
    initViewItemOption(&option);
    return at.y() < visualRect(found).top() + ConversationRowDelegate::headingHeight(option, found) ? QModelIndex()
                                                                                                    : found;
  }
};

bool isWriting(const ConversationMarks& marks, const QString& id) {
  const auto mark = marks.constFind(id);
  return mark != marks.constEnd() && mark->kind == ConversationMark::Kind::Writing;
}

}  // namespace

ConversationList::ConversationList(const Theme& theme, ConversationPort& store, QWidget* parent,
                                   ConversationListModel::Clock clock)
    : QWidget(parent), m_store(store), m_model(new ConversationListModel(std::move(clock), this)) {
  setObjectName(QStringLiteral("conversationPane"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(kGrid);
  layout->addWidget(makeTop());

  m_list = new ConversationView(this);
  m_list->setObjectName(QStringLiteral("conversationList"));
  m_list->setAccessibleName(tr("Conversations"));
  m_list->setContextMenuPolicy(Qt::CustomContextMenu);
  m_list->setEditTriggers(QAbstractItemView::EditKeyPressed);
  m_list->setTextElideMode(Qt::ElideRight);
  m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_list->setItemDelegate(new ConversationRowDelegate(theme, m_list));
  m_list->setModel(m_model);
  m_list->installEventFilter(this);
  layout->addWidget(m_list, 1);
  m_empty = new QLabel(this);
  m_empty->setObjectName(QStringLiteral("noConversations"));
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  m_empty->setMargin(kGrid);
  setRole(m_empty, "muted");
  layout->addWidget(m_empty, 1);
  m_notKept = new QLabel(tr("Nothing that you write now is kept."), this);
  m_notKept->setObjectName(QStringLiteral("notKept"));
  m_notKept->setWordWrap(true);
  m_notKept->setMargin(6);
  setRole(m_notKept, "banner");
  setTone(m_notKept, Tone::Warning);
  m_notKept->hide();
  layout->addWidget(m_notKept);
  m_undoBar = makeUndoBar();
  layout->addWidget(m_undoBar);

  m_undoTimer.setSingleShot(true);
  m_undoTimer.setInterval(kUndoMs);
  connect(&m_undoTimer, &QTimer::timeout, this, &ConversationList::settleRemovals);
  m_searchTimer.setSingleShot(true);
  m_searchTimer.setInterval(kSearchDelayMs);
  connect(&m_searchTimer, &QTimer::timeout, this, &ConversationList::refresh);
  // By the minute and not at midnight: a machine that slept, or whose clock was set, is on time too.
  m_dayTimer.setObjectName(QStringLiteral("dayTimer"));
  m_dayTimer.setInterval(kDayCheckMs);
  m_dayTimer.setTimerType(Qt::VeryCoarseTimer);
  connect(&m_dayTimer, &QTimer::timeout, m_model, &ConversationListModel::followClock);
  m_dayTimer.start();
  connect(&theme, &Theme::changed, m_list->viewport(), QOverload<>::of(&QWidget::update));
  connect(&store, &ConversationPort::listed, this, &ConversationList::showListed);
  connect(&store, &ConversationPort::notKept, this, &ConversationList::showNotKept);
  const auto open = [this](const QModelIndex& row) {
    emit openChosen(row.data(ConversationListModel::IdRole).toString(), searchText());
  };
  connect(m_list, &QListView::clicked, this, open);
  connect(m_list, &QListView::activated, this, open);
  connect(m_model, &ConversationListModel::renamed, this, &ConversationList::renamed);
  connect(m_list, &QWidget::customContextMenuRequested, this, &ConversationList::showMenu);
  m_empty->hide();
}

ConversationList::~ConversationList() = default;

QWidget* ConversationList::makeTop() {
  auto* top = new QWidget(this);
  auto* layout = new QVBoxLayout(top);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(kGrid);
  auto* fresh = new QPushButton(tr("New conversation"), top);
  fresh->setObjectName(QStringLiteral("newConversation"));
  fresh->setAutoDefault(true);
  fresh->setToolTip(tr("Start a new conversation (Ctrl+N)"));
  connect(fresh, &QPushButton::clicked, this, &ConversationList::newChosen);
  auto* more = new QToolButton(top);
  more->setObjectName(QStringLiteral("moreOfConversations"));
  more->setText(QStringLiteral("\u22ef"));
  more->setToolTip(tr("More"));
  more->setAccessibleName(tr("More for conversations"));
  more->setPopupMode(QToolButton::InstantPopup);
  setRole(more, "quiet");
  auto* menu = new QMenu(more);
  menu->addAction(tr("&Import a conversation\u2026"), this, &ConversationList::importChosen)
      ->setObjectName(QStringLiteral("importConversation"));
  more->setMenu(menu);
  auto* row = new QHBoxLayout;
  row->setSpacing(kGrid / 2);
  row->addWidget(fresh, 1);
  row->addWidget(more);
  layout->addLayout(row);
  m_search = new QLineEdit(top);
  m_search->setObjectName(QStringLiteral("conversationSearch"));
  m_search->setPlaceholderText(tr("Search"));
  m_search->setAccessibleName(tr("Search in titles and messages"));
  addClearButton(m_search);
  connect(m_search, &QLineEdit::textChanged, this, [this] { m_searchTimer.start(); });
  layout->addWidget(m_search);
  return top;
}

QFrame* ConversationList::makeUndoBar() {
  auto* bar = new QFrame(this);
  setRole(bar, "banner");
  auto* layout = new QHBoxLayout(bar);
  layout->setContentsMargins(8, 2, 4, 2);
  m_undoLabel = new QLabel(tr("Deleted"), bar);
  auto* undo = new QToolButton(bar);
  undo->setText(tr("Undo"));
  undo->setObjectName(QStringLiteral("undoDelete"));
  connect(undo, &QToolButton::clicked, this, &ConversationList::undoRemoval);
  layout->addWidget(m_undoLabel, 1);
  layout->addWidget(undo);
  bar->hide();
  return bar;
}

QString ConversationList::searchText() const { return m_search->text().trimmed(); }

void ConversationList::refresh() { m_store.list(searchText()); }

void ConversationList::showListed(const QString& search, const QVector<ListedConversation>& conversations) {
  if (search != searchText()) return;  // an answer to what was typed before
  const QString before = selectedId();
  m_model->setConversations(conversations);
  if (!selected().isValid()) {
    const QModelIndex same = m_model->indexOf(before);
    m_list->setCurrentIndex(same.isValid() ? same : m_model->indexOf(m_currentId));
  }
  const QString nothing = m_notKept->isHidden() ? tr("What you write is kept here, on this machine.") : QString();
  m_empty->setText(search.isEmpty() ? nothing : tr("Nothing found"));
  m_empty->setVisible(conversations.isEmpty());
  m_list->setVisible(!conversations.isEmpty());
  if (m_keptScroll > 0) scrollOnceThereIsRoom(*m_list->verticalScrollBar(), std::exchange(m_keptScroll, 0));
}

void ConversationList::setCurrent(const ConversationHead& head) {
  const bool isOther = std::exchange(m_currentId, head.id) != head.id;
  m_model->setOpen(head.id);
  if (!head.title.isEmpty() && !m_model->setHead(head)) refresh();  // its first message was sent just now
  // The user may have gone to another row, to rename or delete that: news of the open one leave him there.
  const bool isNaming = m_list->indexWidget(selected()) != nullptr;
  if ((isOther && !isNaming) || !selected().isValid()) m_list->setCurrentIndex(m_model->indexOf(head.id));
}

void ConversationList::setMarks(const ConversationMarks& marks) {
  const ConversationMarks before = std::exchange(m_marks, marks);
  m_model->setMarks(marks);
  // An answer that ended may be of another model than the one before it.
  const auto ended = [&](const QString& id) { return isWriting(before, id) && !isWriting(marks, id); };
  if (std::any_of(before.keyBegin(), before.keyEnd(), ended)) refresh();
}

bool ConversationList::hasAnswer(const QString& id) const {
  const auto mark = m_marks.constFind(id);
  return mark != m_marks.constEnd() && isAnswering(*mark);
}

QString ConversationList::chosenAnswer() const {
  return focusWidget() == m_list && hasAnswer(selectedId()) ? selectedId() : QString();
}

QModelIndex ConversationList::selected() const { return m_list->currentIndex(); }

QString ConversationList::selectedId() const { return selected().data(ConversationListModel::IdRole).toString(); }

void ConversationList::showMenu(const QPoint& at) {
  if (!selected().isValid()) return;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const QString id = selectedId();
  menu->addAction(tr("Rename"), this, [this, id] { editTitle(id); });
  const QString title = selected().data().toString();
  if (id != m_currentId) menu->addAction(tr("Open"), this, [this, id] { emit openChosen(id, searchText()); });
  if (hasAnswer(id)) {
    const bool waits = m_marks.value(id).kind == ConversationMark::Kind::Waiting;
    menu->addAction(waits ? tr("Take out of the queue") : tr("Stop answering"), this,
                    [this, id] { emit stopChosen(id); });
  }
  const bool isPinned = selected().data(ConversationListModel::PinnedRole).toBool();
  menu->addAction(isPinned ? tr("Unpin") : tr("Pin"), this, [this, id, isPinned] { setPinned(id, !isPinned); });
  menu->addAction(tr("Export as Markdown…"), this, [this, id, title] { emit exportChosen(id, title, false); });
  menu->addAction(tr("Export as JSON…"), this, [this, id, title] { emit exportChosen(id, title, true); });
  menu->addSeparator();
  menu->addAction(tr("Delete"), this, [this, id] { remove(id); });
  menu->popup(m_list->viewport()->mapToGlobal(at));
}

void ConversationList::setPinned(const QString& id, bool isPinned) {
  m_store.setPinned(id, isPinned);
  m_model->setPinned(id, isPinned);
  m_list->scrollTo(m_model->indexOf(id));
}

void ConversationList::editTitle(const QString& id) {
  const QModelIndex row = m_model->indexOf(id);
  if (!row.isValid()) return;
  m_list->setCurrentIndex(row);
  m_list->edit(row);
}

void ConversationList::remove(const QString& id) {
  const QModelIndex row = m_model->indexOf(id);
  if (!row.isValid() || isRemoved(id)) return;
  const QString stays = selectedId() == id ? neighbourOf(row) : selectedId();
  m_removals.append({id, row.data().toString(), id == m_currentId});
  m_store.remove(id);
  showUndo();
  emit removed(id);
  m_list->setCurrentIndex(m_model->indexOf(stays));  // after removed(), which may open another conversation
  refresh();
}

bool ConversationList::isRemoved(const QString& id) const {
  return std::any_of(m_removals.begin(), m_removals.end(), [&](const Removal& removal) { return removal.id == id; });
}

// The next one down, or up where there is none. Those that were deleted stand in the list until the store has answered.
QString ConversationList::neighbourOf(const QModelIndex& row) const {
  for (const int step : {1, -1}) {
    for (QModelIndex next = row.siblingAtRow(row.row() + step); next.isValid();
         next = next.siblingAtRow(next.row() + step)) {
      const QString id = next.data(ConversationListModel::IdRole).toString();
      if (!isRemoved(id)) return id;
    }
  }
  return {};
}

// The newest one can be undone, and after it the one before: each for the whole time that is promised.
void ConversationList::showUndo() {
  m_undoTimer.stop();
  m_undoBar->setVisible(!m_removals.isEmpty());
  if (m_removals.isEmpty()) return;
  m_undoLabel->setText(
      tr("Deleted “%1”").arg(m_undoLabel->fontMetrics().elidedText(m_removals.last().title, Qt::ElideRight, 110)));
  m_undoTimer.start();
}

void ConversationList::undoRemoval() {
  if (m_removals.isEmpty()) return;
  const Removal removal = m_removals.takeLast();
  m_store.restore(removal.id);
  showUndo();
  refresh();
  if (removal.wasOpen) emit openChosen(removal.id, {});
}

// The time to undo is over: they are erased.
void ConversationList::settleRemovals() {
  for (const Removal& removal : std::exchange(m_removals, {})) m_store.purge(removal.id);
  showUndo();
}

ConversationList::Kept ConversationList::kept() const {
  return {m_search->text(), m_removals, m_whyNotKept, m_list->verticalScrollBar()->value()};
}

void ConversationList::takeOver(const Kept& kept) {
  if (!kept.notKept.empty()) showNotKept(kept.notKept);
  m_removals = kept.removals;
  showUndo();
  if (!m_removals.isEmpty()) m_undoTimer.start();
  m_keptScroll = kept.scroll;
  if (kept.search.isEmpty() && m_model->rowCount() == 0) return;  // the first list is on its way
  m_search->setText(kept.search);
  refresh();
}

void ConversationList::showNotKept(const Message& reason) {
  m_whyNotKept = reason;
  m_notKept->setToolTip(wordsOf(reason));
  m_notKept->setAccessibleDescription(m_notKept->toolTip());
  m_notKept->show();
  refresh();
}

bool ConversationList::eventFilter(QObject* object, QEvent* event) {
  if (object == m_list && event->type() == QEvent::KeyPress) {
    const auto& press = *static_cast<QKeyEvent*>(event);
    if (isViewKey(press, ViewKey::RemoveConversation)) {
      remove(selectedId());
      return true;
    }
    if (isViewKey(press, ViewKey::ShowMenu) && selected().isValid()) {
      showMenu(m_list->visualRect(selected()).center());
      return true;
    }
  }
  return QWidget::eventFilter(object, event);
}

}  // namespace headroom::ui
