#include "run/stop_strings.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(StopStrings, text_before_the_stop_string_is_released_and_the_rest_dropped) {
  StopStrings stop({"END"});
  const StopStrings::Released released = stop.push("one END two");
  EXPECT_TRUE(released.stopped);
  EXPECT_EQ(released.text, "one ");
  EXPECT_EQ(stop.finish(), "");
}

TEST(StopStrings, a_stop_string_in_pieces_is_held_back_until_it_is_known) {
  StopStrings stop({"<end>"});
  EXPECT_EQ(stop.push("a<e").text, "a");
  EXPECT_EQ(stop.push("n").text, "");
  EXPECT_EQ(stop.push("x").text, "<enx");
  EXPECT_EQ(stop.push("b<en").text, "b");
  const StopStrings::Released released = stop.push("d>c");
  EXPECT_TRUE(released.stopped);
  EXPECT_EQ(released.text, "");
}

TEST(StopStrings, what_waits_is_given_at_the_end) {
  StopStrings stop({"###"});
  EXPECT_EQ(stop.push("title #").text, "title ");
  EXPECT_EQ(stop.finish(), "#");
}

TEST(StopStrings, the_earliest_of_several_wins) {
  StopStrings stop({"late", "arly"});
  EXPECT_EQ(stop.push("early late").text, "e");
}

TEST(StopStrings, the_longest_beginning_of_any_is_held) {
  StopStrings stop({"ab", "bcd"});
  EXPECT_EQ(stop.push("xbc").text, "x");
  EXPECT_EQ(stop.push("e").text, "bce");
}

TEST(StopStrings, without_stop_strings_everything_passes) {
  StopStrings stop({""});
  EXPECT_EQ(stop.push("text").text, "text");
  EXPECT_FALSE(stop.push("").stopped);
}

}  // namespace
}  // namespace headroom
