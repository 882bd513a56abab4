#include "ui/chart/segment_bar.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include "ui/format/format_bytes.h"
#include "ui/theme/accessible_role.h"

namespace headroom::ui {

SegmentBar::SegmentBar(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setAccessibleRole(this, QAccessible::Chart);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setMouseTracking(true);
  connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void SegmentBar::setFrame(const MemoryFrame& frame, Bytes scale, Bytes planTop) {
  if (frame.bytes == m_frame.bytes && m_scale == std::max(scale, frame.total()) && planTop == m_planTop) return;
  m_frame = frame;
  m_scale = std::max(scale, frame.total());
  m_planTop = planTop;
  QStringList parts;
  for (const Segment segment : kSegments) {
    if (frame.of(segment) > 0) parts << tr("%1 %2").arg(segmentName(segment), formatBytes(frame.of(segment)));
  }
  setAccessibleDescription(parts.join(QStringLiteral(", ")));
  if (edges() != m_painted) update();
}

std::array<int, kSegments.size() + 1> SegmentBar::edges() const {
  const auto pixelOf = [this](Bytes bytes) { return qRound(xOf(bytes) * devicePixelRatioF()); };
  std::array<int, kSegments.size() + 1> edges{};
  Bytes sum = 0;
  for (const Segment segment : kSegments) edges[segmentIndex(segment)] = pixelOf(sum += m_frame.of(segment));
  edges.back() = pixelOf(m_planTop);
  return edges;
}

double SegmentBar::xOf(Bytes bytes) const {
  return m_scale == 0 ? 0 : static_cast<double>(width()) * (static_cast<double>(bytes) / static_cast<double>(m_scale));
}

std::optional<Segment> SegmentBar::segmentAt(const QPoint& position) const {
  Bytes sum = 0;
  for (const Segment segment : kSegments) {
    sum += m_frame.of(segment);
    if (m_frame.of(segment) > 0 && position.x() < xOf(sum)) return segment;
  }
  return std::nullopt;
}

void SegmentBar::paintEvent(QPaintEvent*) {
  m_painted = edges();
  const ThemeTokens& t = m_theme.tokens();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF whole = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
  QPainterPath outline;
  outline.addRoundedRect(whole, 5, 5);
  painter.setClipPath(outline);
  painter.fillPath(outline, t.sunken);
  Bytes sum = 0;
  for (const Segment segment : kSegments) {
    const double from = xOf(sum);
    sum += m_frame.of(segment);
    const double to = xOf(sum);
    if (to - from <= 0) continue;
    const QRectF part(from, 0, to - from, height());
    painter.fillRect(part, t.segmentBrush(segment));
    // A seam between neighbours; dropped where a segment is thinner than it.
    if (to - from > 2) painter.fillRect(QRectF(to - 1, 0, 1, height()), t.surface);
  }
  painter.setClipping(false);
  painter.setPen(QPen(t.border, 1));
  painter.drawPath(outline);
  if (m_planTop > 0) {
    painter.setPen(QPen(t.plan, 2, Qt::DashLine));
    const double x = std::min(xOf(m_planTop), static_cast<double>(width()) - 1.0);
    painter.drawLine(QPointF(x, 0), QPointF(x, height()));
  }
}

void SegmentBar::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !rect().contains(event->pos())) return;
  if (const auto segment = segmentAt(event->pos())) emit segmentClicked(*segment);
}

bool SegmentBar::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  if (const auto segment = segmentAt(help->pos())) {
    QToolTip::showText(help->globalPos(),
                       QStringLiteral("%1: %2\n%3")
                           .arg(segmentName(*segment), formatBytes(m_frame.of(*segment)), segmentExplanation(*segment)),
                       this);
  } else {
    QToolTip::hideText();
  }
  return true;
}

}  // namespace headroom::ui
