#include "ui/calculator/segment_table_model.h"

#include <QCoreApplication>
#include <QStringList>
#include <map>
#include <set>
#include <tuple>

#include "format/dtype_table.h"
#include "ui/format/device_name.h"
#include "ui/format/format_bytes.h"

namespace headroom::ui {

Segment segmentOf(RegionKind kind) {
  switch (kind) {
    case RegionKind::kWeights: return Segment::Weights;
    case RegionKind::kKv: return Segment::KvReserved;
    default: return Segment::Activations;
  }
}

QString regionKindLabel(RegionKind kind, KvPart part) {
  const auto label = [](const char* text) { return QCoreApplication::translate("RegionKind", text); };
  switch (kind) {
    case RegionKind::kWeights: return label(QT_TRANSLATE_NOOP("RegionKind", "Weights"));
    case RegionKind::kKv:
      if (part == KvPart::kKeys) return label(QT_TRANSLATE_NOOP("RegionKind", "KV cache, keys"));
      if (part == KvPart::kValues) return label(QT_TRANSLATE_NOOP("RegionKind", "KV cache, values"));
      if (part == KvPart::kExactKeys) return label(QT_TRANSLATE_NOOP("RegionKind", "KV cache, exact keys"));
      if (part == KvPart::kExactValues) return label(QT_TRANSLATE_NOOP("RegionKind", "KV cache, exact values"));
      return label(QT_TRANSLATE_NOOP("RegionKind", "KV cache"));
    case RegionKind::kActivations: return label(QT_TRANSLATE_NOOP("RegionKind", "Activations"));
    case RegionKind::kLogits: return label(QT_TRANSLATE_NOOP("RegionKind", "Logits"));
    case RegionKind::kScratch: return label(QT_TRANSLATE_NOOP("RegionKind", "Scratch"));
    case RegionKind::kStreamed: return label(QT_TRANSLATE_NOOP("RegionKind", "Streamed weights"));
    case RegionKind::kStaging: return label(QT_TRANSLATE_NOOP("RegionKind", "Staging"));
    case RegionKind::kPadding: return label(QT_TRANSLATE_NOOP("RegionKind", "Padding"));
  }
  return {};
}

namespace {

struct Group {
  Bytes bytes = 0;
  int nRegions = 0;
  std::set<std::int32_t> layers;
};

QString holdsOf(RegionKind kind, DType dtype, const Group& group) {
  const QString type =
      QString::fromUtf8(dtype_row(dtype).name.data(), static_cast<qsizetype>(dtype_row(dtype).name.size()));
  switch (kind) {
    case RegionKind::kWeights:
      return group.nRegions == 1 ? SegmentTableModel::tr("%1, 1 tensor").arg(type)
                                 : SegmentTableModel::tr("%1, %2 tensors").arg(type).arg(group.nRegions);
    case RegionKind::kKv:
      return group.layers.size() == 1 ? SegmentTableModel::tr("%1, 1 layer").arg(type)
                                      : SegmentTableModel::tr("%1, %2 layers").arg(type).arg(group.layers.size());
    case RegionKind::kPadding: return SegmentTableModel::tr("to whole pages");
    case RegionKind::kLogits: return SegmentTableModel::tr("for the next token");
    case RegionKind::kStreamed: return SegmentTableModel::tr("one layer's, for prompts");
    case RegionKind::kStaging: return SegmentTableModel::tr("sampling and copies");
    default: return SegmentTableModel::tr("of one step");
  }
}

}  // namespace

void SegmentTableModel::setPlan(std::shared_ptr<const MemoryPlan> plan) {
  beginResetModel();
  m_rows.clear();
  if (plan) {
    std::map<std::tuple<DeviceIndex, RegionKind, KvPart, DType>, Group> groups;
    for (const ArenaPlan& arena : plan->arenas) {
      if (arena.lifetime == Lifetime::kLoad) continue;
      for (const Region& region : arena.regions) {
        Group& group = groups[{arena.device, region.kind, region.kv_part, region.dtype}];
        group.bytes += region.size;
        ++group.nRegions;
        group.layers.insert(region.layer);
      }
    }
    for (const auto& [key, group] : groups) {
      const auto& [device, kind, part, dtype] = key;
      m_rows.push_back({regionKindLabel(kind, part), holdsOf(kind, dtype, group), deviceLabel(plan->devices[device]),
                        segmentOf(kind), group.bytes});
    }
    for (const DeviceBudget& budget : plan->budgets) {
      const DeviceInfo& device = plan->devices[budget.device];
      if (budget.heap > 0) {
        m_rows.push_back({segmentName(Segment::Tables), budget.heap_is_measured ? tr("measured") : tr("estimated"),
                          deviceLabel(device), Segment::Tables, budget.heap});
      }
      if (budget.driver == 0) continue;
      m_rows.push_back({segmentName(Segment::Driver), device.driver_measured ? tr("measured") : tr("assumed"),
                        deviceLabel(device), Segment::Driver, budget.driver});
    }
  }
  endResetModel();
}

int SegmentTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}
int SegmentTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant SegmentTableModel::data(const QModelIndex& index, int role) const {
  const Row& row = m_rows[static_cast<std::size_t>(index.row())];
  if (role == SegmentRole) return static_cast<int>(row.segment);
  if (role == BytesRole) return QVariant::fromValue<qulonglong>(row.bytes);
  if (role == Qt::TextAlignmentRole && index.column() == BytesColumn)
    return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole && index.column() == BytesColumn) return formatExactBytes(row.bytes);
  if (role == Qt::ToolTipRole)
    return tr("%1, %2, on %3: %4").arg(row.name, row.holds, row.device, formatBytes(row.bytes));
  if (role != Qt::DisplayRole && role != SortRole) return {};
  switch (index.column()) {
    case NameColumn: return row.name;
    case HoldsColumn: return row.holds;
    case DeviceColumn: return row.device;
    case BytesColumn:
      return role == SortRole ? QVariant::fromValue<qulonglong>(row.bytes) : QVariant(formatBytes(row.bytes));
    default: return {};
  }
}

QVariant SegmentTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant((section == BytesColumn ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case NameColumn: return tr("Segment");
    case HoldsColumn: return tr("Holds");
    case DeviceColumn: return tr("Device");
    case BytesColumn: return tr("Bytes");
    default: return {};
  }
}

}  // namespace headroom::ui
