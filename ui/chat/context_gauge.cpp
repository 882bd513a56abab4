#include "ui/chat/context_gauge.h"

#include <QPainter>
#include <algorithm>

#include "plan/speed.h"
#include "ui/format/format_bytes.h"

namespace headroom::ui {

namespace {

constexpr int kBarPx = 72;
constexpr int kGapPx = 8;
constexpr double kNearlyFull = 0.85;

}  // namespace

ContextGauge::ContextGauge(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setObjectName(QStringLiteral("contextGauge"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void ContextGauge::setFigures(const ContextFigures& figures) {
  m_figures = figures;
  m_text.clear();
  m_shorter.clear();
  m_speed.clear();
  m_speeds.clear();
  if (figures.length > 0) {
    const auto percent = static_cast<int>(100.0 * figures.used / figures.length + 0.5);
    const QString used = (figures.isEstimate  ? tr("about %1")
                          : figures.isAtLeast ? tr("at least %1")
                                              : QStringLiteral("%1"))
                             .arg(formatCount(figures.used));
    const QString share = formatCount(static_cast<quint64>(percent)), length = formatCount(figures.length);
    const bool isTooLong = figures.used > figures.length;
    m_text = isTooLong ? tr("Too long · %1 tokens for a context of %2").arg(used, length)
                       : tr("Context %1 % full · %2 of %3 tokens").arg(share, used, length);
    const QString figuresOnly = QStringLiteral("%1 / %2").arg((figures.isEstimate  ? QStringLiteral("~")
                                                               : figures.isAtLeast ? QStringLiteral("\u2265 ")
                                                                                   : QString()) +
                                                                  formatCount(figures.used),
                                                              length);
    m_shorter = {m_text, tr("%1 % · %2").arg(share, figuresOnly), figuresOnly};
  }
  if (figures.tokensPerSecond > 0) m_speed = m_speeds = formatSpeed(figures.tokensPerSecond);
  QStringList tips;
  if (figures.isEstimate) tips << tr("Estimated from the length of the text; exact after the next answer");
  if (!m_speed.isEmpty() && figures.predictedTokensPerSecond > 0) {
    const double predicted = figures.predictedTokensPerSecond;
    //: How fast an answer came, and how fast the plan said it would: "38.2 tokens/s (predicted: 41)"
    m_speeds = tr("%1 (predicted: %2)").arg(m_speed, formatPredictedRate(predicted));
    tips << tr("The last answer came at %1; for its place in the context the plan predicted %2")
                .arg(m_speed, formatAboutSpeed(predicted));
  }
  setAccessibleName(m_speeds.isEmpty() ? m_text : m_text + QStringLiteral(", ") + m_speeds);
  setToolTip(tips.join(QLatin1Char('\n')));
  update();
}

QString ContextGauge::textFor(int widthPx) const {
  for (const QString& text : m_shorter) {
    if (fontMetrics().horizontalAdvance(text) <= widthPx) return text;
  }
  return m_shorter.isEmpty() ? QString() : m_shorter.last();
}

QString ContextGauge::speedFor(int widthPx) const {
  const int rest = m_shorter.isEmpty() ? 0 : fontMetrics().horizontalAdvance(m_shorter.last()) + kGapPx;
  return fontMetrics().horizontalAdvance(m_speeds) + rest <= widthPx ? m_speeds : m_speed;
}

QSize ContextGauge::sizeHint() const { return {kBarPx + 200, fontMetrics().height() + 4}; }

void ContextGauge::paintEvent(QPaintEvent*) {
  if (m_text.isEmpty()) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const ThemeTokens& tokens = m_theme.tokens();
  const double share = std::clamp(static_cast<double>(m_figures.used) / m_figures.length, 0.0, 1.0);
  const QRectF bar(0.5, height() / 2.0 - 3, kBarPx, 6);
  painter.setPen(Qt::NoPen);
  painter.setBrush(tokens.segment(Segment::Free));
  painter.drawRoundedRect(bar, 3, 3);
  if (m_figures.used > 0) {
    painter.setBrush(share >= kNearlyFull ? tokens.warning.text : tokens.accent);
    painter.drawRoundedRect(QRectF(bar.left(), bar.top(), std::max(6.0, bar.width() * share), bar.height()), 3, 3);
  }
  painter.setPen(tokens.muted);
  const QString speed = speedFor(width() - kBarPx - kGapPx);
  const int speedWidth = speed.isEmpty() ? 0 : fontMetrics().horizontalAdvance(speed);
  const QRect textRect(kBarPx + kGapPx, 0, width() - kBarPx - kGapPx - speedWidth - kGapPx, height());
  painter.drawText(textRect, Qt::AlignLeft | Qt::AlignVCenter, textFor(static_cast<int>(textRect.width())));
  painter.drawText(rect(), Qt::AlignRight | Qt::AlignVCenter, speed);
}

}  // namespace headroom::ui
