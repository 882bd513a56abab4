// Stacked areas over time with a dashed line for the plan.
#pragma once

#include <qcustomplot.h>

#include <array>
#include <optional>

#include "ui/chart/time_line.h"
#include "ui/theme/theme.h"

namespace headroom::ui {

class TimelineChart : public QCustomPlot {
  Q_OBJECT
 public:
  explicit TimelineChart(const Theme& theme, QWidget* parent = nullptr);

  // Borrowed, replaced before it goes; to be called again when it has grown. The replot is queued, and waits until an
  // area has risen or fallen by a pixel. Where none does, time alone goes on in steps of five seconds, or of a pixel
  // where that is longer.
  void setTimeLine(const TimeLine& timeLine);

  // `planTop`: where our share ends when the plan is loaded; 0: no line. `total`: top of the axis.
  void setPlan(Bytes planTop);
  void setTotal(Bytes total);
  // What is ours fills the height: see oursAlone().
  void setOursAlone(bool alone);

  // What is under a point of the widget; absent outside the areas.
  struct Hit {
    Segment segment;
    Bytes bytes;
    qint64 timeMs;
  };
  std::optional<Hit> hitAt(const QPoint& position) const;

  // The chart as it is shown, as files that somebody else writes.
  QImage image(double scale);
  QByteArray svg();

 signals:
  void segmentClicked(headroom::ui::Segment segment);

 protected:
  bool event(QEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void recolour();
  void fitTicks();
  MemoryFrame shown(const MemoryFrame& frame) const { return m_resetAlone ? oursAlone(frame) : frame; }
  bool hasMoved() const;
  void refresh();

  const Theme& m_theme;
  const TimeLine* m_timeLine = nullptr;
  std::optional<MemoryFrame> m_drawn;  // the last frame of what is shown
  std::array<QCPGraph*, kSegments.size()> m_areas{};
  QCPItemStraightLine* m_planLine;
  QCPItemText* m_planLabel;
  Bytes m_planTop = 0, m_total = 0;
  bool m_resetAlone = false;
};

}  // namespace headroom::ui
