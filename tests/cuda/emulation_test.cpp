// The emulation of CUDA on kernels that are right and on such as are wrong in every way that it is there to see.
#include "support/cuda/emulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace headroom::cuda {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint32_t kThreads = 64;

struct Params {
  std::uint32_t* to;
  std::uint32_t number;
};

KERNEL(test_sum, kThreads, Params) {
  SHARED(std::uint32_t, words, kThreads);
  words[thread_index()] = thread_index() + p.number * block_x();
  BARRIER();
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < kThreads; ++i) sum += words[i];
  p.to[(block_z() * 3 + block_y()) * grid_x() * kThreads + block_x() * kThreads + thread_index()] = sum;
}

KERNEL(test_exchange, kThreads, Params) {
  const float x = shuffle(static_cast<float>(thread_index()), 5), y = shuffle_xor(static_cast<float>(lane_index()), 3);
  p.to[thread_index()] = static_cast<std::uint32_t>(x * 100 + y);
}

KERNEL(test_atomic, kThreads, Params) {
  SHARED(std::uint32_t, count, 1);
  if (thread_index() == 0) count[0] = 0;
  BARRIER();
  p.to[ATOMIC_ADD(count, 0, 1U)] = 1;
  BARRIER();
  if (thread_index() == 0) p.to[kThreads] = count[0];
}

// A warp's barrier orders its lanes.
KERNEL(test_warp_order, kThreads, Params) {
  SHARED(std::uint32_t, words, kThreads);
  words[thread_index()] = thread_index();
  WARP_BARRIER();
  p.to[thread_index()] = words[thread_index() ^ 1];
}

// Another warp's lanes it does not.
KERNEL(test_warp_order_is_not_enough, kThreads, Params) {
  SHARED(std::uint32_t, words, kThreads);
  words[thread_index()] = thread_index();
  WARP_BARRIER();
  p.to[thread_index()] = words[thread_index() ^ 32];
}

KERNEL(test_read_race, kThreads, Params) {
  SHARED(std::uint32_t, words, kThreads);
  words[thread_index()] = 1;
  BARRIER();
  const std::uint32_t of_next = words[(thread_index() + 1) % kThreads];
  words[thread_index()] = of_next + 1;  // the one before may still read it
  p.to[thread_index()] = of_next;
}

KERNEL(test_write_race, kThreads, Params) {
  SHARED(std::uint32_t, words, 1);
  words[0] = 7;  // the same by all, and yet
  BARRIER();
  p.to[thread_index()] = words[0];
}

// In ascending order a thread finds what the one before has written.
KERNEL(test_race_in_one_order, kThreads, Params) {
  SHARED(std::uint32_t, words, kThreads);
  words[thread_index()] = thread_index();
  p.to[thread_index()] = thread_index() == 0 ? 0 : words[thread_index() - 1];
}

KERNEL(test_atomic_and_plain, kThreads, Params) {
  SHARED(std::uint32_t, count, 1);
  if (thread_index() == 0) count[0] = 0;
  BARRIER();
  ATOMIC_ADD(count, 0, 1U);
  p.to[thread_index()] = count[0];
}

// The thread that clears it may be late.
KERNEL(test_atomic_before_it_is_cleared, kThreads, Params) {
  SHARED(std::uint32_t, count, 1);
  if (thread_index() == p.number) count[0] = 0;
  ATOMIC_ADD(count, 0, 1U);
}

// The last to come reads, and nothing says that the others are done.
KERNEL(test_last_reads, kThreads, Params) {
  SHARED(std::uint32_t, count, 1);
  if (thread_index() == 0) count[0] = 0;
  BARRIER();
  if (ATOMIC_ADD(count, 0, 1U) == kThreads - 1) p.to[0] = count[0];
}

// An exchange orders the lanes of a warp as its barrier does.
KERNEL(test_exchange_order, kThreads, Params) {
  SHARED(std::uint32_t, words, kThreads);
  words[thread_index()] = thread_index();
  const std::uint32_t other = shuffle_xor(lane_index(), 1);
  p.to[thread_index()] = words[warp_index() * 32 + other];
}

KERNEL(test_unwritten, kThreads, Params) {
  SHARED(std::uint32_t, words, 2 * kThreads);
  words[thread_index()] = 1;
  BARRIER();
  p.to[thread_index()] = words[thread_index() + 1];
}

// One block writes, the other finds what that one has left.
KERNEL(test_left_over, kThreads, Params) {
  SHARED(std::uint32_t, words, kThreads);
  if (block_x() == p.number) words[thread_index()] = 1;
  BARRIER();
  p.to[thread_index()] = words[thread_index()];
}

KERNEL(test_behind_the_end, kThreads, Params) {
  SHARED(std::uint32_t, words, kThreads);
  words[thread_index() + p.number] = 1;
}

KERNEL(test_divergent_barrier, kThreads, Params) {
  if (thread_index() < 40) BARRIER();
  p.to[thread_index()] = 1;
}

KERNEL(test_two_barriers, kThreads, Params) {
  if (thread_index() < 32) {
    BARRIER();
  } else {
    BARRIER();
  }
  p.to[thread_index()] = 1;
}

KERNEL(test_exchange_without_a_lane, kThreads, Params) {
  if (thread_index() == 33) return;
  p.to[thread_index()] = shuffle(thread_index(), 0);
}

KERNEL(test_two_exchanges, kThreads, Params) {
  if (lane_index() < 16) {
    p.to[thread_index()] = shuffle(thread_index(), 0);
  } else {
    p.to[thread_index()] = shuffle(thread_index(), 1);
  }
}

KERNEL(test_half_a_warp, kThreads, Params) {
  if (lane_index() < 16) WARP_BARRIER();
  p.to[thread_index()] = 1;
}

class Emulation : public testing::Test {
 protected:
  static constexpr LaneOrder kOrders[] = {LaneOrder::kAscending, LaneOrder::kDescending, LaneOrder::kShuffled};

  std::string run(const char* name, LaneOrder order, std::uint32_t number = 0, std::uint32_t seed = 1,
                  std::uint32_t n_blocks = 1) {
    const Params params{to_.data(), number};
    EmulatedLaunch setup;
    setup.kernel = find_emulated_kernel(name);
    if (setup.kernel == nullptr) return "no such kernel";
    setup.grid[0] = n_blocks;
    setup.n_threads = kThreads;
    setup.params = &params;
    setup.order = order;
    setup.seed = seed;
    return launch(setup);
  }

  std::vector<std::uint32_t> to_ = std::vector<std::uint32_t>(1024, 9999);
};

TEST_F(Emulation, runs_every_thread_of_every_block) {
  const Params params{to_.data(), 10};
  EmulatedLaunch setup;
  setup.kernel = find_emulated_kernel("test_sum");
  ASSERT_NE(setup.kernel, nullptr);
  EXPECT_EQ(setup.kernel->param_bytes, sizeof(Params));
  setup.grid[0] = 2, setup.grid[1] = 3, setup.grid[2] = 2;
  setup.n_threads = kThreads;
  setup.params = &params;
  for (const LaneOrder order : kOrders) {
    std::fill(to_.begin(), to_.end(), 9999U);
    setup.order = order;
    ASSERT_THAT(launch(setup), IsEmpty());
    for (std::uint32_t i = 0; i < 2 * 3 * 2 * kThreads; ++i)
      ASSERT_EQ(to_[i], kThreads * (kThreads - 1) / 2 + kThreads * 10 * (i / kThreads % 2)) << i;
    EXPECT_EQ(to_[2 * 3 * 2 * kThreads], 9999U);
  }
}

TEST_F(Emulation, gives_lanes_what_others_of_their_warp_have) {
  for (const LaneOrder order : kOrders) {
    ASSERT_THAT(run("test_exchange", order), IsEmpty());
    for (std::uint32_t i = 0; i < kThreads; ++i) ASSERT_EQ(to_[i], (i / 32 * 32 + 5) * 100 + (i % 32 ^ 3)) << i;
  }
}

TEST_F(Emulation, lets_right_kernels_be) {
  for (const LaneOrder order : kOrders) {
    for (std::uint32_t seed = 1; seed < 20; ++seed) {
      EXPECT_THAT(run("test_warp_order", order, 0, seed), IsEmpty());
      EXPECT_THAT(run("test_exchange_order", order, 0, seed), IsEmpty());
      ASSERT_THAT(run("test_atomic", order, 0, seed), IsEmpty());
      EXPECT_EQ(to_[kThreads], kThreads);
    }
  }
}

// In every order, also in those in which a card would compute what was meant.
TEST_F(Emulation, sees_threads_that_touch_the_same_with_nothing_between) {
  for (const LaneOrder order : kOrders) {
    for (const char* wrong : {"test_warp_order_is_not_enough", "test_read_race", "test_write_race",
                              "test_atomic_and_plain", "test_last_reads"})
      EXPECT_THAT(run(wrong, order), HasSubstr("with no barrier between them")) << wrong;
  }
  EXPECT_THAT(run("test_race_in_one_order", LaneOrder::kAscending), HasSubstr("with no barrier between them"));
  EXPECT_THAT(run("test_race_in_one_order", LaneOrder::kDescending), HasSubstr("before anything was written"));
  // Where the thread that clears is the first one to run, it clears before the others count.
  EXPECT_THAT(run("test_atomic_before_it_is_cleared", LaneOrder::kAscending, 0),
              HasSubstr("with no barrier between them"));
  EXPECT_THAT(run("test_atomic_before_it_is_cleared", LaneOrder::kDescending, kThreads - 1),
              HasSubstr("with no barrier between them"));
}

TEST_F(Emulation, sees_what_nobody_wrote_and_what_is_behind_the_end) {
  EXPECT_THAT(run("test_unwritten", LaneOrder::kShuffled), HasSubstr("words[64] is read before anything was written"));
  EXPECT_THAT(run("test_behind_the_end", LaneOrder::kShuffled), IsEmpty());
  EXPECT_EQ(run("test_behind_the_end", LaneOrder::kShuffled, 1),
            "test_behind_the_end, block (0, 0, 0): thread 63: words[64] is behind its end, 64");
  EXPECT_THAT(run("test_unwritten", LaneOrder::kAscending), HasSubstr("test_unwritten, block (0, 0, 0): thread 63"))
      << "of a launch before, nothing is left";
  EXPECT_THAT(run("test_left_over", LaneOrder::kAscending, 0, 1, 2),
              HasSubstr("block (1, 0, 0): thread 0: words[0] is read before anything was written"));
  EXPECT_THAT(run("test_left_over", LaneOrder::kDescending, 1, 1, 2),
              HasSubstr("block (0, 0, 0): thread 63: words[63] is read before anything was written"));
}

TEST_F(Emulation, sees_barriers_and_exchanges_that_not_all_come_to) {
  const std::string divergent = run("test_divergent_barrier", LaneOrder::kShuffled);
  EXPECT_THAT(divergent, HasSubstr("24 have ended (thread 40 first)"));
  EXPECT_THAT(divergent, HasSubstr("40 wait at the barrier emulation_test.cpp:"));
  EXPECT_THAT(run("test_two_barriers", LaneOrder::kAscending), HasSubstr("32 wait at the barrier"));
  const std::string missing = run("test_exchange_without_a_lane", LaneOrder::kDescending);
  EXPECT_THAT(missing, ContainsRegex("31 exchange words at emulation_test.cpp:[0-9]+ \\(thread 32 first\\)"));
  EXPECT_THAT(missing, HasSubstr("33 have ended (thread 0 first)")) << "the other warp has gone on: " << missing;
  const std::string two = run("test_two_exchanges", LaneOrder::kShuffled);
  EXPECT_THAT(two,
              ContainsRegex("32 exchange words at [^;]*\\(thread 0 first\\); 32 exchange words at [^;]*thread 16"));
  const std::string half = run("test_half_a_warp", LaneOrder::kShuffled);
  EXPECT_THAT(half, HasSubstr("32 have ended (thread 16 first)"));
  EXPECT_THAT(half, HasSubstr("32 wait at the warp's barrier emulation_test.cpp:"));
}

TEST_F(Emulation, goes_on_after_a_fault) {
  EXPECT_FALSE(run("test_divergent_barrier", LaneOrder::kShuffled).empty());
  EXPECT_THAT(run("test_warp_order", LaneOrder::kShuffled), IsEmpty());
}

TEST_F(Emulation, leaves_out_the_barrier_that_it_is_told_to) {
  ASSERT_THAT(run("test_sum", LaneOrder::kShuffled), IsEmpty());
  const EmulatedKernel& kernel = *find_emulated_kernel("test_sum");
  ASSERT_EQ(barrier_sites(kernel), 1U);
  const Params params{to_.data(), 0};
  EmulatedLaunch setup;
  setup.kernel = &kernel;
  setup.n_threads = kThreads;
  setup.params = &params;
  setup.skipped_barrier = 0;
  EXPECT_FALSE(launch(setup).empty());
  setup.skipped_barrier = 1;
  EXPECT_THAT(launch(setup), IsEmpty());
}

TEST_F(Emulation, refuses_blocks_that_the_kernel_cannot_have) {
  const Params params{to_.data(), 0};
  EmulatedLaunch setup;
  setup.kernel = find_emulated_kernel("test_sum");
  setup.params = &params;
  for (const std::uint32_t n : {0U, 33U, 128U}) {
    setup.n_threads = n;
    EXPECT_THAT(launch(setup), HasSubstr("expected a multiple of 32 threads, at most 64, found " + std::to_string(n)));
  }
}

}  // namespace
}  // namespace headroom::cuda
