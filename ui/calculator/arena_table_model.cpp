#include "ui/calculator/arena_table_model.h"

#include "ui/format/format_bytes.h"

namespace headroom::ui {

void ArenaTableModel::setArenas(std::vector<ArenaFigures> arenas) {
  beginResetModel();
  m_arenas = std::move(arenas);
  endResetModel();
}

int ArenaTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_arenas.size());
}
int ArenaTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant ArenaTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const ArenaFigures& arena = m_arenas[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole)
    return QVariant((index.column() == ArenaColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole) {
    return tr("Planned %1, mapped %2").arg(formatExactBytes(arena.plannedBytes), formatExactBytes(arena.mappedBytes));
  }
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    //: Device and what lives there: "cpu, weights"
    case ArenaColumn:
      return arena.ofSession ? tr("%1, session").arg(arena.device) : tr("%1, weights").arg(arena.device);
    case PlannedColumn: return formatBytes(arena.plannedBytes);
    case MappedColumn: return formatBytes(arena.mappedBytes);
    case DifferenceColumn: return formatDifference(arena.plannedBytes, arena.mappedBytes);
    default: return {};
  }
}

QVariant ArenaTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant((section == ArenaColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case ArenaColumn: return tr("Arena");
    case PlannedColumn: return tr("Planned");
    case MappedColumn: return tr("Mapped");
    case DifferenceColumn: return tr("Difference");
    default: return {};
  }
}

}  // namespace headroom::ui
