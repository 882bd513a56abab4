#include "base/heap.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace headroom {
namespace {

constexpr std::size_t kTexts = 50'000;
constexpr Bytes kTextBytes = kTexts * (sizeof(std::string) + 41);  // and what the allocator rounds up to

std::vector<std::string> many_texts() { return std::vector<std::string>(kTexts, std::string(40, 'x')); }

void expect_near_texts(Bytes bytes) {
  EXPECT_GE(bytes, kTextBytes);
  EXPECT_LE(bytes, kTextBytes * 3 / 2);
}

TEST(HeapMeter, counts_what_stays_in_small_pieces_and_in_large_ones) {
  const HeapMeter meter;
  const std::vector<std::string> texts = many_texts();
  expect_near_texts(meter.taken());
  const std::string large(8 * kMiB, 'x');
  expect_near_texts(meter.taken() - 8 * kMiB);
}

TEST(HeapMeter, counts_what_another_thread_takes) {
  const HeapMeter meter;
  std::vector<std::string> texts;
  std::thread([&] { texts = many_texts(); }).join();
  expect_near_texts(meter.taken());
}

TEST(HeapMeter, what_was_given_back_does_not_count) {
  auto before = std::make_unique<std::vector<std::string>>(many_texts());
  const HeapMeter meter;
  many_texts();
  EXPECT_LT(meter.taken(), kTextBytes / 10);
  before.reset();
  EXPECT_EQ(meter.taken(), 0U) << "less than at the start is nothing";
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(OwnMemory, tells_what_is_mapped_from_what_the_allocator_has) {
  constexpr Bytes kMapped = 3 * kMiB;
  const OwnMemory before = read_own_memory();
  void* mapped = mmap(nullptr, kMapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  const OwnMemory with_mapping = read_own_memory();
  EXPECT_EQ(with_mapping.mapped - before.mapped, kMapped);
  EXPECT_LT(with_mapping.heap - before.heap, 64 * kKiB);
  const std::string large(8 * kMiB, 'x');
  std::vector<std::string> texts;
  std::thread([&] { texts = many_texts(); }).join();  // from an arena of the allocator that is another one
  const OwnMemory with_heap = read_own_memory();
  expect_near_texts(with_heap.heap - with_mapping.heap - 8 * kMiB);
  // The allocator's own are not in it; what is left of the thread's stack, which is kept for the next one, is.
  EXPECT_LT(with_heap.mapped - with_mapping.mapped, 9 * kMiB);
  munmap(mapped, kMapped);
  EXPECT_EQ(with_heap.mapped - read_own_memory().mapped, kMapped);
}
#endif

}  // namespace
}  // namespace headroom
