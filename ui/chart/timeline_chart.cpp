#include "ui/chart/timeline_chart.h"

#include <QBuffer>
#include <QDateTime>
#include <QHelpEvent>
#include <QSvgGenerator>
#include <QToolTip>

#include "ui/chart/bytes_ticker.h"
#include "ui/format/format_bytes.h"
#include "ui/theme/accessible_role.h"

namespace headroom::ui {
namespace {

constexpr qint64 kShortestSpanMs = 60'000;
constexpr double kStillStepMs = 5'000;  // of a chart in which nothing moves: drawing it is most of what idling costs

}  // namespace

TimelineChart::TimelineChart(const Theme& theme, QWidget* parent)
    : QCustomPlot(parent),
      m_theme(theme),
      m_planLine(new QCPItemStraightLine(this)),
      m_planLabel(new QCPItemText(this)) {
  setAccessibleRole(this, QAccessible::Chart);
  setObjectName(QStringLiteral("timelineChart"));
  // Without this a replot paints the whole window at once, before the event loop does it again for everyone else.
  setPlottingHint(QCP::phImmediateRefresh, false);
  setAccessibleName(tr("Memory over time"));
  setAccessibleDescription(
      tr("Stacked areas of each memory segment; the legend beside it gives the same figures as text."));
  setMinimumHeight(160);
  setMouseTracking(true);
  for (std::size_t i = 0; i < m_areas.size(); ++i) {
    m_areas[i] = addGraph();
    m_areas[i]->setAdaptiveSampling(false);
    if (i > 0) m_areas[i]->setChannelFillGraph(m_areas[i - 1]);
  }
  yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new BytesTicker));
  yAxis->ticker()->setTickCount(4);
  const QSharedPointer<QCPAxisTickerDateTime> clock(new QCPAxisTickerDateTime);
  clock->setDateTimeFormat(QStringLiteral("hh:mm:ss"));
  xAxis->setTicker(clock);
  for (QCPAxis* axis : {xAxis, yAxis}) {
    axis->setSubTicks(false);
    axis->setTickLength(0);
    axis->setTickLabelPadding(6);
  }
  xAxis->grid()->setVisible(false);
  m_planLine->setLayer(QStringLiteral("overlay"));
  m_planLabel->setLayer(QStringLiteral("overlay"));
  m_planLabel->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
  m_planLabel->position->setTypeY(QCPItemPosition::ptPlotCoords);
  m_planLabel->setPadding(QMargins(4, 1, 4, 1));
  connect(&theme, &Theme::changed, this, &TimelineChart::recolour);
  recolour();
}

void TimelineChart::recolour() {
  const ThemeTokens& t = m_theme.tokens();
  setBackground(t.surface);
  for (const Segment segment : kSegments) {
    QCPGraph* area = m_areas[segmentIndex(segment)];
    area->setBrush(t.segmentBrush(segment));
    // A seam in the background's colour keeps neighbours apart for eyes that cannot tell their colours.
    area->setPen(QPen(t.surface, 1));
  }
  QFont small = font();
  small.setPointSizeF(small.pointSizeF() * 0.85);
  for (QCPAxis* axis : {xAxis, yAxis}) {
    axis->setBasePen(QPen(t.border));
    axis->setTickPen(QPen(t.border));
    axis->setTickLabelColor(t.muted);
    axis->setTickLabelFont(small);
    axis->grid()->setPen(QPen(t.border, 1, Qt::DotLine));
    axis->grid()->setZeroLinePen(Qt::NoPen);
  }
  m_planLine->setPen(QPen(t.plan, 2, Qt::DashLine));
  m_planLabel->setColor(t.plan);
  m_planLabel->setBrush(QColor(t.surface.red(), t.surface.green(), t.surface.blue(), 215));
  m_planLabel->setFont(small);
  fitTicks();
  replot(QCustomPlot::rpQueuedReplot);
}

// As many times as stand side by side without touching each other.
void TimelineChart::resizeEvent(QResizeEvent* event) {
  QCustomPlot::resizeEvent(event);
  fitTicks();
}

void TimelineChart::fitTicks() {
  const int labelPx = QFontMetrics(xAxis->tickLabelFont()).horizontalAdvance(QStringLiteral("00:00:00"));
  xAxis->ticker()->setTickCount(std::clamp(axisRect()->width() / (2 * std::max(1, labelPx)), 1, 3));
}

void TimelineChart::setTimeLine(const TimeLine& timeLine) {
  const bool isOther = m_timeLine != &timeLine;
  m_timeLine = &timeLine;
  if (isOther || hasMoved()) refresh();
}

bool TimelineChart::hasMoved() const {
  if (m_timeLine->isEmpty() || !m_drawn) return m_timeLine->isEmpty() == m_drawn.has_value();
  const MemoryFrame last = shown(m_timeLine->frames().back());
  const QRect plot = axisRect()->rect();
  const double pixelMs = xAxis->range().size() * 1000 / std::max(1, plot.width());
  const double pixelBytes = yAxis->range().size() / std::max(1, plot.height());
  if (static_cast<double>(last.timeMs - m_drawn->timeMs) >= std::max(pixelMs, kStillStepMs)) return true;
  double moved = 0;  // of the top of each area
  for (std::size_t i = 0; i < last.bytes.size(); ++i) {
    moved += static_cast<double>(last.bytes[i]) - static_cast<double>(m_drawn->bytes[i]);
    if (std::abs(moved) >= pixelBytes) return true;
  }
  return false;
}

void TimelineChart::setPlan(Bytes planTop) {
  if (m_planTop == planTop) return;
  m_planTop = planTop;
  refresh();
}

void TimelineChart::setTotal(Bytes total) {
  if (m_total == total) return;
  m_total = total;
  refresh();
}

void TimelineChart::setOursAlone(bool alone) {
  if (m_resetAlone == alone) return;
  m_resetAlone = alone;
  refresh();
}

void TimelineChart::refresh() {
  const auto frames = m_timeLine ? m_timeLine->frames() : std::span<const MemoryFrame>();
  std::array<QVector<QCPGraphData>, kSegments.size()> columns;
  for (auto& column : columns) column.reserve(static_cast<qsizetype>(frames.size()));
  m_drawn = frames.empty() ? std::nullopt : std::optional(shown(frames.back()));
  Bytes top = m_resetAlone ? m_planTop : std::max(m_total, m_planTop);
  for (const MemoryFrame& whole : frames) {
    const MemoryFrame frame = shown(whole);
    double sum = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      sum += static_cast<double>(frame.bytes[i]);
      columns[i].append(QCPGraphData(static_cast<double>(frame.timeMs) / 1000.0, sum));
    }
    top = std::max(top, frame.total());
  }
  for (std::size_t i = 0; i < columns.size(); ++i) m_areas[i]->data()->set(columns[i], true);

  const qint64 now = frames.empty() ? QDateTime::currentMSecsSinceEpoch() : frames.back().timeMs;
  const qint64 first = frames.empty() ? now - kShortestSpanMs : std::min(frames.front().timeMs, now - kShortestSpanMs);
  xAxis->setRange(static_cast<double>(first) / 1000.0, static_cast<double>(now) / 1000.0);
  yAxis->setRange(0, std::max(1.0, static_cast<double>(top)) * (m_resetAlone ? 1.15 : 1.02));

  m_planLine->setVisible(m_planTop > 0);
  m_planLabel->setVisible(m_planTop > 0);
  const double level = static_cast<double>(m_planTop);
  m_planLine->point1->setCoords(0, level);
  m_planLine->point2->setCoords(1, level);
  // Above its line, and below where the line is at the top.
  const bool isHigh = level > 0.9 * yAxis->range().upper;
  m_planLabel->setPositionAlignment(Qt::AlignRight | (isHigh ? Qt::AlignTop : Qt::AlignBottom));
  m_planLabel->position->setCoords(0.99, level);
  m_planLabel->setText(tr("plan %1").arg(formatBytes(m_planTop)));
  replot(QCustomPlot::rpQueuedReplot);
}

std::optional<TimelineChart::Hit> TimelineChart::hitAt(const QPoint& position) const {
  const auto frames = m_timeLine ? m_timeLine->frames() : std::span<const MemoryFrame>();
  if (frames.empty() || !axisRect()->rect().contains(position)) return std::nullopt;
  const double timeMs = xAxis->pixelToCoord(position.x()) * 1000.0, level = yAxis->pixelToCoord(position.y());
  if (timeMs < static_cast<double>(frames.front().timeMs)) return std::nullopt;
  auto at = std::lower_bound(frames.begin(), frames.end(), timeMs, [](const MemoryFrame& frame, double time) {
    return static_cast<double>(frame.timeMs) < time;
  });
  if (at == frames.end()) --at;
  double sum = 0;
  for (const Segment segment : kSegments) {
    sum += static_cast<double>(shown(*at).of(segment));
    if (level <= sum && shown(*at).of(segment) > 0) return Hit{segment, at->of(segment), at->timeMs};
  }
  return std::nullopt;
}

bool TimelineChart::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const auto hit = hitAt(help->pos())) {
      const QString time = QDateTime::fromMSecsSinceEpoch(hit->timeMs).toString(QStringLiteral("hh:mm:ss"));
      QToolTip::showText(
          help->globalPos(),
          tr("%1: %2 at %3\n%4")
              .arg(segmentName(hit->segment), formatBytes(hit->bytes), time, segmentExplanation(hit->segment)),
          this);
    } else {
      QToolTip::hideText();
    }
    return true;
  }
  return QCustomPlot::event(event);
}

void TimelineChart::mouseReleaseEvent(QMouseEvent* event) {
  QCustomPlot::mouseReleaseEvent(event);
  if (event->button() != Qt::LeftButton) return;
  if (const auto hit = hitAt(event->pos())) emit segmentClicked(hit->segment);
}

QImage TimelineChart::image(double scale) {
  refresh();
  return toPixmap(0, 0, scale).toImage();
}

QByteArray TimelineChart::svg() {
  refresh();
  QBuffer bytes;
  QSvgGenerator generator;
  generator.setOutputDevice(&bytes);
  generator.setSize(size());
  generator.setViewBox(QRect(QPoint(0, 0), size()));
  generator.setTitle(tr("Memory over time"));
  QCPPainter painter;
  painter.begin(&generator);
  painter.setMode(QCPPainter::pmVectorized);
  painter.setMode(QCPPainter::pmNoCaching);
  toPainter(&painter, width(), height());
  painter.end();
  return bytes.data();
}

}  // namespace headroom::ui
