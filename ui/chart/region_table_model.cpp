#include "ui/chart/region_table_model.h"

#include <numeric>

#include "format/dtype_table.h"
#include "ui/calculator/segment_table_model.h"
#include "ui/format/format_bytes.h"

namespace headroom::ui {

RegionTableModel::RegionTableModel(std::shared_ptr<const MemoryPlan> plan, Segment segment,
                                   std::optional<DeviceIndex> device, QObject* parent)
    : QAbstractTableModel(parent), m_plan(std::move(plan)) {
  const Segment wanted = segment == Segment::KvUsed ? Segment::KvReserved : segment;
  for (const ArenaPlan& arena : m_plan->arenas) {
    if (arena.lifetime == Lifetime::kLoad || (device && arena.device != *device)) continue;
    for (const Region& region : arena.regions) {
      if (segmentOf(region.kind) == wanted) m_rows.push_back({&region, arena.device});
    }
  }
}

Bytes RegionTableModel::totalBytes() const {
  return std::accumulate(m_rows.begin(), m_rows.end(), Bytes{0},
                         [](Bytes sum, const Row& row) { return sum + row.region->size; });
}

int RegionTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}
int RegionTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant RegionTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const auto& [region, device] = m_rows[static_cast<std::size_t>(index.row())];
  const bool isNumber = index.column() == LayerColumn || index.column() == BytesColumn;
  if (role == Qt::TextAlignmentRole) return QVariant((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole) {
    return tr("%1\n%2 at offset %3")
        .arg(QString::fromStdString(region->name), formatExactBytes(region->size), formatCount(region->offset));
  }
  if (role != Qt::DisplayRole && role != SortRole) return {};
  const bool sorting = role == SortRole;
  switch (index.column()) {
    case NameColumn: return QString::fromStdString(region->name);
    case LayerColumn:
      if (sorting) return region->layer;
      return region->layer < 0 ? QStringLiteral("\u2013") : QString::number(region->layer);
    case TypeColumn: return QString::fromStdString(std::string(dtype_row(region->dtype).name));
    case DeviceColumn: return QString::fromStdString(m_plan->devices[device].name);
    case BytesColumn:
      return sorting ? QVariant::fromValue<qulonglong>(region->size) : QVariant(formatBytes(region->size));
    default: return {};
  }
}

QVariant RegionTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const bool isNumber = section == LayerColumn || section == BytesColumn;
  if (role == Qt::TextAlignmentRole) return QVariant((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case NameColumn: return tr("Name");
    case LayerColumn: return tr("Layer");
    case TypeColumn: return tr("Type");
    case DeviceColumn: return tr("Device");
    case BytesColumn: return tr("Bytes");
    default: return {};
  }
}

}  // namespace headroom::ui
