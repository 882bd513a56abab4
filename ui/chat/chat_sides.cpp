#include "ui/chat/chat_sides.h"

#include <QHBoxLayout>
#include <QSplitter>
#include <algorithm>

#include "ui/chat/chat_pixels.h"
#include "ui/theme/text_scale.h"

namespace headroom::ui {
namespace {

// At a text size of 100 %. The fields of the panel stand side by side, and have no room to give.
struct SideWidths {
  int least, first;
};
constexpr SideWidths kListWidths{150, 190}, kPanelWidths{280, 280};

const SideWidths& widthsOf(ChatSides::Side side) { return side == ChatSides::Side::List ? kListWidths : kPanelWidths; }

int leastPx(ChatSides::Side side) { return scaledToText(widthsOf(side).least); }

}  // namespace

ChatSides::ChatSides(QWidget& pane, const Widgets& widgets)
    : QObject(&pane), m_pane(pane), m_widgets(widgets), m_columns(new QSplitter(&pane)) {
  auto* layout = new QHBoxLayout(&pane);
  layout->setContentsMargins(kMarginPx, 0, kMarginPx, kBottomPx);
  layout->setSizeConstraint(QLayout::SetNoConstraint);  // see ChatWidget::minimumSizeHint()
  layout->addWidget(m_columns);
  m_columns->setObjectName(QStringLiteral("chatColumns"));
  m_columns->setHandleWidth(kSpacingPx);
  m_columns->setChildrenCollapsible(false);
  for (QWidget* column : {widgets.list, widgets.middle, widgets.panel}) m_columns->addWidget(column);
  orderColumns();
  connect(m_columns, &QSplitter::splitterMoved, this, &ChatSides::takeWidths);
}

QWidget* ChatSides::widgetOf(Side side) const {
  return side == Side::List ? m_widgets.list : side == Side::Panel ? m_widgets.panel : nullptr;
}

int ChatSides::wantedWidth(Side side) const {
  const int dragged = side == Side::List ? m_wanted.listWidth : m_wanted.panelWidth;
  return std::max(leastPx(side), scaledToText(dragged > 0 ? dragged : widthsOf(side).first));
}

bool ChatSides::isShown(Side side) const { return widgetOf(side)->isVisibleTo(&m_pane); }

void ChatSides::setWanted(const Wanted& wanted) { m_wanted = wanted; }

// Taking a side off the messages keeps what was chosen for a wider pane.
void ChatSides::toggle(Side side, bool on) {
  if (m_cover == side) {
    uncover();
    return;
  }
  (side == Side::List ? m_wanted.list : m_wanted.panel) = on;
  emit chosen();
  m_cover = Side::None;
  if (on) m_first = side;
  arrange();
  if (!on || isShown(side)) return;
  m_cover = side;
  arrange();
  widgetOf(side)->setFocus();
}

// The messages keep their room, and one side may keep it from the other.
void ChatSides::arrange() {
  int room = m_pane.width() - 2 * kMarginPx - scaledToText(kMiddlePx);
  const auto fits = [&](Side side) {
    const bool isWanted = side == Side::List ? m_wanted.list : m_wanted.panel;
    const bool does = isWanted && room >= leastPx(side) + kSpacingPx;
    if (does) room -= leastPx(side) + kSpacingPx;
    return does;
  };
  bool list = m_first == Side::List && fits(Side::List);
  const bool panel = fits(Side::Panel);
  list = list || (m_first != Side::List && fits(Side::List));
  if ((list && m_cover == Side::List) || (panel && m_cover == Side::Panel)) m_cover = Side::None;
  place(Side::List, list);
  place(Side::Panel, panel);
  // Where it is alone, it may be narrower than that: text of 200 % in a small window.
  const bool hasColumn = (list || panel) && !isCovered();
  m_widgets.middle->setMinimumWidth(hasColumn ? scaledToText(kMiddlePx) : 0);
  if (hasColumn) setWidths(list, panel);
  placeCover();
  emit arranged();
}

// What covers the messages is no column.
void ChatSides::place(Side side, bool isColumn) {
  QWidget* widget = widgetOf(side);
  const bool isCover = m_cover == side, wasColumn = m_columns->indexOf(widget) >= 0;
  if (wasColumn && isCover) widget->setParent(&m_pane);
  if (!wasColumn && !isCover) {
    m_columns->insertWidget(side == Side::List ? 0 : m_columns->count(), widget);
    orderColumns();
  }
  widget->setMinimumWidth(isCover ? 0 : leastPx(side));
  widget->setVisible(isCover || (isColumn && !isCovered()));
}

// A splitter puts each column that it is given before those that it has; screen readers read children in their order.
void ChatSides::orderColumns() {
  for (int i = 0; i < m_columns->count(); ++i) m_columns->widget(i)->raise();
}

void ChatSides::placeCover() {
  QWidget* cover = widgetOf(m_cover);
  if (cover == nullptr) return;
  const int top = m_widgets.header->height() + kSpacingPx;
  cover->setGeometry(kMarginPx, top, m_pane.width() - 2 * kMarginPx, m_pane.height() - top - kBottomPx);
  cover->raise();
}

// Each has the width that the user gave it, or less where the pane has less room. A handle belongs to the column on its
// right, and is made anew with it.
void ChatSides::setWidths(bool list, bool panel) {
  const int middle = m_columns->indexOf(m_widgets.middle);
  if (list) m_columns->handle(middle)->setAccessibleName(tr("Width of the conversations"));
  if (panel) m_columns->handle(middle + 1)->setAccessibleName(tr("Width of the options"));
  const int room = m_pane.width() - 2 * kMarginPx - scaledToText(kMiddlePx) - (list + panel) * kSpacingPx;
  m_panelSet =
      panel ? std::clamp(wantedWidth(Side::Panel), leastPx(Side::Panel), room - (list ? leastPx(Side::List) : 0)) : 0;
  m_listSet = list ? std::clamp(wantedWidth(Side::List), leastPx(Side::List), room - m_panelSet) : 0;
  QList<int> widths{room - m_listSet - m_panelSet + scaledToText(kMiddlePx)};
  if (middle > 0) widths.prepend(m_listSet);
  if (m_columns->count() > middle + 1) widths.append(m_panelSet);
  m_columns->setSizes(widths);
}

// Only of the side that was dragged: the other may be narrower than wanted, for want of room.
void ChatSides::takeWidths() {
  const auto take = [](const QWidget* side, int& set, int& wanted) {
    if (!side->isVisible() || side->width() == set) return;
    set = side->width();
    wanted = set * 100 / textPercent();
  };
  take(m_widgets.list, m_listSet, m_wanted.listWidth);
  take(m_widgets.panel, m_panelSet, m_wanted.panelWidth);
  emit dragged();
}

void ChatSides::takeOver(const Kept& kept) {
  m_cover = kept.cover;
  m_first = kept.first;
  arrange();
}

bool ChatSides::uncover() {
  if (!isCovered()) return false;
  m_cover = Side::None;
  arrange();
  emit uncovered();
  return true;
}

}  // namespace headroom::ui
