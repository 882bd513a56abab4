#include "ui/library/transfer_rate.h"

#include <gtest/gtest.h>

namespace headroom::ui {
namespace {

TEST(TransferRate, it_is_the_mean_of_the_last_seconds) {
  TransferRate rate;
  EXPECT_FALSE(rate.bytesPerSecond(0).has_value());
  rate.add(0, 0);
  EXPECT_FALSE(rate.bytesPerSecond(100).has_value());  // too short to tell
  for (qint64 ms = 100; ms <= 20'000; ms += 100) rate.add(ms, static_cast<Bytes>(ms) * 10);
  EXPECT_NEAR(*rate.bytesPerSecond(20'000), 10'000, 200);
  for (qint64 ms = 20'100; ms <= 30'000; ms += 100) rate.add(ms, 200'000 + static_cast<Bytes>(ms - 20'000));
  EXPECT_NEAR(*rate.bytesPerSecond(30'000), 1000, 30);  // the fast seconds are past
}

TEST(TransferRate, it_tells_the_time_that_is_left) {
  TransferRate rate;
  rate.add(0, 0);
  rate.add(1000, 1000);
  EXPECT_EQ(rate.msLeft(1000, 5000), 5000);
  EXPECT_FALSE(rate.msLeft(1000, Bytes{1} << 50).has_value());  // years
}

TEST(TransferRate, a_connection_that_stands_still_has_no_time_left_to_tell) {
  TransferRate rate;
  rate.add(0, 500);
  rate.add(1000, 500);
  EXPECT_EQ(rate.bytesPerSecond(1000), 0.0);
  EXPECT_FALSE(rate.msLeft(1000, 10).has_value());
}

TEST(TransferRate, begun_anew_it_forgets) {
  TransferRate rate;
  rate.add(0, 0);
  rate.add(5000, 1'000'000);
  rate.add(5100, 0);
  EXPECT_FALSE(rate.bytesPerSecond(5200).has_value());
}

}  // namespace
}  // namespace headroom::ui
