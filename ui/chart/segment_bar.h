// One moment of memory as a horizontal bar.
#pragma once

#include <QWidget>
#include <array>
#include <optional>

#include "ui/chart/memory_frame.h"
#include "ui/theme/theme.h"

namespace headroom::ui {

class SegmentBar : public QWidget {
  Q_OBJECT
 public:
  explicit SegmentBar(const Theme& theme, QWidget* parent = nullptr);

  // `scale`: bytes of the whole width, at least the frame's total. `planTop` > 0 draws the dashed line. Painted anew
  // when one of its edges has moved by a pixel.
  void setFrame(const MemoryFrame& frame, Bytes scale, Bytes planTop);
  const MemoryFrame& frame() const { return m_frame; }
  std::optional<Segment> segmentAt(const QPoint& position) const;

  QSize sizeHint() const override { return {240, 28}; }
  QSize minimumSizeHint() const override { return {120, 28}; }

 signals:
  void segmentClicked(headroom::ui::Segment segment);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  double xOf(Bytes bytes) const;
  std::array<int, kSegments.size() + 1> edges() const;  // in pixels of the screen; the last is that of the plan

  const Theme& m_theme;
  MemoryFrame m_frame;
  Bytes m_scale = 0, m_planTop = 0;
  std::array<int, kSegments.size() + 1> m_painted{};
};

}  // namespace headroom::ui
