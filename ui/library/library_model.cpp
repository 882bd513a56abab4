#include "ui/library/library_model.h"

#include <QDir>
#include <QSet>
#include <utility>

#include "ui/format/format_bytes.h"

namespace headroom::ui {
namespace {

QString toolTipOf(const LibraryEntry& entry) {
  QStringList lines{QDir::toNativeSeparators(entry.found.path)};
  if (entry.facts.model) lines << QString::fromStdString(entry.facts.model->name);
  lines << formatExactBytes(entry.found.bytes);
  if (const QString more = explanation(entry); !more.isEmpty()) lines << more;
  return lines.join(QLatin1Char('\n'));
}

// All that the row shows.
QString spokenText(const LibraryEntry& entry) {
  QStringList parts{entry.found.name};
  if (entry.isLoaded) parts << LibraryModel::tr("Loaded");
  if (const QString badge = badgeText(entry); !badge.isEmpty()) parts << badge;
  return parts.join(QStringLiteral(", "));
}

}  // namespace

void LibraryModel::setEntries(const QVector<LibraryEntry>& entries) {
  QHash<QString, int> wanted;
  for (int i = 0; i < entries.size(); ++i) wanted.insert(entries[i].found.path, i);
  for (int last = static_cast<int>(m_entries.size()) - 1; last >= 0; --last) {
    if (wanted.contains(m_entries[last].found.path)) continue;
    int first = last;
    while (first > 0 && !wanted.contains(m_entries[first - 1].found.path)) --first;
    beginRemoveRows({}, first, last);
    m_entries.remove(first, last - first + 1);
    endRemoveRows();
    last = first;
  }
  for (int row = 0; row < m_entries.size(); ++row) {
    const LibraryEntry& now = entries[wanted.take(m_entries[row].found.path)];
    m_entries[row] = now;
    m_entries[row].isLoaded = isLoadedNow(now);
  }
  if (!m_entries.isEmpty()) emit dataChanged(index(0), index(static_cast<int>(m_entries.size()) - 1));
  QVector<LibraryEntry> added;
  for (const LibraryEntry& each : entries) {
    if (wanted.remove(each.found.path) == 0) continue;
    added.append(each);
    added.last().isLoaded = isLoadedNow(each);
  }
  if (!added.isEmpty()) {
    const auto first = static_cast<int>(m_entries.size());
    beginInsertRows({}, first, first + static_cast<int>(added.size()) - 1);
    m_entries += added;
    endInsertRows();
  }
  findRows();
}

void LibraryModel::findRows() {
  m_rows.clear();
  for (int row = 0; row < m_entries.size(); ++row) m_rows.insert(m_entries[row].found.path, row);
}

void LibraryModel::setFacts(const QString& path, LibraryEntry::State state, const HeaderFacts& facts) {
  const int row = rowOf(path);
  if (row < 0) return;
  m_entries[row].state = state;
  m_entries[row].facts = facts;
  tellChanged(row);
}

void LibraryModel::setFit(const QString& path, const ModelFit& fit) {
  const int row = rowOf(path);
  if (row < 0 || m_entries[row].fit == fit) return;
  m_entries[row].fit = fit;
  tellChanged(row);
}

bool LibraryModel::isLoadedNow(const LibraryEntry& entry) const {
  const auto is = [&](const QString& path) {
    return !path.isEmpty() && (entry.found.path == path || entry.found.canonical == path);
  };
  return is(m_loadedPath) || is(m_loadedCanonical);
}

void LibraryModel::setLoadedPath(const QString& path, const QString& canonical) {
  m_loadedPath = path;
  m_loadedCanonical = canonical;
  for (int row = 0; row < m_entries.size(); ++row) {
    LibraryEntry& entry = m_entries[row];
    const bool isLoaded = isLoadedNow(entry);
    if (std::exchange(entry.isLoaded, isLoaded) != isLoaded) tellChanged(row);
  }
}

void LibraryModel::tellChanged(int row) { emit dataChanged(index(row), index(row)); }

int LibraryModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_entries.size());
}

QVariant LibraryModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const LibraryEntry& entry = m_entries[index.row()];
  switch (role) {
    case Qt::DisplayRole: return entry.found.name;
    case Qt::ToolTipRole: return toolTipOf(entry);
    case Qt::AccessibleTextRole: return spokenText(entry);
    case Qt::AccessibleDescriptionRole: return factsText(entry);
    case PathRole: return entry.found.path;
    case BadgeRole: return badgeText(entry);
    case ToneRole: return static_cast<int>(badgeTone(entry));
    case FactsRole: return factsText(entry);
    case OfflineRole: return entry.isOffline;
    case LoadedRole: return entry.isLoaded;
    case CanLoadRole: return entry.canLoad();
    case RemovableRole: return entry.isRemovable();
    default: return {};
  }
}

LibraryFilter::LibraryFilter(LibraryModel& model, QObject* parent) : QSortFilterProxyModel(parent), m_model(model) {
  setSourceModel(&model);
  setDynamicSortFilter(true);
  sort(0);
}

void LibraryFilter::setSearch(const QString& search) {
  const QString before = std::exchange(m_search, search.trimmed());
  if (before != m_search) invalidateFilter();
}

void LibraryFilter::setOrder(LibraryOrder order) {
  const LibraryOrder before = std::exchange(m_order, order);
  if (before != order) invalidate();
}

const LibraryEntry& LibraryFilter::entry(const QModelIndex& index) const {
  return m_model.entry(mapToSource(index).row());
}

bool LibraryFilter::filterAcceptsRow(int row, const QModelIndex&) const {
  return matches(m_model.entry(row), m_search);
}

bool LibraryFilter::lessThan(const QModelIndex& a, const QModelIndex& b) const {
  return standsBefore(m_model.entry(a.row()), m_model.entry(b.row()), m_order);
}

}  // namespace headroom::ui
