#include "ui/theme/page_area.h"

#include <QEvent>
#include <QScrollBar>

#include "ui/theme/roles.h"

namespace headroom::ui {

PageArea::PageArea(QWidget* page, QWidget* parent) : QScrollArea(parent) {
  setRole(page, "page");
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::NoFocus);
  setWidget(page);
}

QSize PageArea::minimumSizeHint() const {
  const int page = widget()->minimumSizeHint().width();
  return {page + verticalScrollBar()->sizeHint().width() + 2 * frameWidth(), QScrollArea::minimumSizeHint().height()};
}

// What stands on the page asks for another width: so does the area. Another height is scrolled, and the window around
// it is not laid out anew.
bool PageArea::eventFilter(QObject* object, QEvent* event) {
  if (object == widget() && event->type() == QEvent::LayoutRequest) {
    const int needed = widget()->minimumSizeHint().width();
    if (needed != m_pageWidth) updateGeometry();
    m_pageWidth = needed;
  }
  return QScrollArea::eventFilter(object, event);
}

}  // namespace headroom::ui
