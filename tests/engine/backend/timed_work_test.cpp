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
    return Error{ErrorCode::kDeviceLost, "gone"};
  });
  EXPECT_EQ(refused.error().message, "gone");
  EXPECT_FALSE(shortest_seconds([]() -> Status { return Error{ErrorCode::kDeviceLost, "gone"}; }).ok());
}

TEST(TimedWork, reads_no_more_than_it_is_given_beside_what_it_copies) {
  EXPECT_EQ(timed_read_bytes(kMostMeasureBytes), kTimedReadBytes);
  EXPECT_EQ(timed_read_bytes(40 * kMiB + 5), 32 * kMiB);
  EXPECT_EQ(timed_read_bytes(0), kLeastMeasureBytes - kTimedCopyBytes);
}

}  // namespace
}  // namespace headroom
