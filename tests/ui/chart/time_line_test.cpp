#include "ui/chart/time_line.h"

#include <gtest/gtest.h>

namespace headroom::ui {
namespace {

MemoryFrame frameAt(qint64 timeMs, Bytes weights, Bytes kvUsed = 0) {
  MemoryFrame frame;
  frame.timeMs = timeMs;
  frame.of(Segment::Weights) = weights;
  frame.of(Segment::KvUsed) = kvUsed;
  frame.of(Segment::KvReserved) = 1000 - kvUsed;
  frame.of(Segment::Free) = 100'000 - weights;
  return frame;
}

TEST(TimeLine, never_holds_more_frames_than_its_capacity) {
  TimeLine line(8);
  for (int i = 0; i < 1000; ++i) {
    line.append(frameAt(i, 1));
    ASSERT_LE(line.frames().size(), 8U);
  }
  EXPECT_EQ(line.readingsPerFrame(), 128U);
  EXPECT_EQ(line.frames().back().timeMs, 999);
}

TEST(TimeLine, a_single_peak_survives_every_decimation) {
  TimeLine line(8);
  for (int i = 0; i < 1000; ++i) line.append(frameAt(i, i == 500 ? 77'777 : 10));
  EXPECT_EQ(line.highestUse(), 77'777U + 1000U);
}

TEST(TimeLine, of_equal_use_the_fuller_cache_is_kept) {
  TimeLine line(2);
  line.append(frameAt(0, 5, 900));
  line.append(frameAt(1, 5, 100));
  line.append(frameAt(2, 5, 200));
  ASSERT_EQ(line.frames().size(), 2U);
  EXPECT_EQ(line.frames()[0].of(Segment::KvUsed), 900U);
  EXPECT_EQ(line.frames()[1].of(Segment::KvUsed), 200U);
}

TEST(TimeLine, every_frame_is_a_moment_that_was_so_its_segments_still_add_up) {
  TimeLine line(4);
  for (int i = 0; i < 100; ++i)
    line.append(frameAt(i, static_cast<Bytes>(i * 37 % 91), static_cast<Bytes>(i * 13 % 1000)));
  for (const MemoryFrame& frame : line.frames()) EXPECT_EQ(frame.total(), 101'000U);
}

TEST(TimeLine, a_clock_that_jumps_back_does_not_reorder_frames) {
  TimeLine line(8);
  line.append(frameAt(1000, 1));
  line.append(frameAt(400, 2));
  ASSERT_EQ(line.frames().size(), 2U);
  EXPECT_EQ(line.frames()[1].timeMs, 1000);
}

TEST(TimeLine, starts_fine_again_after_clear) {
  TimeLine line(2);
  for (int i = 0; i < 64; ++i) line.append(frameAt(i, 1));
  line.clear();
  line.append(frameAt(0, 1));
  EXPECT_EQ(line.readingsPerFrame(), 1U);
  EXPECT_EQ(line.frames().size(), 1U);
}

}  // namespace
}  // namespace headroom::ui
