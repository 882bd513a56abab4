#include "ui/theme/icon_engine.h"

#include <gtest/gtest.h>

#include <QIcon>
#include <QPixmap>

namespace headroom::ui {
namespace {

const char* const kSquare =
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 4 4'><rect width='4' height='4' fill='currentColor'/></svg>";

TEST(SvgIconEngineTest, an_icon_has_the_asked_colour_at_every_size) {
  const QIcon icon(new SvgIconEngine(kSquare, QColor("#a1b2c3")));
  for (const int extent : {1, 16, 256}) {
    const QImage image = icon.pixmap(extent, extent).toImage();
    EXPECT_EQ(image.size(), QSize(extent, extent));
    EXPECT_EQ(image.pixelColor(extent / 2, extent / 2), QColor("#a1b2c3")) << extent;
  }
}

TEST(SvgIconEngineTest, a_disabled_one_is_paler) {
  const QIcon icon(new SvgIconEngine(kSquare, Qt::black));
  const auto alpha = [&](QIcon::Mode mode) {
    return icon.pixmap(QSize(8, 8), mode).toImage().pixelColor(4, 4).alpha();
  };
  EXPECT_EQ(alpha(QIcon::Normal), 255);
  EXPECT_LT(alpha(QIcon::Disabled), 128);
}

TEST(SvgIconEngineTest, a_copy_paints_the_same) {
  const QIcon icon(new SvgIconEngine(kSquare, Qt::red));
  QIcon copy = icon;
  copy.addPixmap({});  // takes its own engine
  EXPECT_EQ(copy.pixmap(4, 4).toImage().pixelColor(2, 2), QColor(Qt::red));
}

// A button that has not been laid out asks for one; painting it would be a warning, which fails the test.
TEST(SvgIconEngineTest, an_icon_of_no_size_is_no_picture) {
  const QIcon icon(new SvgIconEngine(kSquare, Qt::red));
  for (const QSize size : {QSize(0, 16), QSize(16, 0), QSize(-4, 16), QSize()}) EXPECT_TRUE(icon.pixmap(size).isNull());
  SvgIconEngine engine(kSquare, Qt::red);
  EXPECT_TRUE(engine.pixmap(QSize(-4, -4), QIcon::Normal, QIcon::Off).isNull());
}

TEST(SvgIconEngineTest, what_is_no_svg_is_transparent) {
  const QIcon icon(new SvgIconEngine("hello", Qt::red));
  EXPECT_EQ(icon.pixmap(4, 4).toImage().pixelColor(2, 2).alpha(), 0);
}

}  // namespace
}  // namespace headroom::ui
