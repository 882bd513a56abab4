#include "ui/chart/memory_frame.h"

#include <gtest/gtest.h>

namespace headroom::ui {
namespace {

PlannedShare share() {
  PlannedShare share;
  share.weights = 4 * kGiB;
  share.kv = kGiB;
  share.activations = 256 * kMiB;
  share.program = 32 * kMiB;
  share.kvTokens = 4096;
  share.headroom = KeepFree{kGiB};
  return share;
}

MemoryReading reading(Bytes total, Bytes free, Bytes ours, quint32 tokens = 0) {
  MemoryReading reading;
  reading.total = total;
  reading.free = free;
  reading.ours = ours;
  reading.kvTokensUsed = tokens;
  return reading;
}

TEST(MemoryFrame, segments_add_up_to_the_device) {
  const MemoryFrame frame = measuredFrame(reading(16 * kGiB, 8 * kGiB, 6 * kGiB, 1024), share());
  EXPECT_EQ(frame.total(), 16 * kGiB);
  EXPECT_EQ(frame.of(Segment::Weights), 4 * kGiB);
  EXPECT_EQ(frame.of(Segment::KvUsed), 256 * kMiB);
  EXPECT_EQ(frame.of(Segment::KvReserved), 768 * kMiB);
  EXPECT_EQ(frame.of(Segment::Program), 32 * kMiB);
  EXPECT_EQ(frame.of(Segment::Driver), 6 * kGiB - share().ours());
  EXPECT_EQ(frame.of(Segment::Others), 2 * kGiB);
  EXPECT_EQ(frame.of(Segment::Headroom), kGiB);
  EXPECT_EQ(frame.of(Segment::Free), 7 * kGiB);
  EXPECT_FALSE(frame.isContradictory);
}

TEST(MemoryFrame, on_the_host_what_is_ours_beside_the_plan_is_this_program_and_no_driver) {
  PlannedShare host = share();
  host.isHost = true;
  const MemoryFrame frame = measuredFrame(reading(16 * kGiB, 8 * kGiB, 6 * kGiB), host);
  EXPECT_EQ(frame.of(Segment::Program), 6 * kGiB - share().ours() + share().program);
  EXPECT_EQ(frame.of(Segment::Driver), 0U);
  EXPECT_EQ(frame.of(Segment::Others), 2 * kGiB);
  EXPECT_EQ(frame.total(), 16 * kGiB);
}

TEST(MemoryFrame, ours_alone_is_all_but_what_others_hold_and_what_is_free) {
  MemoryFrame frame;
  for (const Segment segment : kSegments) frame.of(segment) = kMiB;
  EXPECT_EQ(oursAlone(frame).total(), (kSegments.size() - 3) * kMiB);
  EXPECT_EQ(oursAlone(frame).of(Segment::Others), 0U);
  EXPECT_EQ(oursAlone(frame).of(Segment::Driver), kMiB) << "our own use of the driver";
}

TEST(MemoryFrame, a_contradictory_reading_is_clamped_and_said) {
  const MemoryFrame freeAboveTotal = measuredFrame(reading(8 * kGiB, 9 * kGiB, 0), {});
  EXPECT_TRUE(freeAboveTotal.isContradictory);
  EXPECT_EQ(freeAboveTotal.total(), 8 * kGiB);
  const MemoryFrame oursAboveUsed = measuredFrame(reading(8 * kGiB, 7 * kGiB, 6 * kGiB), share());
  EXPECT_TRUE(oursAboveUsed.isContradictory);
  EXPECT_EQ(oursAboveUsed.total(), 8 * kGiB);
  EXPECT_EQ(oursAboveUsed.of(Segment::Weights), kGiB) << "no more than what is in use";
}

TEST(MemoryFrame, what_was_pushed_out_of_the_device_takes_nothing_from_other_programs) {
  MemoryReading told = reading(8 * kGiB, 0, share().ours() - 2 * kGiB + 100 * kMiB);
  told.account.spilled = 2 * kGiB;
  const MemoryFrame frame = measuredFrame(told, share());
  EXPECT_EQ(frame.spilled, 2 * kGiB);
  EXPECT_FALSE(frame.isContradictory) << "less of ours is there than was planned, and that is why";
  EXPECT_EQ(frame.of(Segment::Weights), 2 * kGiB);
  EXPECT_EQ(frame.of(Segment::KvReserved), kGiB);
  EXPECT_EQ(frame.of(Segment::Driver), 100 * kMiB);
  EXPECT_EQ(frame.of(Segment::Others), 8 * kGiB - (share().ours() - 2 * kGiB) - 100 * kMiB);
  EXPECT_EQ(frame.total(), 8 * kGiB);
  told.account.spilled = 50 * kGiB;
  EXPECT_EQ(measuredFrame(told, share()).of(Segment::Weights), 0U);
  EXPECT_EQ(measuredFrame(told, share()).total(), 8 * kGiB);
}

TEST(MemoryFrame, of_other_programs_what_nobody_holds_is_known_where_their_use_is_told) {
  MemoryReading told = reading(8 * kGiB, 3 * kGiB, kGiB);
  EXPECT_EQ(measuredFrame(told, {}).withheld, 0U);
  told.account.others = 3 * kGiB;
  EXPECT_EQ(measuredFrame(told, {}).of(Segment::Others), 4 * kGiB);
  EXPECT_EQ(measuredFrame(told, {}).withheld, kGiB);
  told.account.others = 9 * kGiB;
  EXPECT_EQ(measuredFrame(told, {}).withheld, 0U);
}

TEST(MemoryFrame, use_at_most_leaves_the_rest_as_headroom) {
  PlannedShare atMost = share();
  atMost.headroom = AtMost{6 * kGiB};
  const MemoryFrame frame = plannedFrame(16 * kGiB, 2 * kGiB, atMost);
  EXPECT_EQ(frame.total(), 16 * kGiB);
  EXPECT_EQ(frame.of(Segment::Free), 6 * kGiB - atMost.ours());
  EXPECT_EQ(frame.of(Segment::Headroom), 16 * kGiB - 2 * kGiB - 6 * kGiB);
}

TEST(MemoryFrame, a_plan_beyond_the_device_has_nothing_free) {
  const MemoryFrame frame = plannedFrame(4 * kGiB, kGiB, share());
  EXPECT_EQ(frame.of(Segment::Free), 0U);
  EXPECT_EQ(frame.of(Segment::Headroom), 0U);
  EXPECT_GT(frame.total(), 4 * kGiB);
}

TEST(MemoryFrame, more_tokens_than_the_cache_holds_fill_it_and_no_more) {
  const MemoryFrame frame = measuredFrame(reading(16 * kGiB, 8 * kGiB, 6 * kGiB, 99'999), share());
  EXPECT_EQ(frame.of(Segment::KvUsed), kGiB);
  EXPECT_EQ(frame.of(Segment::KvReserved), 0U);
}

}  // namespace
}  // namespace headroom::ui
