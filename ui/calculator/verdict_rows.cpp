#include "ui/calculator/verdict_rows.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPainterPath>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/format/format_bytes.h"
#include "ui/theme/elided_label.h"
#include "ui/theme/roles.h"

namespace headroom::ui {

VerdictBar::VerdictBar(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void VerdictBar::setDevice(const DeviceVerdict& device) {
  if (device == m_device) return;
  m_device = device;
  update();
}

void VerdictBar::paintEvent(QPaintEvent*) {
  const ThemeTokens& t = m_theme.tokens();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Bytes scale = std::max({m_device.whole, m_device.used + m_device.kept, Bytes{1}});
  const auto xOf = [&](Bytes bytes) {
    return static_cast<double>(width()) * static_cast<double>(bytes) / static_cast<double>(scale);
  };
  QPainterPath outline;
  outline.addRoundedRect(QRectF(rect()), height() / 2.0, height() / 2.0);
  painter.setClipPath(outline);
  painter.fillRect(rect(), t.surface);
  const ToneColors& tone = t.tone(m_device.missing > 0 ? Tone::Bad : Tone::Good);
  const double used = xOf(m_device.used), kept = xOf(m_device.kept);
  painter.fillRect(QRectF(0, 0, std::max(used, m_device.used > 0 ? 2.0 : 0.0), height()), tone.text);
  // The headroom stands at the far end, as in the chart.
  painter.fillRect(QRectF(width() - kept, 0, kept, height()), t.segmentBrush(Segment::Headroom));
  if (m_device.whole < scale) {
    painter.setPen(QPen(t.text, 2));
    painter.drawLine(QPointF(xOf(m_device.whole), 0), QPointF(xOf(m_device.whole), height()));
  }
}

QString figuresText(const DeviceVerdict& device) { return formatPart(device.used, device.whole); }

QString leftText(const DeviceVerdict& device) {
  const QString kept = formatBytes(device.kept);
  if (device.missing > 0) {
    const QString missing = QObject::tr("%1 too much").arg(formatBytes(device.missing));
    return device.kept == 0 ? missing : QObject::tr("%1, with %2 to keep free").arg(missing, kept);
  }
  const QString spare = QObject::tr("%1 to spare").arg(formatBytes(device.spare()));
  return device.kept == 0 ? spare : QObject::tr("%1 kept free, %2").arg(kept, spare);
}

VerdictRows::VerdictRows(const Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_column(new QVBoxLayout(this)) {
  m_column->setContentsMargins(0, 0, 0, 0);
  m_column->setSpacing(kGrid);
}

VerdictRows::Row VerdictRows::makeRow() {
  Row row{new QWidget(this), nullptr, nullptr, nullptr, nullptr};
  row.name = new ElidedLabel("heading", Qt::AlignLeft | Qt::AlignVCenter, row.box);
  row.figures = new QLabel(row.box);
  row.left = new QLabel(row.box);
  row.left->setObjectName(QStringLiteral("deviceLeft"));
  row.figures->setObjectName(QStringLiteral("deviceFigures"));
  setRole(row.left, "muted");
  for (QLabel* label : {row.figures, row.left}) label->setTextFormat(Qt::PlainText);
  row.bar = new VerdictBar(m_theme, row.box);
  auto* top = new QHBoxLayout;
  top->setSpacing(kGrid);
  top->addWidget(row.name, 1);
  top->addWidget(row.figures);
  auto* column = new QVBoxLayout(row.box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(3);
  column->addLayout(top);
  column->addWidget(row.bar);
  column->addWidget(row.left);
  m_column->addWidget(row.box);
  return row;
}

void VerdictRows::setDevices(const std::vector<DeviceVerdict>& devices) {
  while (m_rows.size() < devices.size()) m_rows.push_back(makeRow());
  for (std::size_t i = 0; i < m_rows.size(); ++i) {
    const Row& row = m_rows[i];
    row.box->setVisible(i < devices.size());
    if (i >= devices.size()) continue;
    const DeviceVerdict& device = devices[i];
    if (row.name->text() != device.name) row.name->setText(device.name);
    const QString figures = figuresText(device), left = leftText(device);
    if (row.figures->text() != figures) row.figures->setText(figures);
    if (row.left->text() != left) row.left->setText(left);
    row.bar->setDevice(device);
    row.box->setAccessibleName(QStringLiteral("%1: %2, %3").arg(device.name, figures, left));
  }
}

}  // namespace headroom::ui
