// What a device is found to do at most: plausible, of the arithmetic of its tier, and no memory stays behind.
#include <gtest/gtest.h>

#include "backend/vulkan/vulkan_memory.h"
#include "vulkan/vulkan_fixture.h"

namespace headroom {
namespace {

TEST(VulkanLimits, are_those_of_the_arithmetic_of_each_tier) {
  for (const std::uint32_t number : test::tiers_here()) {
    const test::UseTier use(number);
    const VulkanCard card = vulkan_cards().cards.front();
    const VulkanTier& tier = card.tier;
    const auto backend = test::take(make_backend(test::cpu_and_vulkan(false)[1]));
    const Bytes before = use_of_card(card).device_arena_bytes;
    const DeviceLimits limits = test::take(backend->measure_limits());
    EXPECT_GT(limits.read_bytes_per_s, 1e8);
    EXPECT_LT(limits.read_bytes_per_s, 1e14);
    const bool has_f16 = tier.arithmetic().half_rows != HalfRows::kNone && !tier.matrices;
    for (const auto& [peak, is_there] :
         {std::pair{limits.f32_ops_per_s, true}, std::pair{limits.int8_ops_per_s, tier.has_int8},
          std::pair{limits.f16_ops_per_s, has_f16}, std::pair{limits.tile_ops_per_s, tier.matrices.has_value()}}) {
      EXPECT_EQ(peak > 1e7, is_there) << number;  // a small part of one core
      EXPECT_LT(peak, 1e17) << number;
    }
    EXPECT_EQ(use_of_card(card).device_arena_bytes, before);
    EXPECT_EQ(backend->n_allocations(), 0U) << "nothing of it is a model's";
  }
}

}  // namespace
}  // namespace headroom
