// Every segment of a plan as a row: what it holds, where, and its bytes.
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "plan/memory_plan.h"
#include "ui/theme/segment.h"

namespace headroom::ui {

// Which segment of the chart a region counts to (KV: KvReserved; what is used of it is known at run time only).
Segment segmentOf(RegionKind kind);
QString regionGroupLabel(RegionGroup group, KvPart part);

class SegmentTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { NameColumn, HoldsColumn, DeviceColumn, BytesColumn, ColumnCount };
  enum Role { SortRole = Qt::UserRole, SegmentRole, BytesRole };

  using QAbstractTableModel::QAbstractTableModel;

  void setPlan(std::shared_ptr<const MemoryPlan> plan);  // null: empty

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    QString name, holds, device;
    Segment segment = Segment::Weights;
    Bytes bytes = 0;
  };
  std::vector<Row> m_rows;
};

}  // namespace headroom::ui
