#include "ui/chart/device_bars.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/chart/segment_bar.h"
#include "ui/format/account_text.h"
#include "ui/format/format_bytes.h"
#include "ui/theme/elided_label.h"
#include "ui/theme/layout_guard.h"
#include "ui/theme/roles.h"

namespace headroom::ui {

DeviceBars::DeviceBars(const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_name(new ElidedLabel("heading", Qt::AlignLeft, this)),
      m_nowText(new QLabel(this)),
      m_nowBar(new SegmentBar(theme, this)),
      m_spillText(new QLabel(this)),
      m_planText(new QLabel(this)),
      m_planBar(new SegmentBar(theme, this)) {
  m_nowBar->setObjectName(QStringLiteral("nowBar"));
  m_planBar->setObjectName(QStringLiteral("planBar"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(kGrid / 2);
  for (QLabel* label : {m_nowText, m_spillText, m_planText}) {
    setRole(label, "muted");
    label->setWordWrap(true);
  }
  m_spillText->setObjectName(QStringLiteral("spillText"));
  setTone(m_spillText, Tone::Bad);
  m_spillText->hide();
  for (QWidget* widget : std::initializer_list<QWidget*>{m_name, new LayoutGuard(m_nowText, this), m_nowBar,
                                                         m_spillText, new LayoutGuard(m_planText, this), m_planBar})
    column->addWidget(widget);
  for (SegmentBar* bar : {m_nowBar, m_planBar})
    connect(bar, &SegmentBar::segmentClicked, this, &DeviceBars::segmentClicked);
}

void DeviceBars::setFigures(const Figures& figures) {
  const auto& [device, now, planned, total, planTop, account, isAlone] = figures;
  const auto barOf = [alone = isAlone](const MemoryFrame& frame) { return alone ? oursAlone(frame) : frame; };
  const Bytes scale =
      std::max({isAlone ? planTop : total, now ? barOf(*now).total() : 0, planned ? barOf(*planned).total() : 0});
  m_name->setVisible(!device.isEmpty());
  m_name->setText(device);
  m_nowBar->setAccessibleName(device.isEmpty() ? tr("Memory now") : tr("Memory of %1 now").arg(device));
  m_planBar->setAccessibleName(device.isEmpty() ? tr("Memory as planned") : tr("Memory of %1 as planned").arg(device));
  m_nowBar->setVisible(now.has_value());
  m_nowText->setVisible(now.has_value());
  if (now) {
    m_nowBar->setFrame(barOf(*now), scale, planTop);
    m_nowText->setText(tr("Now: %1 in use").arg(formatPart(now->used(), now->total())) + inUseRemark(account) +
                       (now->isContradictory ? tr(" (the system\u2019s figures disagree)") : QString()));
    m_nowText->setToolTip(doubtText(account));
  }
  const bool isSpilled = now && now->spilled > 0;
  m_spillText->setVisible(isSpilled);
  m_spillText->setText(isSpilled ? spillText(now->spilled) : QString());
  m_planBar->setVisible(planned.has_value());
  m_planText->setVisible(planned.has_value());
  if (!planned) return;
  const bool isEnough = planned->used() <= total;
  m_planBar->setFrame(barOf(*planned), scale, planTop);
  m_planText->setText((isEnough ? tr("With this plan: %1 in use").arg(formatPart(planned->used(), total))
                                : tr("With this plan: %1 needed").arg(formatPart(planned->used(), total))) +
                      inUseRemark(account));
  setTone(m_planText, isEnough ? Tone::Neutral : Tone::Bad);
}

}  // namespace headroom::ui
