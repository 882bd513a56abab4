// Draws one of our SVG icons in one colour at any size.
#pragma once

#include <QByteArray>
#include <QColor>
#include <QIconEngine>

namespace headroom::ui {

class SvgIconEngine : public QIconEngine {
 public:
  SvgIconEngine(QByteArray svg, const QColor& color);  // `svg` paints with currentColor

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override;
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override;
  QIconEngine* clone() const override { return new SvgIconEngine(*this); }

 private:
  QByteArray m_svg;
  QColor m_color;
};

}  // namespace headroom::ui
