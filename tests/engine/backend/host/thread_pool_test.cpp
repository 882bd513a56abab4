#include "backend/host/thread_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <new>
#include <thread>

namespace headroom {
namespace {

TEST(ThreadPool, every_thread_runs_each_job_once) {
  for (const std::uint32_t n_threads : {1U, 2U, 5U}) {
    ThreadPool pool(n_threads);
    std::array<int, 5> n_runs{};
    for (int job = 0; job < 20; ++job) pool.run([&](std::uint32_t thread) { ++n_runs[thread]; });
    for (std::uint32_t thread = 0; thread < 5; ++thread) EXPECT_EQ(n_runs[thread], thread < n_threads ? 20 : 0);
  }
}

TEST(ThreadPool, a_job_that_throws_on_the_callers_thread_ends_on_all_and_the_next_one_runs) {
  ThreadPool pool(4);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> n_ended = 0;
    EXPECT_THROW(pool.run([&](std::uint32_t thread) {
      if (thread == 0) throw std::bad_alloc();
      std::this_thread::yield();
      ++n_ended;
    }),
                 std::bad_alloc);
    EXPECT_EQ(n_ended, 3);
  }
}

TEST(ThreadPool, a_barrier_lets_all_threads_see_what_was_written_before_it) {
  ThreadPool pool(4);  // more than this machine may have cores: the barrier has to sleep
  std::array<int, 4> written{};
  std::array<int, 4> seen{};
  pool.run([&](std::uint32_t thread) {
    for (int round = 1; round <= 50; ++round) {
      written[thread] = round;
      pool.barrier();
      for (const int other : written) seen[thread] += other == round;
      pool.barrier();
    }
  });
  for (const int n : seen) EXPECT_EQ(n, 4 * 50);
}

TEST(ThreadPool, who_waits_for_a_count_sees_what_was_written_before_it_was_reached) {
  ThreadPool pool(4);
  constexpr int kRounds = 50;
  std::array<std::array<int, 4>, kRounds> written{};
  std::array<std::atomic<std::uint32_t>, kRounds> n_written{};
  std::array<int, 4> seen{};
  pool.run([&](std::uint32_t thread) {
    for (int round = 0; round < kRounds; ++round) {
      written[round][thread] = round + 1;
      ThreadPool::add(n_written[round], 1);
      ThreadPool::wait_for(n_written[round], 4);
      for (const int other : written[round]) seen[thread] += other == round + 1;
    }
  });
  for (const int n : seen) EXPECT_EQ(n, 4 * kRounds);
}

TEST(ThreadPool, shares_are_whole_disjoint_and_even) {
  for (const std::uint32_t n : {0U, 1U, 7U, 48U}) {
    std::uint32_t next = 0;
    for (std::uint32_t thread = 0; thread < 5; ++thread) {
      const Share share = share_of(n, thread, 5);
      EXPECT_EQ(share.first, next);
      EXPECT_LE(share.last - share.first, n / 5 + 1);
      next = share.last;
    }
    EXPECT_EQ(next, n);
  }
}

}  // namespace
}  // namespace headroom
