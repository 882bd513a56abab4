// The chart's legend as a table: each segment now, planned, and the difference.
#pragma once

#include <QAbstractTableModel>
#include <array>
#include <optional>

#include "ui/chart/memory_frame.h"
#include "ui/theme/theme.h"

namespace headroom::ui {

class LegendModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { NameColumn, NowColumn, PlanColumn, ColumnCount };
  enum Role { SegmentRole = Qt::UserRole };

  explicit LegendModel(const Theme& theme, QObject* parent = nullptr);

  void setDevice(const QString& name);  // whose figures these are, where several devices are shown; empty: the only one
  // Views hear of the cells that read otherwise than before: of most readings, one or two.
  void setNow(const std::optional<MemoryFrame>& now, const MemoryAccount& account = {});
  void setPlan(const std::optional<MemoryFrame>& plan);

  // Whether any of it is there, now or planned.
  bool holds(Segment segment) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QString toolTipOf(Segment segment, int column) const;
  QString figureOf(Segment segment, int column) const;
  void tellChanged();

  const Theme& m_theme;
  QString m_device;
  std::optional<MemoryFrame> m_now, m_plan;
  MemoryAccount m_account;
  std::array<std::array<QString, 2>, kSegments.size()> m_told;  // the figures that views have, now and planned
};

}  // namespace headroom::ui
