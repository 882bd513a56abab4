#include "ui/theme/elided_label.h"

#include <QPainter>

namespace headroom::ui {

ElidedLabel::ElidedLabel(Qt::Alignment alignment, QWidget* parent) : QFrame(parent), m_alignment(alignment | Qt::AlignVCenter) {
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void ElidedLabel::setText(const QString& text) {
  m_text = text;
  setAccessibleName(text);
  setToolTip(text);
  update();
}

QSize ElidedLabel::sizeHint() const { return {100, fontMetrics().height()}; }

void ElidedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  QFont heavy = font();
  heavy.setWeight(QFont::DemiBold);
  painter.setFont(heavy);
  painter.setPen(palette().color(QPalette::WindowText));
  painter.drawText(rect(), static_cast<int>(m_alignment), QFontMetrics(heavy).elidedText(m_text, Qt::ElideRight, width() - 8));
}

}  // namespace headroom::ui
