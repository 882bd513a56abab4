#include "ui/theme/elided_label.h"

#include <QPainter>

#include "ui/theme/roles.h"

namespace headroom::ui {

ElidedLabel::ElidedLabel(const char* role, Qt::Alignment alignment, QWidget* parent)
    : QFrame(parent), m_alignment(alignment | Qt::AlignVCenter) {
  setRole(this, role);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void ElidedLabel::setText(const QString& text) {
  if (text == m_text) return;
  m_text = text;
  setAccessibleName(text);
  setToolTip(text);
  update();
}

QString ElidedLabel::shownText() const { return fontMetrics().elidedText(m_text, Qt::ElideRight, width()); }

QSize ElidedLabel::sizeHint() const { return {100, fontMetrics().height()}; }

void ElidedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setPen(palette().color(QPalette::WindowText));
  painter.drawText(rect(), static_cast<int>(m_alignment), shownText());
}

}  // namespace headroom::ui
