// The regions of a plan that make up one segment: tensors, caches of layers, buffers.
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <optional>
#include <vector>

#include "plan/memory_plan.h"
#include "ui/theme/segment.h"

namespace headroom::ui {

class RegionTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { NameColumn, LayerColumn, TypeColumn, DeviceColumn, BytesColumn, ColumnCount };
  enum Role { SortRole = Qt::UserRole };

  // KvUsed and KvReserved list the same regions: which rows of them are in use changes with every token.
  // Of one device, or of all.
  RegionTableModel(std::shared_ptr<const MemoryPlan> plan, Segment segment, std::optional<DeviceIndex> device = {},
                   QObject* parent = nullptr);

  Bytes totalBytes() const;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    const Region* region;
    DeviceIndex device;
  };
  std::shared_ptr<const MemoryPlan> m_plan;  // keeps the regions alive
  std::vector<Row> m_rows;
};

}  // namespace headroom::ui
