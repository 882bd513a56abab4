// The VRAM dock: chart over time, bars for now and for the plan, legend with figures, and what loading really took.
#pragma once

#include <QWidget>
#include <functional>

#include "ui/calculator/load_state.h"
#include "ui/chart/chart_state.h"
#include "ui/theme/theme.h"

class QLabel;
class QTableView;
class QToolButton;

namespace headroom::ui {

class ElidedLabel;
class LegendModel;
class SegmentBar;
class TimelineChart;

class VramPanel : public QWidget {
  Q_OBJECT
 public:
  VramPanel(const Theme& theme, ChartState& chart, LoadState& load, QWidget* parent = nullptr);

  // By the ending of `path`: .png, .svg, .csv or .json. What is shown now is written by another thread; one of the
  // signals follows.
  void exportTo(const QString& path);

 signals:
  void exported(const QString& path);
  void exportFailed(const QString& sentence);

 private:
  QWidget* buildChartCard();
  QWidget* buildLegend();
  QWidget* buildLoadCard();
  void buildExportMenu();
  void refreshPlan();
  void refreshNow();
  void refreshLoad();
  void listRegions(Segment segment);
  void chooseExport(const QString& ending);
  std::function<QByteArray()> exportedBytes(const QString& ending);

  const Theme& m_theme;
  ChartState& m_state;
  LoadState& m_load;
  ElidedLabel* m_device;
  QToolButton* m_export;
  TimelineChart* m_chart = nullptr;
  QLabel* m_empty = nullptr;
  QLabel* m_nowText = nullptr;
  SegmentBar* m_nowBar = nullptr;
  QLabel* m_planText = nullptr;
  SegmentBar* m_planBar = nullptr;
  LegendModel* m_legend = nullptr;
  QLabel* m_predicted = nullptr;
  QLabel* m_actual = nullptr;
  QLabel* m_difference = nullptr;
  QLabel* m_allocations = nullptr;
};

}  // namespace headroom::ui
