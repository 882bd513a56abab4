// How much memory a measurement of a card's speed takes, by the size of its second-level cache. Emulated kernels are
// slow: caches here are those of small cards.
#include "backend/cuda/cuda_speed.h"

#include <gtest/gtest.h>

#include "backend/gpu/timed_work.h"
#include "cuda/cuda_fixture.h"

namespace headroom {
namespace {

class CudaSpeed : public testing::Test {
 protected:
  ~CudaSpeed() override { fake_.cache_bytes = kCache; }

  // Of a card of the fake driver, by its number there.
  DeviceSpeed measure(std::size_t number, Bytes cache_bytes, Bytes most_bytes = kMostMeasureBytes) {
    fake_.cache_bytes = static_cast<int>(cache_bytes);
    const CudaCards found = cuda_cards();
    EXPECT_GT(found.cards.size(), number);
    EXPECT_EQ(found.cards.at(number).cache_bytes, cache_bytes);
    const auto device = test::take(CudaDevice::open(found.cards.at(number)));
    fake_.most_device_bytes = 0;
    return test::take(measure_cuda_speed(device, most_bytes));
  }

  test::FakeCuda& fake_ = test::fake_cuda();
  const int kCache = fake_.cache_bytes;
};

TEST_F(CudaSpeed, is_that_of_memory_which_no_cache_holds) {
  for (const Bytes cache_bytes : {1 * kMiB, 20 * kMiB}) {
    EXPECT_GT(measure(0, cache_bytes).read_bytes_per_s, 0) << cache_bytes;
    EXPECT_EQ(fake_.most_device_bytes, std::max(64 * kMiB, 4 * cache_bytes)) << cache_bytes;
  }
}

TEST_F(CudaSpeed, of_reading_stays_unknown_where_a_cache_would_hold_what_can_be_read) {
  // Of cuda:2 nobody tells what is in use: all 256 MiB are taken for free.
  const DeviceSpeed small = measure(2, 40 * kMiB);
  EXPECT_EQ(small.read_bytes_per_s, 0);
  EXPECT_GT(small.copy_bytes_per_s, 0);
  EXPECT_GT(small.op_seconds, 0);
  EXPECT_EQ(fake_.most_device_bytes, 128 * kMiB - kTimedCopyBytes) << "half of what is free";
  EXPECT_EQ(measure(0, 72 * kMiB, kLeastMeasureBytes).read_bytes_per_s, 0);
  EXPECT_EQ(fake_.most_device_bytes, kLeastMeasureBytes - kTimedCopyBytes);
}

}  // namespace
}  // namespace headroom
