// Which kernels a driver gets by what it says of itself.
#include <gtest/gtest.h>

#include "backend/gpu/gpu_attend.h"
#include "vulkan/vulkan_fixture.h"

namespace headroom {
namespace {

constexpr MatrixShape kShape{16, 16, 16, 32};

VulkanTierFacts all_facts() {
  return {.has_half = true, .has_int8 = true, .is_int8_fast = true, .matrices = kShape, .is_matrices_trusted = true};
}

TEST(VulkanTier, is_the_best_that_is_fast_there) {
  VulkanTierFacts facts = all_facts();
  EXPECT_EQ(choose_vulkan_tier(facts, {}).number, 3U);
  EXPECT_EQ(choose_vulkan_tier(facts, {}).matrices, kShape);
  EXPECT_TRUE(choose_vulkan_tier(facts, {}).has_int8);
  facts.is_matrices_trusted = false;
  EXPECT_EQ(choose_vulkan_tier(facts, {}).number, 2U);
  EXPECT_FALSE(choose_vulkan_tier(facts, {}).matrices);
  facts.is_int8_fast = false;
  EXPECT_EQ(choose_vulkan_tier(facts, {}).number, 1U);
  EXPECT_FALSE(choose_vulkan_tier(facts, {}).has_int8);
  facts.is_software = true;  // f16 is put together there
  EXPECT_EQ(choose_vulkan_tier(facts, {}).number, 0U);
  EXPECT_EQ(choose_vulkan_tier({}, {}).number, 0U);
}

TEST(VulkanTier, with_matrices_multiplies_few_rows_in_int8_only_where_that_is_fast) {
  VulkanTierFacts facts = all_facts();
  facts.is_int8_fast = false;
  EXPECT_EQ(choose_vulkan_tier(facts, {}).number, 3U);
  EXPECT_FALSE(choose_vulkan_tier(facts, {}).has_int8);
  facts.has_int8 = false;
  EXPECT_FALSE(choose_vulkan_tier(facts, 3).has_int8);
}

TEST(VulkanTier, that_is_asked_for_is_taken_where_it_can_run_else_the_next_below) {
  VulkanTierFacts facts = all_facts();
  facts.is_int8_fast = facts.is_matrices_trusted = false;
  facts.is_software = true;
  for (std::uint32_t tier = 0; tier <= kMostVulkanTier; ++tier) {
    EXPECT_EQ(choose_vulkan_tier(facts, tier).number, tier);
    EXPECT_EQ(choose_vulkan_tier(facts, tier).has_int8, tier >= 2) << tier;
  }
  facts.matrices.reset();
  EXPECT_EQ(choose_vulkan_tier(facts, 3).number, 2U);
  facts.has_int8 = false;
  EXPECT_EQ(choose_vulkan_tier(facts, 3).number, 1U);
  facts.has_half = false;
  EXPECT_EQ(choose_vulkan_tier(facts, 3).number, 0U);
}

TEST(VulkanTier, says_what_runs_and_what_is_missing) {
  VulkanTierFacts facts = all_facts();
  EXPECT_EQ(vulkan_tier_text(choose_vulkan_tier(facts, {})), "Vulkan, tier 3 (matrices, int8)");
  EXPECT_EQ(vulkan_tier_note(choose_vulkan_tier(facts, {}), facts), "");
  facts.is_int8_fast = false;
  EXPECT_EQ(vulkan_tier_text(choose_vulkan_tier(facts, {})), "Vulkan, tier 3 (matrices)");
  EXPECT_EQ(
      vulkan_tier_note(choose_vulkan_tier(facts, {}), facts),
      "quantized weights are multiplied in f32 with few rows, in f16 with many: its driver has no instruction for "
      "products of int8.");
  facts = {};
  EXPECT_EQ(vulkan_tier_text(choose_vulkan_tier(facts, {})), "Vulkan, tier 0 (f32)");
  EXPECT_EQ(vulkan_tier_note(choose_vulkan_tier(facts, {}), facts),
            "quantized weights are multiplied in f32: its driver has no products of int8.");
}

TEST(MatrixShape, shares_out_a_tile_among_all_subgroups) {
  const auto expect_shared = [](const MatrixShape& shape, std::uint32_t n_features, std::uint32_t n_beside) {
    EXPECT_EQ(shape.n_beside(n_features), n_beside);
    ASSERT_GT(n_beside, 0U);
    EXPECT_EQ(n_features / shape.m % n_beside, 0U);
    EXPECT_EQ(64 / shape.n % (shape.n_subgroups() / n_beside), 0U);
  };
  expect_shared({16, 16, 16, 32}, 64, 2);  // NVIDIA, RDNA in its usual mode
  expect_shared({16, 16, 16, 32}, 128, 4);
  expect_shared({16, 16, 16, 64}, 128, 2);
  expect_shared({8, 16, 16, 16}, 64, 4);  // Xe
  expect_shared({8, 8, 8, 8}, 64, 4);     // lavapipe
  expect_shared({8, 8, 8, 8}, 128, 8);
  EXPECT_EQ((MatrixShape{16, 16, 16, 0}).n_beside(64), 0U);
  EXPECT_EQ((MatrixShape{16, 16, 16, 48}).n_beside(64), 0U);
  EXPECT_EQ((MatrixShape{16, 16, 16, 4}).n_beside(64), 0U) << "more subgroups than fragments";
  EXPECT_EQ((MatrixShape{48, 16, 16, 32}).n_beside(64), 0U);
}

// 32 query heads of 128 elements over 8 KV heads: more rows at once would take a slow card longer than drivers allow.
TEST(VulkanTier, a_long_prompt_attends_in_submissions_of_as_few_rows_as_there_may_be) {
  const LayerSpec layer{.n_heads = 32, .n_kv_heads = 8, .head_dim = 128};
  for (const std::uint32_t number : {0U, 1U, 2U, 3U}) {
    const GpuArithmetic arithmetic = VulkanTier{.number = number}.arithmetic();
    EXPECT_EQ(attend_rows_at_once(layer, {.n_ctx = 32768, .n_batch = 512}, arithmetic), 32U) << number;
    EXPECT_EQ(attend_rows_at_once(layer, {.n_ctx = 8192, .n_batch = 512}, arithmetic), 128U) << number;
  }
}

}  // namespace
}  // namespace headroom
