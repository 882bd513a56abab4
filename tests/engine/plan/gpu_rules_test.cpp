#include "plan/gpu_rules.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/model_specs.h"

namespace headroom {
namespace {

LayerSpec layer_of(std::uint32_t n_kv_heads, std::uint32_t window) {
  LayerSpec layer{.n_heads = 4 * n_kv_heads, .n_kv_heads = n_kv_heads, .head_dim = 64};
  if (window > 0) layer.attention = AttentionKind::kWindow;
  layer.window = window;
  return layer;
}

TEST(GpuSplits, of_every_row_have_a_key_and_room_for_their_results) {
  for (const std::uint32_t n_kv_heads : {1U, 3U, 8U, 200U}) {
    for (const std::uint32_t window : {0U, 1U, 64U, 300U, 5000U}) {
      for (const std::uint32_t n_ctx : {1U, 64U, 65U, 700U, 40000U}) {
        const PlanOptions options{.n_ctx = n_ctx, .n_batch = 16};
        const GpuSplits splits = gpu_splits(layer_of(n_kv_heads, window), options);
        for (const std::uint32_t n_rows : {1U, 3U, 8U}) {
          EXPECT_LE(n_rows * splits.most(n_rows), splits.n_partials(16));
          for (std::uint32_t position = 0; position < n_ctx; position += 1 + n_ctx / 700) {
            const std::uint32_t n = splits.count(position, n_rows);
            EXPECT_GE(n, 1U);
            EXPECT_LE(n, splits.most(n_rows)) << n_kv_heads << " window " << window << " at " << position;
          }
        }
      }
    }
  }
}

TEST(GpuSplits, give_a_large_card_work_where_there_are_keys) {
  const GpuSplits splits = gpu_splits(layer_of(8, 0), {.n_ctx = 32768, .n_batch = 256});
  EXPECT_EQ(splits.count(63, 1), 1U);
  EXPECT_EQ(splits.count(64, 1), 2U);
  EXPECT_EQ(splits.count(64 * 64 - 1, 1), 64U);
  EXPECT_EQ(splits.count(64 * 64, 1), 33U) << "of 128 keys";
  EXPECT_EQ(splits.count(32767, 1) * 8, kGpuAttendGroups);
  EXPECT_EQ(splits.count(32767, 8) * 8 * 8, kGpuAttendGroups);
}

TEST(GpuSplits, of_a_window_begin_before_it) {
  const GpuSplits splits = gpu_splits(layer_of(8, 128), {.n_ctx = 4096, .n_batch = 256});
  EXPECT_EQ(splits.count(127, 1), 2U);
  EXPECT_EQ(splits.count(128, 1), 3U) << "one of them has the last position and 63 beside";
  EXPECT_EQ(splits.count(191, 1), 2U);
}

// Whatever rows choose: the worst is that all experts but one have a choice, and that one the rest.
TEST(GpuExpertTiles, are_as_many_as_choices_can_make) {
  for (const std::uint32_t n_experts : {1U, 3U, 9U, 128U}) {
    for (const std::uint32_t n_rows : {9U, 63U, 64U, 65U, 200U, 512U}) {
      LayerSpec layer = layer_of(8, 0);
      layer.n_experts = n_experts;
      layer.n_experts_used = std::min(n_experts, 2U);
      const GpuExpertTiles tiles = gpu_expert_tiles(layer, n_rows);
      const std::uint64_t n_choices = std::uint64_t{n_rows} * layer.n_experts_used;
      for (std::uint64_t n_single = 0; n_single < std::min<std::uint64_t>(n_experts, n_choices); ++n_single) {
        const std::uint64_t n_tiles = n_single + div_up(n_choices - n_single, kGpuTileRows);
        EXPECT_LE(n_tiles, tiles.most) << n_experts << " experts, " << n_rows << " rows";
      }
      EXPECT_GE(tiles.choices_at, 4 + 4 * std::uint64_t{tiles.most});
      EXPECT_EQ(tiles.n_words, tiles.choices_at + n_choices);
    }
  }
}

TEST(GpuScratch, has_room_for_tiles_of_experts_only_where_steps_have_many_rows) {
  ModelInfo model;
  model.d_model = 256;
  model.layers.assign(2, layer_of(8, 0));
  DeviceInfo vulkan;
  test::set_kind(vulkan, DeviceKind::kVulkan);
  EXPECT_EQ(gpu_scratch(model, vulkan, {}, 512).expert_rows_bytes, 0U);
  model.layers[1].n_experts = 16;
  model.layers[1].n_experts_used = 4;
  EXPECT_EQ(gpu_scratch(model, vulkan, {}, 512).expert_rows_bytes, Bytes{512} * 4 * 256 * 4);
  EXPECT_GT(gpu_scratch(model, vulkan, {}, 512).expert_tiles_bytes, 0U);
  EXPECT_EQ(gpu_scratch(model, vulkan, {}, kGpuFewRows).expert_rows_bytes, 0U);
  EXPECT_EQ(gpu_scratch(model, vulkan, {}, kGpuFewRows).expert_tiles_bytes, 0U);
  model.layers[1].n_experts = kGpuMostExperts + 1;
  EXPECT_EQ(gpu_scratch(model, vulkan, {}, 512).expert_rows_bytes, 0U);
}

TEST(GpuScratch, has_a_copy_of_the_inputs_for_cuda) {
  ModelInfo model;
  model.d_model = 256;
  model.n_vocab = 1000;
  model.layers.assign(2, layer_of(8, 0));
  DeviceInfo device;
  test::set_kind(device, DeviceKind::kVulkan);
  const Bytes without = gpu_scratch(model, device, {}, 512).total();
  EXPECT_EQ(gpu_scratch(model, device, {}, 512).inputs_bytes, 0U);
  test::set_kind(device, DeviceKind::kCuda);
  EXPECT_EQ(gpu_scratch(model, device, {}, 512).inputs_bytes, gpu_inputs(model, {}).answers_at * 4);
  EXPECT_EQ(gpu_scratch(model, device, {}, 512).total(), without + gpu_inputs(model, {}).answers_at * 4);
}

TEST(GpuRows, are_as_many_as_a_dispatch_has_workgroups_or_a_share_of_them_for_each_expert_of_a_row) {
  ModelInfo model = test::make_model(test::kLlama3_8B);
  EXPECT_EQ(gpu_most_rows(model, kMostGroups), 65535U);
  model.layers[3].n_experts = 64, model.layers[3].n_experts_used = 6;
  EXPECT_EQ(gpu_most_rows(model, kMostGroups), 10922U);
  EXPECT_EQ(gpu_most_rows(model, 0), std::numeric_limits<std::uint32_t>::max());
}

}  // namespace
}  // namespace headroom
