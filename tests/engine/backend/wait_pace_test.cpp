#include "backend/wait_pace.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

using namespace std::chrono_literals;
using Duration = WaitPace::Duration;

// A wait for what takes so long, on a system that wakes a thread 60 us too late and answers a question in 1 us.
struct Waited {
  Duration late{0}, asked{0};
  int n_sleeps = 0;
};
Waited wait_through(const WaitPace& pace, Duration takes) {
  Waited waited;
  Duration now{0};
  while (now < takes) {
    const Duration pause = pace.pause(now);
    if (pause == 0us) {
      now += 1us;
      waited.asked += 1us;
    } else {
      now += pause + 60us;
      ++waited.n_sleeps;
    }
  }
  waited.late = now - takes;
  return waited;
}

constexpr Duration kLengths[]{30us, 90us, 150us, 300us, 800us, 2000us, 5000us, 20ms, 100ms, 1s};

TEST(WaitPace, a_short_wait_never_sleeps) {
  for (const Duration last : kLengths) {
    for (const Duration takes : {1us, 50us, 100us}) {
      EXPECT_EQ(wait_through(WaitPace(last), takes).n_sleeps, 0);
      EXPECT_EQ(wait_through(WaitPace(), takes).n_sleeps, 0);
    }
  }
}

TEST(WaitPace, a_long_one_sleeps_and_asks_for_a_bounded_time) {
  for (const Duration takes : kLengths) {
    for (const Duration last : kLengths) EXPECT_LE(wait_through(WaitPace(last), takes).asked, WaitPace::kMostAsked);
    EXPECT_LE(wait_through(WaitPace(), takes).asked, 100us);
    if (takes > 100us) {
      EXPECT_GT(wait_through(WaitPace(), takes).n_sleeps, 0) << takes.count();
    }
  }
}

TEST(WaitPace, the_end_of_one_that_takes_as_long_as_the_last_is_seen_at_once) {
  for (const Duration last : kLengths) {
    for (const Duration takes : {last - last / 250, last, last + last / 250})
      EXPECT_LE(wait_through(WaitPace(last), takes).late, last < 100ms ? 1us : last / 50) << takes.count();
  }
}

TEST(WaitPace, the_end_of_one_that_nobody_could_expect_is_seen_two_per_cent_late_at_most) {
  for (const Duration takes : kLengths) {
    for (const Duration last : kLengths)
      EXPECT_LE(wait_through(WaitPace(last), takes).late, takes / 50 + 20us + 60us) << takes.count();
  }
}

}  // namespace
}  // namespace headroom
