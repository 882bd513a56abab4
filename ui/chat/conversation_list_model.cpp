#include "ui/chat/conversation_list_model.h"

#include <QDateTime>
#include <QHash>
#include <algorithm>
#include <utility>

#include "ui/format/format_bytes.h"

namespace headroom::ui {

namespace {

constexpr int kLastDays = 7;

QDate dayOf(qint64 sinceEpochMs) { return QDateTime::fromMSecsSinceEpoch(sinceEpochMs).date(); }

bool standsBefore(const ListedConversation& a, const ListedConversation& b) {
  return a.isPinned != b.isPinned ? a.isPinned : a.updatedMs > b.updatedMs;
}

}  // namespace

QString waitingText(int answersBefore) {
  return ConversationListModel::tr("Waiting: %1 before it").arg(formatCount(static_cast<quint64>(answersBefore)));
}

QString markText(const ConversationMark& mark) {
  switch (mark.kind) {
    case ConversationMark::Kind::Writing: return ConversationListModel::tr("Answering");
    case ConversationMark::Kind::Waiting: return waitingText(mark.answersBefore);
    case ConversationMark::Kind::Unread: return ConversationListModel::tr("Answered; not read yet");
    case ConversationMark::Kind::Trouble: return ConversationListModel::tr("Needs your attention");
  }
  return {};
}

ConversationListModel::ConversationListModel(Clock clock, QObject* parent)
    : QAbstractListModel(parent), m_clock(std::move(clock)), m_today(dayOf(m_clock())) {}

void ConversationListModel::setConversations(const QVector<ListedConversation>& newestFirst) {
  m_today = dayOf(m_clock());
  QVector<Row> rows;
  rows.reserve(newestFirst.size());
  for (const ListedConversation& each : newestFirst) rows.append({each, groupOf(each)});
  std::stable_partition(rows.begin(), rows.end(), [](const Row& row) { return row.conversation.isPinned; });
  QHash<QString, int> places;
  for (int i = 0; i < rows.size(); ++i) places.insert(rows[i].conversation.id, i);
  const auto stays = [&](const Row& row) { return places.contains(row.conversation.id); };
  // The same ones in another order move: somebody may be typing a title there.
  if (rows.size() == m_rows.size() && std::all_of(m_rows.cbegin(), m_rows.cend(), stays)) {
    emit layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    QModelIndexList after;
    for (const QModelIndex& each : before) after.append(index(places.value(m_rows[each.row()].conversation.id)));
    m_rows = std::move(rows);
    changePersistentIndexList(before, after);
    emit layoutChanged();
    return tellAllChanged();
  }
  beginResetModel();
  m_rows = std::move(rows);
  endResetModel();
}

bool ConversationListModel::setHead(const ConversationHead& head) {
  const QModelIndex at = indexOf(head.id);
  if (!at.isValid()) return false;
  Row& row = m_rows[at.row()];
  const bool isUsed = row.conversation.updatedMs != head.updatedMs;
  static_cast<ConversationHead&>(row.conversation) = head;
  emit dataChanged(at, at);
  if (isUsed) moveToPlace(at.row());
  return true;
}

void ConversationListModel::setPinned(const QString& id, bool isPinned) {
  const QModelIndex at = indexOf(id);
  if (!at.isValid() || m_rows[at.row()].conversation.isPinned == isPinned) return;
  m_rows[at.row()].conversation.isPinned = isPinned;
  moveToPlace(at.row());
}

void ConversationListModel::setMarks(const ConversationMarks& marks) {
  const ConversationMarks before = std::exchange(m_marks, marks);
  for (int i = 0; i < m_rows.size(); ++i) {
    const QString& id = m_rows[i].conversation.id;
    const auto was = before.constFind(id), is = marks.constFind(id);
    const bool isSame = was == before.constEnd() ? is == marks.constEnd() : is != marks.constEnd() && *was == *is;
    if (!isSame) emit dataChanged(index(i), index(i));
  }
}

void ConversationListModel::setOpen(const QString& id) {
  for (const QString& changed : {std::exchange(m_openId, id), id}) {
    const QModelIndex at = indexOf(changed);
    if (at.isValid()) emit dataChanged(at, at);
  }
}

void ConversationListModel::followClock() {
  const QDate today = dayOf(m_clock());
  if (today == m_today) return;
  m_today = today;
  for (Row& row : m_rows) row.group = groupOf(row.conversation);
  tellAllChanged();
}

QModelIndex ConversationListModel::indexOf(const QString& id) const {
  for (int i = 0; i < m_rows.size(); ++i) {
    if (m_rows[i].conversation.id == id) return index(i);
  }
  return {};
}

int ConversationListModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant ConversationListModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Row& row = m_rows[index.row()];
  switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole: return titleOf(row);
    case Qt::ToolTipRole: return toolTipOf(row);
    case Qt::AccessibleTextRole: return spokenTextOf(row);
    case Qt::AccessibleDescriptionRole: return formatMoment(row.conversation.updatedMs);
    case IdRole: return row.conversation.id;
    case UpdatedRole: return row.conversation.updatedMs;
    case WhenRole: return formatDay(row.conversation.updatedMs, m_today);
    case ModelNameRole: return row.conversation.modelName;
    case MarkRole: {
      const auto mark = m_marks.constFind(row.conversation.id);
      return mark == m_marks.constEnd() ? QVariant() : QVariant::fromValue(*mark);
    }
    case PinnedRole: return row.conversation.isPinned;
    case OpenRole: return row.conversation.id == m_openId;
    case GroupRole:
      return index.row() > 0 && m_rows[index.row() - 1].group == row.group ? QString() : groupText(row.group);
    default: return {};
  }
}

bool ConversationListModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || !checkIndex(index, CheckIndexOption::IndexIsValid)) return false;
  Row& row = m_rows[index.row()];
  const QString title = value.toString().simplified();
  if (title.isEmpty() || title == titleOf(row)) return false;
  row.conversation.title = title;
  emit dataChanged(index, index);
  emit renamed(row.conversation.id, title);
  return true;
}

Qt::ItemFlags ConversationListModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = QAbstractListModel::flags(index);
  return index.isValid() ? flags | Qt::ItemIsEditable : flags;
}

QString ConversationListModel::groupText(Group group) {
  switch (group) {
    case Group::Pinned: return tr("Pinned");
    case Group::Today: return tr("Today");
    case Group::Yesterday: return tr("Yesterday");
    case Group::LastDays: return tr("Last 7 days");
    case Group::Older: return tr("Older");
  }
  return {};
}

// A clock that was set back makes days of the future, which count as today: they are the newest.
ConversationListModel::Group ConversationListModel::groupOf(const ListedConversation& conversation) const {
  if (conversation.isPinned) return Group::Pinned;
  const qint64 days = dayOf(conversation.updatedMs).daysTo(m_today);
  return days <= 0 ? Group::Today : days == 1 ? Group::Yesterday : days <= kLastDays ? Group::LastDays : Group::Older;
}

QString ConversationListModel::titleOf(const Row& row) const {
  return row.conversation.title.isEmpty() ? tr("Untitled") : row.conversation.title;
}

QString ConversationListModel::toolTipOf(const Row& row) const {
  QStringList lines{titleOf(row), tr("Last used %1").arg(formatMoment(row.conversation.updatedMs))};
  if (!row.conversation.modelName.isEmpty()) lines.append(tr("Answered by %1").arg(row.conversation.modelName));
  const auto mark = m_marks.constFind(row.conversation.id);
  if (mark != m_marks.constEnd()) lines.append(markText(*mark));
  return lines.join(u'\n');
}

QString ConversationListModel::spokenTextOf(const Row& row) const {
  //: A title, and what else is to be said of the conversation: "Recipes, Pinned" or "Recipes, Answering"
  const QString more = tr("%1, %2");
  const auto mark = m_marks.constFind(row.conversation.id);
  QString spoken = titleOf(row);
  if (row.conversation.id == m_openId) spoken = more.arg(spoken, tr("open"));
  if (row.conversation.isPinned) spoken = more.arg(spoken, groupText(Group::Pinned));
  return mark == m_marks.constEnd() ? spoken : more.arg(spoken, markText(*mark));
}

// The row at `from` was used or pinned just now. It is moved, not taken out and put in: that would end the editing of
// its name.
void ConversationListModel::moveToPlace(int from) {
  const ListedConversation moved = m_rows[from].conversation;
  int to = 0;
  for (int i = 0; i < m_rows.size(); ++i) {
    // Before what is as new: it is the one that changed last.
    if (i != from && !standsBefore(m_rows[i].conversation, moved)) break;
    if (i != from) ++to;
  }
  m_rows[from].group = groupOf(moved);
  if (to != from && beginMoveRows({}, from, from, {}, to > from ? to + 1 : to)) {
    m_rows.move(from, to);
    endMoveRows();
  }
  tellAllChanged();  // what stands above the rows
}

void ConversationListModel::tellAllChanged() {
  if (!m_rows.isEmpty()) emit dataChanged(index(0), index(static_cast<int>(m_rows.size()) - 1));
}

}  // namespace headroom::ui
