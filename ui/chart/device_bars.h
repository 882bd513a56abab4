// One device's memory in two bars with their figures: as it is now, and as it is planned.
#pragma once

#include <QWidget>
#include <optional>

#include "ui/chart/memory_frame.h"
#include "ui/theme/theme.h"

class QLabel;

namespace headroom::ui {

class ElidedLabel;
class SegmentBar;

class DeviceBars : public QWidget {
  Q_OBJECT
 public:
  DeviceBars(const Theme& theme, QWidget* parent = nullptr);

  struct Figures {
    QString device;  // its name where several are shown; empty: the only one, and named elsewhere
    std::optional<MemoryFrame> now, planned;
    Bytes total = 0, planTop = 0;
    MemoryAccount account = {};  // of now
    bool oursAlone = false;      // bars of what is ours; the figures beside them stay those of the device
  };
  void setFigures(const Figures& figures);

 signals:
  void segmentClicked(headroom::ui::Segment segment);

 private:
  ElidedLabel* m_name;
  QLabel* m_nowText;
  SegmentBar* m_nowBar;
  QLabel* m_spillText;
  QLabel* m_planText;
  SegmentBar* m_planBar;
};

}  // namespace headroom::ui
