#include "ui/main_window/tab_order.h"

#include <QApplication>
#include <QScrollArea>
#include <QWidget>
#include <algorithm>

namespace headroom::ui {

namespace {

// One of them is beside the other, not below it: they share more than half of the lower one's height.
bool areBeside(const QRect& a, const QRect& b) {
  const int shared = std::min(a.bottom(), b.bottom()) - std::max(a.top(), b.top()) + 1;
  return 2 * shared > std::min(a.height(), b.height());
}

std::vector<QWidget*> childrenInOrder(const QWidget& parent) {
  std::vector<QWidget*> children;
  for (QObject* child : parent.children()) {
    auto* widget = qobject_cast<QWidget*>(child);
    if (widget != nullptr && !widget->isWindow() && widget->isVisibleTo(&parent)) children.push_back(widget);
  }
  // From top to bottom; then each line of boxes beside its first one from left to right.
  const auto top = [](const QWidget* a, const QWidget* b) { return a->y() < b->y(); };
  const auto left = [](const QWidget* a, const QWidget* b) { return a->x() < b->x(); };
  std::stable_sort(children.begin(), children.end(), top);
  for (auto line = children.begin(); line != children.end();) {
    const QRect first = (*line)->geometry();  // which may be empty, and then is beside nothing
    const auto end = std::stable_partition(line + 1, children.end(),
                                           [&](const QWidget* w) { return areBeside(first, w->geometry()); });
    std::stable_sort(line, end, left);
    line = end;
  }
  return children;
}

bool isStop(const QWidget& widget) {
  return (widget.focusPolicy() & Qt::TabFocus) != 0 && widget.focusProxy() == nullptr && widget.isEnabled();
}

// `current` is listed also where Tab does not lead to it: from a text that was clicked one goes on where it stands.
void append(std::vector<QWidget*>& order, const QWidget& parent, const QWidget* current) {
  for (QWidget* child : childrenInOrder(parent)) {
    if (child == current || isStop(*child)) order.push_back(child);
    append(order, *child, current);
  }
}

// All scrolled pages that it stands on.
void scrollTo(QWidget& widget) {
  for (QWidget* above = widget.parentWidget(); above != nullptr; above = above->parentWidget()) {
    if (auto* area = qobject_cast<QScrollArea*>(above)) area->ensureWidgetVisible(&widget);
  }
}

}  // namespace

std::vector<QWidget*> tabOrder(QWidget& window) {
  std::vector<QWidget*> order;
  append(order, window, nullptr);
  return order;
}

bool focusNextInOrder(QWidget& window, bool forward) {
  const QWidget* current = QApplication::focusWidget();
  std::vector<QWidget*> order;
  append(order, window, current);
  if (order.empty()) return false;
  const auto size = order.size();
  const auto at = static_cast<std::size_t>(std::find(order.begin(), order.end(), current) - order.begin());
  std::size_t next = forward ? 0 : size - 1;
  if (at < size) next = (at + (forward ? 1 : size - 1)) % size;
  order[next]->setFocus(forward ? Qt::TabFocusReason : Qt::BacktabFocusReason);
  scrollTo(*order[next]);
  return true;
}

}  // namespace headroom::ui
