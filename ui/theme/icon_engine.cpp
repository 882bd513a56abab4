#include "ui/theme/icon_engine.h"

#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

namespace headroom::ui {

SvgIconEngine::SvgIconEngine(QByteArray svg, const QColor& color) : m_svg(std::move(svg)), m_color(color) {
  m_svg.replace("currentColor", color.name().toLatin1());
}

void SvgIconEngine::paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) {
  QSvgRenderer renderer(m_svg);
  painter->save();
  if (mode == QIcon::Disabled) painter->setOpacity(0.4);
  renderer.render(painter, rect);
  painter->restore();
}

// Of no size for a button that is painted before it has been laid out; nothing can be painted on such a picture.
QPixmap SvgIconEngine::pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) {
  if (size.isEmpty()) return {};
  QPixmap pixmap(size);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  paint(&painter, pixmap.rect(), mode, state);
  return pixmap;
}

}  // namespace headroom::ui
