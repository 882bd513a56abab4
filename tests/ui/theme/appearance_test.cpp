#include "ui/theme/appearance.h"

#include <gtest/gtest.h>

namespace headroom::ui {
namespace {

TEST(AppearanceTest, text_grows_and_shrinks_by_the_same_steps_and_stops_at_either_end) {
  int percent = 100;
  for (int expected : {110, 125, 150, 175, 200, 200}) EXPECT_EQ(percent = largerText(percent), expected);
  for (int expected : {175, 150, 125, 110, 100, 90, 80, 80}) EXPECT_EQ(percent = smallerText(percent), expected);
}

TEST(AppearanceTest, a_size_between_two_goes_to_its_neighbours) {
  EXPECT_EQ(largerText(120), 125);
  EXPECT_EQ(smallerText(120), 110);
  EXPECT_EQ(largerText(1), 80);
  EXPECT_EQ(smallerText(999), 200);
}

}  // namespace
}  // namespace headroom::ui
