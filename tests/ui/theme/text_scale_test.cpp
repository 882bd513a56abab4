#include "ui/theme/text_scale.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace headroom::ui
