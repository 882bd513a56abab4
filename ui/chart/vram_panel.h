// The VRAM dock: chart over time of one device, bars of all for now and for the plan, legend with figures, and what
// loading really took.
#pragma once

#include <QWidget>
#include <functional>
#include <vector>

#include "ui/calculator/load_state.h"
#include "ui/chart/chart_state.h"
#include "ui/theme/theme.h"

class QLabel;
class QTabBar;
class QVBoxLayout;
class QTableView;
class QToolButton;

namespace headroom::ui {

class DeviceBars;
class ElidedLabel;
class LegendModel;
class TimelineChart;

class VramPanel : public QWidget {
  Q_OBJECT
 public:
  VramPanel(const Theme& theme, ChartState& chart, LoadState& load, QWidget* parent = nullptr);

  // Makes a file of what is shown now, "png", "svg", "csv" or "json", on any thread; empty for an unknown ending.
  std::function<QByteArray()> exportedBytes(const QString& ending);

 signals:
  void exportChosen(const QString& path);  // its ending says what is wanted

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* buildChartCard();
  QWidget* buildLegend();
  QWidget* buildLoadCard();
  void buildExportMenu();
  void refreshDevices();
  void refreshPlan();
  void refreshNow();
  void refreshLoad();
  void widenLegend(const QModelIndex& first, const QModelIndex& last);
  void fitLegend();
  void showRare();
  void listRegions(std::size_t device, Segment segment);
  void chooseExport(const QString& ending);

  const Theme& m_theme;
  ChartState& m_state;
  LoadState& m_load;
  ElidedLabel* m_device;  // the selected one
  QTabBar* m_tabs;        // where there are several
  QToolButton* m_export;
  QToolButton* m_resetAlone;
  bool m_isSeen = false;  // readings are painted
  TimelineChart* m_chart = nullptr;
  QLabel* m_empty = nullptr;
  QVBoxLayout* m_barColumn = nullptr;
  std::vector<DeviceBars*> m_bars;  // of each shown device
  LegendModel* m_legend = nullptr;
  QTableView* m_legendTable = nullptr;
  QLabel* m_predicted = nullptr;
  QLabel* m_actual = nullptr;
  QLabel* m_difference = nullptr;
  QLabel* m_taken = nullptr;
};

}  // namespace headroom::ui
