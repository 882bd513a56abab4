#include "ui/theme/layout_guard.h"

#include <QEvent>

namespace headroom::ui {
namespace {

// Digits come and go; a text that is shorter by more than these is another text.
constexpr int kSlackChars = 3;

}  // namespace

LayoutGuard::LayoutGuard(QWidget* held, QWidget* parent) : QWidget(parent), m_held(held) {
  held->setParent(this);
  held->installEventFilter(this);
  setSizePolicy(held->sizePolicy());
  if (held->isHidden()) hide();
}

QSize LayoutGuard::sizeHint() const { return m_held->sizeHint(); }
QSize LayoutGuard::minimumSizeHint() const { return m_held->minimumSizeHint(); }
bool LayoutGuard::hasHeightForWidth() const { return m_held->hasHeightForWidth(); }
int LayoutGuard::heightForWidth(int width) const { return m_held->heightForWidth(width); }

// Of a text that wraps, the height that it takes in its width: what its longest word needs is asked for with that, for
// a label finds it out by laying its text out several times.
QSize LayoutGuard::needed() const {
  if (!hasHeightForWidth()) return sizeHint();
  return {width(), heightForWidth(width())};
}

void LayoutGuard::askWhereNeeded() {
  const QSize now = needed();
  const bool isHigh = now.height() > height() || now.height() != m_asked.height();
  const bool isWide = now.width() > m_asked.width();
  const bool isNarrow = now.width() < m_asked.width() - kSlackChars * fontMetrics().averageCharWidth();
  if (!isHigh && !isWide && !isNarrow) return;
  m_asked = now;
  updateGeometry();
}

bool LayoutGuard::event(QEvent* event) {
  // Nobody is told of a text that changed while it was hidden.
  if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::Show) askWhereNeeded();
  return QWidget::event(event);
}

bool LayoutGuard::eventFilter(QObject* object, QEvent* event) {
  if (event->type() == QEvent::ShowToParent) show();
  if (event->type() == QEvent::HideToParent) hide();
  return QWidget::eventFilter(object, event);
}

void LayoutGuard::resizeEvent(QResizeEvent*) {
  m_held->setGeometry(rect());
  m_asked = needed();
  // A layout may remember what an earlier text needed in this width.
  if (m_asked.height() > height()) updateGeometry();
}

}  // namespace headroom::ui
