// What a device is found to do at most: plausible, of the arithmetic of its tier, and no memory stays behind.
#include <gtest/gtest.h>

#include "vulkan/vulkan_fixture.h"

namespace headroom {
namespace {

TEST(VulkanLimits, are_those_of_the_arithmetic_of_each_tier) {
  for (const std::uint32_t tier : {0U, 2U}) {
    const test::UseTier use(tier);
    const auto backend = test::take(make_backend(test::cpu_and_vulkan(false)[1]));
    const Bytes before = test::take(backend->sample_memory()).ours;
    const DeviceLimits limits = test::take(backend->measure_limits());
    // Between a small part of one core and the largest servers.
    EXPECT_GT(limits.read_bytes_per_s, 1e8);
    EXPECT_LT(limits.read_bytes_per_s, 1e14);
    EXPECT_GT(limits.f32_ops_per_s, 1e8);
    EXPECT_LT(limits.f32_ops_per_s, 1e15);
    EXPECT_EQ(limits.int8_ops_per_s > 1e7, vulkan_cards().cards.front().tier.has_int8) << tier;
    EXPECT_LT(limits.int8_ops_per_s, 1e16);
    EXPECT_EQ(limits.tile_ops_per_s, 0.0);
    // What a driver makes of two kernels may stay; the memory that was read does not.
    EXPECT_LT(test::take(backend->sample_memory()).ours, before + 32 * kMiB);
    EXPECT_EQ(backend->n_allocations(), 0U) << "nothing of it is a model's";
  }
}

}  // namespace
}  // namespace headroom
