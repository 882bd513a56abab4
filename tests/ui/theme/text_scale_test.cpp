#include "ui/theme/text_scale.h"

#include <gtest/gtest.h>

#include <QScreen>
#include <QWidget>

namespace headroom::ui {
namespace {

TEST(TextScale, pixels_grow_with_the_text_and_are_rounded) {
  EXPECT_EQ(scaledToText(13), 13);
  setTextPercent(150);
  EXPECT_EQ(textPercent(), 150);
  EXPECT_EQ(scaledToText(13), 20);
  setTextPercent(80);
  EXPECT_EQ(scaledToText(190), 152);
  setTextPercent(100);
}

TEST(TextScale, windows_grow_with_the_text_up_to_their_screen) {
  QWidget window;
  resizeToText(window, {300, 200});
  EXPECT_EQ(window.size(), QSize(300, 200));
  setTextPercent(200);
  resizeToText(window, {300, 200});
  EXPECT_EQ(window.size(), QSize(600, 400));
  const QSize screen = window.screen()->availableSize();
  resizeToText(window, {300, screen.height()});
  EXPECT_LT(window.height(), screen.height());
  EXPECT_GT(window.height(), screen.height() / 2);
  setTextPercent(100);
}

}  // namespace
}  // namespace headroom::ui
