#include "ui/chat/conversation_list.h"

#include <QDateTime>
#include <QFrame>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "ui/chat/conversation_row.h"
#include "ui/theme/roles.h"

namespace headroom::ui {

namespace {

constexpr int kUndoMs = 10'000;
constexpr int kSearchDelayMs = 150;

}  // namespace

ConversationList::ConversationList(const Theme& theme, ConversationPort& store, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_store(store) {
  setObjectName(QStringLiteral("conversationPane"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(kGrid);
  layout->addWidget(makeTop());

  m_list = new QListWidget(this);
  m_list->setObjectName(QStringLiteral("conversationList"));
  m_list->setAccessibleName(tr("Conversations"));
  m_list->setContextMenuPolicy(Qt::CustomContextMenu);
  m_list->setEditTriggers(QAbstractItemView::EditKeyPressed);
  m_list->setUniformItemSizes(true);
  m_list->setTextElideMode(Qt::ElideRight);
  m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_list->setItemDelegate(new ConversationRowDelegate(m_list));
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
  connect(&theme, &Theme::changed, this, [this] {
    for (int i = 0; i < m_list->count(); ++i) showMarkOf(*m_list->item(i));
  });
  connect(&store, &ConversationPort::listed, this, &ConversationList::show);
  connect(&store, &ConversationPort::notKept, this, &ConversationList::showNotKept);
  connect(m_list, &QListWidget::itemClicked, this, [this](const QListWidgetItem* item) {
    emit openChosen(item->data(kConversationIdRole).toString(), searchText());
  });
  connect(m_list, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
    emit openChosen(item->data(kConversationIdRole).toString(), searchText());
  });
  connect(m_list, &QListWidget::itemChanged, this, &ConversationList::finishRename);
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
  layout->addWidget(fresh);
  m_search = new QLineEdit(top);
  m_search->setObjectName(QStringLiteral("conversationSearch"));
  m_search->setPlaceholderText(tr("Search"));
  m_search->setAccessibleName(tr("Search in titles and messages"));
  m_search->setClearButtonEnabled(true);
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

void ConversationList::show(const QString& search, const QVector<ConversationHead>& heads) {
  if (search != searchText()) return;  // an answer to what was typed before
  m_isFilling = true;
  m_list->clear();
  for (const ConversationHead& head : heads) {
    auto* item = new QListWidgetItem(m_list);
    showHead(*item, head);
    showMarkOf(*item);
    item->setFlags(item->flags() | Qt::ItemIsEditable);
    if (head.id == m_currentId) m_list->setCurrentItem(item);
  }
  m_isFilling = false;
  const QString nothing = m_notKept->isHidden() ? tr("What you write is kept here, on this machine.") : QString();
  m_empty->setText(search.isEmpty() ? nothing : tr("Nothing found"));
  m_empty->setVisible(heads.isEmpty());
  m_list->setVisible(!heads.isEmpty());
}

void ConversationList::setCurrent(const ConversationHead& head) {
  const bool isOther = head.id != m_currentId;
  const bool isUsed = !isOther && head.updatedMs != m_currentUpdatedMs;
  m_currentId = head.id;
  m_currentUpdatedMs = head.updatedMs;
  m_isFilling = true;
  QListWidgetItem* found = nullptr;
  for (int i = 0; i < m_list->count() && found == nullptr; ++i) {
    if (m_list->item(i)->data(kConversationIdRole).toString() == head.id) found = m_list->item(i);
  }
  if (found != nullptr) {
    if (!head.title.isEmpty()) showHead(*found, head);
    showMarkOf(*found);
    if (isUsed) moveToTop(*found);
  }
  if (isOther || found != m_list->currentItem()) m_list->setCurrentItem(found);
  m_isFilling = false;
  if (found == nullptr && !head.title.isEmpty()) refresh();  // its first message was sent just now
}

void ConversationList::setMarks(const ConversationMarks& marks) {
  const ConversationMarks before = std::exchange(m_marks, marks);
  for (int i = 0; i < m_list->count(); ++i) {
    const QString id = m_list->item(i)->data(kConversationIdRole).toString();
    const auto was = before.constFind(id), is = marks.constFind(id);
    const bool isSame = was == before.constEnd() ? is == marks.constEnd() : is != marks.constEnd() && *was == *is;
    if (!isSame) showMarkOf(*m_list->item(i));
  }
}

void ConversationList::showMarkOf(QListWidgetItem& item) {
  const bool wasFilling = std::exchange(m_isFilling, true);
  const auto mark = m_marks.constFind(item.data(kConversationIdRole).toString());
  showMark(item, mark == m_marks.constEnd() ? nullptr : &*mark, m_theme);
  m_isFilling = wasFilling;
}

bool ConversationList::hasAnswer(const QListWidgetItem& item) const {
  const auto mark = m_marks.constFind(item.data(kConversationIdRole).toString());
  return mark != m_marks.constEnd() && isAnswering(*mark);
}

QString ConversationList::chosenAnswer() const {
  const bool isChosen = focusWidget() == m_list && selected() != nullptr && hasAnswer(*selected());
  return isChosen ? selected()->data(kConversationIdRole).toString() : QString();
}

// In place: filling the list anew would end the editing of a name.
void ConversationList::moveToTop(QListWidgetItem& item) {
  const int row = m_list->row(&item);
  if (row > 0) m_list->model()->moveRow({}, row, {}, 0);
}

QListWidgetItem* ConversationList::selected() const { return m_list->currentItem(); }

void ConversationList::showMenu(const QPoint& at) {
  if (selected() == nullptr) return;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const QString id = selected()->data(kConversationIdRole).toString();
  menu->addAction(tr("Rename"), this, [this] { m_list->editItem(selected()); });
  const QString title = selected()->text();
  if (id != m_currentId) menu->addAction(tr("Open"), this, [this, id] { emit openChosen(id, searchText()); });
  if (hasAnswer(*selected())) {
    const bool waits = m_marks.value(id).kind == ConversationMark::Kind::Waiting;
    menu->addAction(waits ? tr("Take out of the queue") : tr("Stop answering"), this,
                    [this, id] { emit stopChosen(id); });
  }
  menu->addAction(tr("Export as Markdown…"), this, [this, id, title] { emit exportChosen(id, title, false); });
  menu->addAction(tr("Export as JSON…"), this, [this, id, title] { emit exportChosen(id, title, true); });
  menu->addSeparator();
  menu->addAction(tr("Delete"), this, &ConversationList::removeSelected);
  menu->popup(m_list->viewport()->mapToGlobal(at));
}

void ConversationList::finishRename(QListWidgetItem* item) {
  if (m_isFilling) return;
  const QString title = item->text().simplified();
  if (title.isEmpty() || title == item->data(kConversationTitleRole).toString()) {
    item->setText(item->data(kConversationTitleRole).toString());
    return;
  }
  item->setData(kConversationTitleRole, title);
  emit renamed(item->data(kConversationIdRole).toString(), title);
}

void ConversationList::removeSelected() {
  if (selected() == nullptr) return;
  const QString id = selected()->data(kConversationIdRole).toString();
  const Removal removal{id, selected()->text(), id == m_currentId};
  m_removals.append(removal);
  m_store.remove(removal.id);
  showUndo();
  emit removed(removal.id);
  refresh();
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

void ConversationList::showNotKept(const QString& reason) {
  m_notKept->setToolTip(reason);
  m_notKept->setAccessibleDescription(reason);
  m_notKept->show();
  refresh();
}

bool ConversationList::eventFilter(QObject* object, QEvent* event) {
  if (object == m_list && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Delete) {
      removeSelected();
      return true;
    }
    if (key == Qt::Key_Menu && selected()) {
      showMenu(m_list->visualItemRect(selected()).center());
      return true;
    }
  }
  return QWidget::eventFilter(object, event);
}

}  // namespace headroom::ui
