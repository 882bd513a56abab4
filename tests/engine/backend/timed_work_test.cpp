#include "backend/gpu/timed_work.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(TimedWork, of_ops_that_were_submitted_together_is_never_nothing) {
  EXPECT_DOUBLE_EQ(seconds_of_op(10e-6, 73e-6, 64), 1e-6);
  // Something else ran while one of them was timed.
  EXPECT_DOUBLE_EQ(seconds_of_op(500e-6, 64e-6, 64), 1e-6);
  EXPECT_DOUBLE_EQ(seconds_of_reading(10e-6, 110e-6), 100e-6);
  EXPECT_DOUBLE_EQ(seconds_of_reading(500e-6, 110e-6), 110e-6);
}

TEST(TimedWork, is_done_as_often_as_can_be_timed_and_its_best_rate_counts) {
  std::uint64_t most = 0;
  const Result<double> rate = best_rate([&](std::uint64_t n_units) {
    most = std::max(most, n_units);
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(100) * n_units;
    while (std::chrono::steady_clock::now() < until) {
    }
    return ok_status();
  });
  ASSERT_TRUE(rate.ok());
  EXPECT_GE(most, 64U);  // units of a tenth of a millisecond, until it takes 25
  EXPECT_LE(*rate, 1e4);
  EXPECT_GT(*rate, 0);
  const Result<double> refused = best_rate([](std::uint64_t) -> Status {
    return Error{ErrorCode::kDeviceLost, Message::plain("gone")};
  });
  EXPECT_EQ(refused.error().message.text(), "gone");
  EXPECT_FALSE(shortest_seconds([]() -> Status { return Error{ErrorCode::kDeviceLost, Message::plain("gone")}; }).ok());
}

TEST(TimedWork, that_knows_memory_reads_four_times_what_the_last_cache_holds) {
  struct Card {
    const char* name;
    Bytes cache_bytes, expected;
  };
  for (const Card& card : {Card{"GTX 1650", kMiB, 64 * kMiB},
                           {"RTX 3090", 6 * kMiB, 64 * kMiB},
                           {"H200", 50 * kMiB, 200 * kMiB},
                           {"RTX 4090", 72 * kMiB, 288 * kMiB},
                           {"RTX 5090", 96 * kMiB, 384 * kMiB},
                           {"B200", 126 * kMiB, 504 * kMiB},
                           {"a later one", 512 * kMiB, 504 * kMiB},
                           {"uneven", 20 * kMiB + 1, 81 * kMiB}}) {
    EXPECT_EQ(uncached_read_bytes(card.cache_bytes, 24 * kGiB), card.expected) << card.name;
  }
  EXPECT_EQ(uncached_read_bytes(0, 256 * kMiB), 64 * kMiB) << "no cache is told: an eighth of the memory";
  EXPECT_EQ(uncached_read_bytes(0, 2 * kGiB), 256 * kMiB);
  EXPECT_EQ(uncached_read_bytes(0, 24 * kGiB), 504 * kMiB);
}

TEST(TimedWork, reads_no_more_than_it_is_given_beside_what_it_copies_nor_half_of_what_is_free) {
  EXPECT_EQ(timed_read_bytes(kMostUncachedBytes, kMostMeasureBytes, kGiB), kMostUncachedBytes);
  EXPECT_EQ(timed_read_bytes(64 * kMiB, kMostMeasureBytes, kGiB), 64 * kMiB);
  EXPECT_EQ(timed_read_bytes(64 * kMiB, 40 * kMiB + 5, kGiB), 32 * kMiB);
  EXPECT_EQ(timed_read_bytes(384 * kMiB, kMostMeasureBytes, 300 * kMiB + 2), 142 * kMiB);
  for (const Bytes few : {Bytes{0}, kLeastMeasureBytes - 1}) {
    EXPECT_EQ(timed_read_bytes(64 * kMiB, few, kGiB), kLeastMeasureBytes - kTimedCopyBytes);
    EXPECT_EQ(timed_read_bytes(64 * kMiB, kMostMeasureBytes, few), kLeastMeasureBytes - kTimedCopyBytes);
    EXPECT_EQ(timed_read_bytes(few, kMostMeasureBytes, kGiB), std::max(few, kLeastMeasureBytes - kTimedCopyBytes));
  }
}

}  // namespace
}  // namespace headroom
