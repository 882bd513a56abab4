#include "ui/chat/thinking_clock.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

namespace headroom::ui {
namespace {

TEST(ThinkingClock, a_thought_that_is_continued_goes_on_from_the_time_that_it_had) {
  ThinkingClock clock;
  qint64 now = 1000;
  clock.setNow([&] { return now; });
  Turn turn;
  clock.run(turn);
  EXPECT_EQ(turn.thinkingMs, 0);
  now += 700;
  clock.end(turn);
  EXPECT_EQ(turn.thinkingMs, 700);
  now += 60'000;
  clock.end(turn);
  EXPECT_EQ(turn.thinkingMs, 700) << "none runs";
  clock.run(turn);
  now += 300;
  clock.run(turn);
  EXPECT_EQ(turn.thinkingMs, 1000);
}

TEST(ThinkingClock, it_ticks_while_it_runs) {
  ThinkingClock clock;
  QSignalSpy ticks(&clock, &ThinkingClock::ticked);
  Turn turn;
  clock.run(turn);
  EXPECT_TRUE(ticks.wait(10'000));
  clock.end(turn);
  ticks.clear();
  EXPECT_FALSE(ticks.wait(1'500));
}

}  // namespace
}  // namespace headroom::ui
