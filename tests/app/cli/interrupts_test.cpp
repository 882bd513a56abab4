#include "interrupts.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>

#include "command.h"

namespace headroom::cli {
namespace {

bool canBeRead(int descriptor) {
  pollfd asked{.fd = descriptor, .events = POLLIN, .revents = 0};
  return poll(&asked, 1, 0) == 1;
}

// Who starts the tests under nohup has it ignored.
class HangUp {
 public:
  explicit HangUp(void (*handler)(int)) : m_before(std::signal(SIGHUP, handler)) {}
  ~HangUp() { std::signal(SIGHUP, m_before); }
  HangUp(const HangUp&) = delete;
  HangUp& operator=(const HangUp&) = delete;

 private:
  void (*m_before)(int);
};

TEST(InterruptsDeathTest, one_that_nobody_hears_ends_the_process) {
  EXPECT_EXIT(
      {
        const Interrupts interrupts;
        std::raise(SIGINT);
      },
      testing::ExitedWithCode(kNoResource), "headroom-cli: interrupted\n");
}

TEST(InterruptsDeathTest, a_second_one_before_the_first_was_taken_ends_the_process) {
  EXPECT_EXIT(
      {
        Interrupts interrupts;
        interrupts.hear();
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      testing::ExitedWithCode(kNoResource), "headroom-cli: interrupted\n");
}

TEST(InterruptsDeathTest, an_end_that_nobody_hears_ends_the_process) {
  const HangUp usual(SIG_DFL);
  for (const int end : {SIGTERM, SIGHUP}) {
    EXPECT_EXIT(
        {
          const Interrupts interrupts;
          std::raise(end);
        },
        testing::ExitedWithCode(kNoResource), "headroom-cli: interrupted\n");
  }
}

TEST(Interrupts, an_end_asks_to_stop_may_come_twice_and_is_not_taken) {
  const HangUp usual(SIG_DFL);
  for (const int end : {SIGTERM, SIGHUP}) {
    Interrupts interrupts;
    interrupts.hear();
    const StopToken token = interrupts.token();
    EXPECT_FALSE(token.stop_requested());
    std::raise(end);
    std::raise(end);
    for (int look = 0; look < 2; ++look) {
      EXPECT_TRUE(token.stop_requested());
      EXPECT_TRUE(canBeRead(interrupts.wakeDescriptor()));
      EXPECT_TRUE(interrupts.take());
    }
  }
}

TEST(Interrupts, an_end_that_is_not_followed_ends_the_process_in_a_while) {
  const HangUp usual(SIG_DFL);
  for (const int end : {SIGTERM, SIGHUP}) {
    {
      Interrupts interrupts;
      interrupts.hear();
      std::raise(end);
      const unsigned left = alarm(0);
      EXPECT_GT(left, 0U);
      EXPECT_LE(left, 10U);
      alarm(left);
    }
    EXPECT_EQ(alarm(0), 0U) << "what was followed needs no end";
  }
}

TEST(Interrupts, a_hang_up_that_is_ignored_stays_ignored) {
  const HangUp ignored(SIG_IGN);
  Interrupts interrupts;
  interrupts.hear();
  std::raise(SIGHUP);
  EXPECT_FALSE(interrupts.isAsked());
}

TEST(Interrupts, one_that_is_heard_stays_asked_for_until_it_is_taken) {
  Interrupts interrupts;
  interrupts.hear();
  const StopToken token = interrupts.token();
  for (int round = 0; round < 3; ++round) {
    EXPECT_FALSE(interrupts.take());
    std::raise(SIGINT);
    for (int look = 0; look < 2; ++look) {
      EXPECT_TRUE(interrupts.isAsked());
      EXPECT_TRUE(token.stop_requested());
      EXPECT_TRUE(canBeRead(interrupts.wakeDescriptor()));
    }
    EXPECT_TRUE(interrupts.take());
    EXPECT_FALSE(interrupts.isAsked());
    EXPECT_FALSE(token.stop_requested());
    EXPECT_FALSE(canBeRead(interrupts.wakeDescriptor()));
  }
}

}  // namespace
}  // namespace headroom::cli
