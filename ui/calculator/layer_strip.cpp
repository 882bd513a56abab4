#include "ui/calculator/layer_strip.h"

#include <QHelpEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <array>

#include "plan/placement.h"
#include "plan/plan_options.h"
#include "ui/format/device_name.h"
#include "ui/theme/accessible_role.h"

namespace headroom::ui {
namespace {

constexpr int kTextPadPx = 6;

QString rangeText(int first, int last) {
  // No line ends between them.
  return first == last ? QString::number(first) : QStringLiteral("%1\u2060\u2013\u2060%2").arg(first).arg(last);
}

QString rangeText(const LayerRun& run) { return rangeText(run.first, run.last); }

QString layersText(const LayerRun& run) {
  return run.count() == 1 ? LayerStrip::tr("layer %1").arg(run.first) : LayerStrip::tr("layers %1").arg(rangeText(run));
}

QString partsText(const MemoryPlan& plan, DeviceIndex device) {
  const LayerRun attention = attention_run(plan.placement, device), ffn = ffn_run(plan.placement, device);
  QStringList parts;
  const LayerRun whole{std::max(attention.first, ffn.first), std::min(attention.last, ffn.last)};
  const bool hasBoth = attention.count() > 0 && ffn.count() > 0 && whole.count() > 0;
  if (hasBoth) parts << layersText(whole);
  // What one part has beyond the whole layers stands before or behind them.
  const auto addRest = [&](const LayerRun& run, const QString& words) {
    if (run.count() <= 0) return;
    if (!hasBoth) {
      parts << words.arg(rangeText(run));
      return;
    }
    if (run.first < whole.first) parts << words.arg(rangeText(run.first, whole.first - 1));
    if (run.last > whole.last) parts << words.arg(rangeText(whole.last + 1, run.last));
  };
  addRest(attention, LayerStrip::tr("attention of %1"));
  addRest(ffn, LayerStrip::tr("FFN of %1"));
  if (plan.placement.head_device == device) parts << LayerStrip::tr("head");
  return parts.join(QStringLiteral(", "));
}

}  // namespace

std::vector<LayerStretch> layerStretches(const MemoryPlan& plan) {
  std::vector<LayerStretch> stretches;
  for (std::size_t i = 0; i < plan.placement.layers.size(); ++i) {
    const auto& [attention, ffn] = plan.placement.layers[i];
    const int layer = static_cast<int>(i);
    if (!stretches.empty() && stretches.back().attention == attention && stretches.back().ffn == ffn) {
      stretches.back().last = layer;
    } else {
      stretches.push_back({layer, layer, attention, ffn});
    }
  }
  return stretches;
}

QString placementText(const MemoryPlan& plan) {
  QStringList sentences;
  const std::vector<DeviceIndex> inUse = devices_in_use(plan.placement);
  for (const DeviceIndex device : inUse) {
    const QString parts = partsText(plan, device);
    //: A device and what it has: "RTX 4090: layers 4-31, head"
    if (!parts.isEmpty()) sentences << LayerStrip::tr("%1: %2").arg(deviceLabel(plan.devices[device]), parts);
  }
  return sentences.join(QStringLiteral("; "));
}

LayerStrip::LayerStrip(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setAccessibleRole(this, QAccessible::Chart);
  setObjectName(QStringLiteral("layerStrip"));
  setAccessibleName(tr("Where each layer stands"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize LayerStrip::sizeHint() const { return {200, fontMetrics().height() + 10}; }

void LayerStrip::setPlan(std::shared_ptr<const MemoryPlan> plan) {
  m_plan = std::move(plan);
  m_stretches = m_plan ? layerStretches(*m_plan) : std::vector<LayerStretch>();
  setAccessibleDescription(m_plan ? placementText(*m_plan) : QString());
  update();
}

// The host is 0, the GPUs are 1, 2, ... in the user's order.
int LayerStrip::orderOf(DeviceIndex device) const {
  const std::vector<DeviceIndex> gpus = gpus_of(m_plan->options, m_plan->devices);
  const auto at = std::find(gpus.begin(), gpus.end(), device);
  return at == gpus.end() ? 0 : static_cast<int>(at - gpus.begin()) + 1;
}

// Told apart by light and dark and by their names; colours of segments mean something else.
QBrush LayerStrip::brushOf(DeviceIndex device) const {
  const ThemeTokens& t = m_theme.tokens();
  const int order = orderOf(device);
  if (order == 0) return t.sunken;
  if (order == 1) return t.accent;
  if (order == 2) return t.accentSurface;
  return QBrush(t.accent, order % 2 == 1 ? Qt::BDiagPattern : Qt::FDiagPattern);
}

QColor LayerStrip::inkOn(DeviceIndex device) const {
  const ThemeTokens& t = m_theme.tokens();
  return orderOf(device) == 1 ? t.onAccent : t.text;
}

QRectF LayerStrip::rectOf(const LayerStretch& stretch) const {
  const double perLayer = static_cast<double>(width()) / static_cast<double>(m_plan->placement.layers.size());
  return {stretch.first * perLayer, 0, (stretch.last - stretch.first + 1) * perLayer, static_cast<double>(height())};
}

void LayerStrip::paintEvent(QPaintEvent*) {
  if (m_stretches.empty()) return;
  const ThemeTokens& t = m_theme.tokens();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QPainterPath outline;
  outline.addRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
  painter.setClipPath(outline);
  for (const LayerStretch& stretch : m_stretches) {
    const QRectF whole = rectOf(stretch);
    QRectF upper = whole, lower = whole;
    if (stretch.attention != stretch.ffn) {
      upper.setHeight(whole.height() / 2);
      lower.setTop(upper.bottom());
      painter.fillRect(lower, t.surface);
      painter.fillRect(lower, brushOf(stretch.ffn));
    }
    painter.fillRect(upper, t.surface);
    painter.fillRect(upper, brushOf(stretch.attention));
    if (stretch.attention != stretch.ffn)
      painter.fillRect(QRectF(lower.left(), lower.top(), lower.width(), 1), t.border);
    if (stretch.last + 1 < static_cast<int>(m_plan->placement.layers.size()))
      painter.fillRect(QRectF(whole.right() - 1, 0, 1, whole.height()), t.muted);
    if (stretch.attention != stretch.ffn) continue;
    const QString name = deviceLabel(m_plan->devices[stretch.attention]);
    const int room = static_cast<int>(whole.width()) - 2 * kTextPadPx;
    if (room < fontMetrics().horizontalAdvance(name.left(3) + QStringLiteral("\u2026"))) continue;
    painter.setPen(inkOn(stretch.attention));
    painter.drawText(whole.adjusted(kTextPadPx, 0, -kTextPadPx, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(name, Qt::ElideMiddle, room));
  }
  painter.setClipping(false);
  painter.setPen(QPen(t.border, 1));
  painter.drawPath(outline);
}

bool LayerStrip::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || m_stretches.empty()) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  for (const LayerStretch& stretch : m_stretches) {
    if (!rectOf(stretch).contains(help->pos())) continue;
    const QString layers = rangeText(stretch.first, stretch.last);
    const QString on = deviceLabel(m_plan->devices[stretch.attention]);
    const QString ffn = deviceLabel(m_plan->devices[stretch.ffn]);
    QToolTip::showText(help->globalPos(),
                       stretch.attention == stretch.ffn
                           ? tr("Layers %1 on %2").arg(layers, on)
                           : tr("Layers %1: attention and cache on %2, FFN on %3").arg(layers, on, ffn),
                       this);
  }
  return true;
}

}  // namespace headroom::ui
