// Rows and bytes that follow from what a model is: of caches, and of weights in the layouts of devices.
#include <gtest/gtest.h>

#include "model/model_info.h"
#include "model/weight_layout.h"

namespace headroom {
namespace {

TEST(LayerSpec, exact_ends_are_sinks_and_a_tail_with_a_batch_within_an_eighth) {
  LayerSpec layer;
  EXPECT_EQ(layer.kv_f16_rows(32768, 256), (KvF16Rows{128, 512 + 256}));
  EXPECT_EQ(layer.kv_f16_rows(131072, 256), (KvF16Rows{128, 1024 + 256}));
  EXPECT_EQ(layer.kv_f16_rows(1048576, 256), (KvF16Rows{128, 1024 + 256}));
  EXPECT_EQ(layer.kv_f16_rows(98304, 256), (KvF16Rows{128, 768 + 256}));
  EXPECT_EQ(layer.kv_f16_rows(16384, 256), (KvF16Rows{128, 512 + 256}));
  EXPECT_EQ(layer.kv_f16_rows(6144, 100), (KvF16Rows{128, 384 + 128})) << "a batch of 100 takes whole groups";
  EXPECT_EQ(layer.kv_f16_rows(4096, 64), (KvF16Rows{128, 256 + 64}));
  EXPECT_EQ(layer.kv_f16_rows(4096, 256), (KvF16Rows{128, 384})) << "an eighth";
  EXPECT_EQ(layer.kv_f16_rows(4095, 256), (KvF16Rows{128, 384}));
  EXPECT_EQ(layer.kv_f16_rows(2048, 256), (KvF16Rows{64, 192})) << "an eighth, a quarter of it sinks";
  EXPECT_EQ(layer.kv_f16_rows(512, 256), (KvF16Rows{32, 32}));
  EXPECT_EQ(layer.kv_f16_rows(256, 256), (KvF16Rows{0, 32}));
  EXPECT_EQ(layer.kv_f16_rows(224, 256), (KvF16Rows{0, 0}));
  layer.attention = AttentionKind::kWindow;
  layer.window = 4096;
  EXPECT_EQ(layer.kv_f16_rows(32768, 256), (KvF16Rows{0, 288 + 256}))
      << "a window does not see the first positions for long";
}

TEST(LayerSpec, kv_rows_and_bytes_know_windows_and_block_padding) {
  LayerSpec layer;
  layer.n_kv_heads = 2, layer.head_dim = 80;
  EXPECT_EQ(layer.kv_rows(1000, 256), 1024U);
  EXPECT_EQ(layer.kv_row_bytes(DType::kF16), 2U * 160);
  EXPECT_EQ(layer.kv_row_bytes(DType::kQ8_0), 2U * 3 * 34);  // 80 elements take three blocks of 32
  EXPECT_EQ(layer.kv_row_bytes(DType::kF8E4M3), 2U * 82);
  layer.attention = AttentionKind::kWindow;
  layer.window = 100;
  EXPECT_EQ(layer.kv_rows(1000, 60), 160U);
  EXPECT_EQ(layer.kv_rows(96, 60), 96U);
}

TEST(WeightLayout, panels_are_whole_rows_are_those_of_the_file_and_vectors_are_f32) {
  WeightTensor weight;
  weight.role = TensorRole::kUp;
  weight.dtype = DType::kQ4_K;
  weight.n_rows = 17, weight.n_cols = 512;
  EXPECT_EQ(weight_bytes(weight, WeightLayout::kPanels), 32U * 2 * 144);
  EXPECT_EQ(weight_bytes(weight, WeightLayout::kRows), 17U * 2 * 144);
  weight.role = TensorRole::kFfnNorm;
  weight.dtype = DType::kF16;
  weight.n_rows = 1;
  EXPECT_EQ(weight_bytes(weight, WeightLayout::kPanels), 2048U);
  EXPECT_EQ(weight_bytes(weight, WeightLayout::kRows), 2048U);
}

}  // namespace
}  // namespace headroom
