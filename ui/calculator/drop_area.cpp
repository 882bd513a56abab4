#include "ui/calculator/drop_area.h"

#include <QBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>

#include "ui/keys/view_keys.h"
#include "ui/theme/roles.h"

namespace headroom::ui {

DropArea::DropArea(const Theme& theme, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_icon(new QLabel(this)), m_text(new QLabel(this)), m_hint(new QLabel(this)) {
  setObjectName(QStringLiteral("dropArea"));
  setRole(this, "drop");
  setFocusPolicy(Qt::StrongFocus);
  setCursor(Qt::PointingHandCursor);
  setAccessibleName(tr("Drop a model here"));
  setAccessibleDescription(tr("Drop a .gguf file, or press Space to choose one"));
  m_text->setText(tr("Drop a model here: a .gguf file"));
  m_text->setWordWrap(true);
  m_hint->setText(tr("or click to choose a file; nothing is loaded until you have seen the plan"));
  m_hint->setWordWrap(true);
  setRole(m_hint, "muted");
  new QBoxLayout(QBoxLayout::LeftToRight, this);
  setProminent(true);
  connect(&theme, &Theme::changed, this, &DropArea::paintIcon);
}

void DropArea::setProminent(bool prominent) {
  m_prominent = prominent;
  auto* box = static_cast<QBoxLayout*>(layout());
  while (QLayoutItem* item = box->takeAt(0)) delete item;
  box->setDirection(prominent ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  box->setContentsMargins(12, prominent ? 28 : 7, 12, prominent ? 28 : 7);
  box->setSpacing(kGrid);
  const Qt::Alignment align = prominent ? Qt::AlignHCenter : Qt::AlignLeft;
  m_text->setAlignment(align | Qt::AlignVCenter);
  m_hint->setAlignment(align | Qt::AlignVCenter);
  box->addWidget(m_icon, 0, prominent ? Qt::AlignHCenter : Qt::AlignVCenter);
  box->addWidget(m_text, 1);
  box->addWidget(m_hint);
  m_hint->setVisible(prominent);
  setRole(m_text, prominent ? "heading" : "muted");
  paintIcon();
}

void DropArea::paintIcon() {
  const int extent = m_prominent ? 40 : 20;
  m_icon->setPixmap(
      m_theme.icon(QStringLiteral("drop"), m_theme.tokens().muted).pixmap(QSize(extent, extent), devicePixelRatioF()));
}

void DropArea::setActive(bool active) { setState(this, "active", active); }

void DropArea::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && rect().contains(event->pos())) emit clicked();
}

void DropArea::keyPressEvent(QKeyEvent* event) {
  if (isViewKey(*event, ViewKey::PressArea)) {
    emit clicked();
    return;
  }
  QFrame::keyPressEvent(event);
}

void DropArea::focusInEvent(QFocusEvent* event) {
  setState(this, "focused", true);
  QFrame::focusInEvent(event);
}

void DropArea::focusOutEvent(QFocusEvent* event) {
  setState(this, "focused", false);
  QFrame::focusOutEvent(event);
}

}  // namespace headroom::ui
