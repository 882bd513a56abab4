// After a load: what was planned and what was mapped, arena by arena.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "ui/engine_port.h"

namespace headroom::ui {

class ArenaTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { ArenaColumn, PlannedColumn, MappedColumn, DifferenceColumn, ColumnCount };

  using QAbstractTableModel::QAbstractTableModel;

  void setArenas(std::vector<ArenaFigures> arenas);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<ArenaFigures> m_arenas;
};

}  // namespace headroom::ui
