#include "ui/chat/chat_sides.h"

#include <QHBoxLayout>

#include "ui/chat/chat_pixels.h"
#include "ui/theme/text_scale.h"

namespace headroom::ui {
namespace {

constexpr int kListPx = 190;
constexpr int kPanelPx = 280;

int pxOf(ChatSides::Side side) { return scaledToText(side == ChatSides::Side::List ? kListPx : kPanelPx); }

}  // namespace

ChatSides::ChatSides(QWidget& pane, const Widgets& widgets, QWidget& middle)
    : QObject(&pane), m_pane(pane), m_widgets(widgets), m_columns(new QHBoxLayout(&pane)) {
  m_columns->setContentsMargins(kMarginPx, 0, kMarginPx, kBottomPx);
  m_columns->setSpacing(kSpacingPx);
  m_columns->setSizeConstraint(QLayout::SetNoConstraint);  // see ChatWidget::minimumSizeHint()
  m_columns->addWidget(widgets.list);
  m_columns->addWidget(&middle, 1);
  m_columns->addWidget(widgets.panel);
}

QWidget* ChatSides::widgetOf(Side side) const {
  return side == Side::List ? m_widgets.list : side == Side::Panel ? m_widgets.panel : nullptr;
}

bool ChatSides::isShown(Side side) const { return widgetOf(side)->isVisibleTo(&m_pane); }

void ChatSides::setWanted(bool list, bool panel) {
  m_wantsList = list;
  m_wantsPanel = panel;
}

// Taking a side off the messages keeps what was chosen for a wider pane.
void ChatSides::toggle(Side side, bool on) {
  if (m_cover == side) {
    uncover();
    return;
  }
  (side == Side::List ? m_wantsList : m_wantsPanel) = on;
  emit chosen(side, on);
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
    const bool isWanted = side == Side::List ? m_wantsList : m_wantsPanel;
    const bool does = isWanted && room >= pxOf(side) + kSpacingPx;
    if (does) room -= pxOf(side) + kSpacingPx;
    return does;
  };
  bool list = m_first == Side::List && fits(Side::List);
  const bool panel = fits(Side::Panel);
  list = list || (m_first != Side::List && fits(Side::List));
  if ((list && m_cover == Side::List) || (panel && m_cover == Side::Panel)) m_cover = Side::None;
  place(Side::List, list);
  place(Side::Panel, panel);
  placeCover();
  emit arranged();
}

// What covers the messages is no column of the layout.
void ChatSides::place(Side side, bool isColumn) {
  QWidget* widget = widgetOf(side);
  const bool isCover = m_cover == side, wasColumn = m_columns->indexOf(widget) >= 0;
  if (wasColumn && isCover) m_columns->removeWidget(widget);
  if (!wasColumn && !isCover) m_columns->insertWidget(side == Side::List ? 0 : -1, widget);
  widget->setMinimumWidth(isCover ? 0 : pxOf(side));
  widget->setMaximumWidth(isCover ? QWIDGETSIZE_MAX : pxOf(side));
  widget->setVisible(isCover || (isColumn && !isCovered()));
}

void ChatSides::placeCover() {
  QWidget* cover = widgetOf(m_cover);
  if (cover == nullptr) return;
  const int top = m_widgets.header->height() + kSpacingPx;
  cover->setGeometry(kMarginPx, top, m_pane.width() - 2 * kMarginPx, m_pane.height() - top - kBottomPx);
  cover->raise();
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
