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
  switch (region_group(kind)) {
    case RegionGroup::kWeights: return Segment::Weights;
    case RegionGroup::kKv: return Segment::KvReserved;
    case RegionGroup::kState: return Segment::State;
    case RegionGroup::kCheckpoints: return Segment::Checkpoints;
    case RegionGroup::kActivations:
    case RegionGroup::kLogits:
    case RegionGroup::kScratch:
    case RegionGroup::kStreamed:
    case RegionGroup::kStaging:
    case RegionGroup::kPadding: return Segment::Activations;
  }
  return Segment::Activations;
}

QString regionGroupLabel(RegionGroup group, KvPart part) {
  const auto label = [](const char* text) { return QCoreApplication::translate("RegionKind", text); };
  switch (group) {
    case RegionGroup::kWeights: return label(QT_TRANSLATE_NOOP("RegionKind", "Weights"));
    case RegionGroup::kKv:
      switch (part) {
        case KvPart::kNone: return label(QT_TRANSLATE_NOOP("RegionKind", "KV cache"));
        case KvPart::kKeys: return label(QT_TRANSLATE_NOOP("RegionKind", "KV cache, keys"));
        case KvPart::kValues: return label(QT_TRANSLATE_NOOP("RegionKind", "KV cache, values"));
        case KvPart::kExactKeys: return label(QT_TRANSLATE_NOOP("RegionKind", "KV cache, exact keys"));
        case KvPart::kExactValues: return label(QT_TRANSLATE_NOOP("RegionKind", "KV cache, exact values"));
      }
      return {};
    case RegionGroup::kState: return label(QT_TRANSLATE_NOOP("RegionKind", "State"));
    case RegionGroup::kCheckpoints: return label(QT_TRANSLATE_NOOP("RegionKind", "Checkpoints"));
    case RegionGroup::kActivations: return label(QT_TRANSLATE_NOOP("RegionKind", "Activations"));
    case RegionGroup::kLogits: return label(QT_TRANSLATE_NOOP("RegionKind", "Logits"));
    case RegionGroup::kScratch: return label(QT_TRANSLATE_NOOP("RegionKind", "Scratch"));
    case RegionGroup::kStreamed: return label(QT_TRANSLATE_NOOP("RegionKind", "Streamed weights"));
    case RegionGroup::kStaging: return label(QT_TRANSLATE_NOOP("RegionKind", "Staging"));
    case RegionGroup::kPadding: return label(QT_TRANSLATE_NOOP("RegionKind", "Padding"));
  }
  return {};
}

namespace {

struct Regions {
  Segment segment = Segment::Activations;
  Bytes bytes = 0;
  int nRegions = 0;
  std::set<std::int32_t> layers;
};

QString holdsOf(RegionGroup group, DType dtype, const Regions& regions) {
  const QString type =
      QString::fromUtf8(dtype_row(dtype).name.data(), static_cast<qsizetype>(dtype_row(dtype).name.size()));
  switch (group) {
    case RegionGroup::kWeights: return SegmentTableModel::tr("%1, %n tensors", nullptr, regions.nRegions).arg(type);
    case RegionGroup::kKv:
    case RegionGroup::kState:
    case RegionGroup::kCheckpoints:
      return SegmentTableModel::tr("%1, %n layers", nullptr, static_cast<int>(regions.layers.size())).arg(type);
    case RegionGroup::kActivations:
    case RegionGroup::kScratch: return SegmentTableModel::tr("of one step");
    case RegionGroup::kPadding: return SegmentTableModel::tr("to whole pages");
    case RegionGroup::kLogits: return SegmentTableModel::tr("for the next token");
    case RegionGroup::kStreamed: return SegmentTableModel::tr("one layer's, for prompts");
    case RegionGroup::kStaging: return SegmentTableModel::tr("sampling and copies");
  }
  return {};
}

}  // namespace

void SegmentTableModel::setPlan(std::shared_ptr<const MemoryPlan> plan) {
  beginResetModel();
  m_rows.clear();
  if (plan) {
    std::map<std::tuple<DeviceIndex, RegionGroup, KvPart, DType>, Regions> groups;
    for (const ArenaPlan& arena : plan->arenas) {
      if (arena.lifetime == Lifetime::kLoad) continue;
      for (const Region& region : arena.regions) {
        Regions& regions = groups[{arena.device, region_group(region.kind), region.kv_part, region.dtype}];
        regions.segment = segmentOf(region.kind);
        regions.bytes += region.size;
        ++regions.nRegions;
        regions.layers.insert(region.layer);
      }
    }
    for (const auto& [key, regions] : groups) {
      const auto& [device, group, part, dtype] = key;
      m_rows.push_back({regionGroupLabel(group, part), holdsOf(group, dtype, regions),
                        deviceLabel(plan->devices[device]), regions.segment, regions.bytes});
    }
    for (const DeviceBudget& budget : plan->budgets) {
      const DeviceInfo& device = plan->devices[budget.device];
      if (budget.heap > 0) {
        m_rows.push_back({tr("Tokenizer and tables"), budget.heap_is_measured ? tr("measured") : tr("estimated"),
                          deviceLabel(device), Segment::Program, budget.heap});
      }
      if (budget.prompts > 0) {
        m_rows.push_back({tr("Reading prompts"), tr("at most"), deviceLabel(device), Segment::Program, budget.prompts});
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
