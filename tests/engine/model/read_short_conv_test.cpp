// Short convolutions as files state them: which layers they are, their sizes, and what contradicts itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "engine/model/read_written.h"
#include "support/random_model.h"

namespace headroom {
namespace {

using test::RandomModelSpec;
using test::refusal;
using testing::AllOf;
using testing::HasSubstr;

RandomModelSpec five_layers() {
  RandomModelSpec spec = test::small("lfm2");
  spec.n_layers = 5;
  spec.attention_layers = {1, 4};
  spec.conv_width = 3;
  return spec;
}

TEST(ReadShortConv, layers_without_heads_of_keys_are_convolutions) {
  const RandomModelSpec spec = five_layers();
  const auto model = test::read_written(spec);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  std::string kinds;
  for (const LayerSpec& layer : model->layers) kinds += layer.short_conv ? 'c' : 'a';
  EXPECT_EQ(kinds, "cacca");
  EXPECT_EQ(model->n_recurrent_layers(), 3U);
  const LayerSpec& conv = model->layers[0];
  EXPECT_EQ(*conv.short_conv, (ShortConvSpec{spec.d_model, 3}));
  EXPECT_EQ(conv.state_bytes(), Bytes{2} * spec.d_model * 4);
  EXPECT_EQ(model->state_bytes(), 3 * conv.state_bytes());
  EXPECT_EQ(std::tuple(conv.mixed_dim(), conv.n_heads, conv.kv_rows(64, 8)), std::tuple(spec.d_model, 0U, 0U));
  EXPECT_FALSE(conv.has_attention() || conv.has_cache());
  EXPECT_TRUE(model->layers[1].has_qk_norm);
}

// b, c and y of the definition stand one behind the other.
TEST(ReadShortConv, three_weights_are_parts_of_one_tensor) {
  const RandomModelSpec spec = five_layers();
  const auto model = test::read_written(spec);
  ASSERT_TRUE(model.ok()) << model.error().message.text();
  const auto rows_of = [&](TensorRole role) {
    const WeightTensor& weight = *model->find_weight(role, 2);
    return std::tuple(weight.name, weight.rows.of(0) / spec.d_model, weight.n_rows);
  };
  const std::string in = "blk.2.shortconv.in_proj.weight";
  EXPECT_EQ(rows_of(TensorRole::kK), std::tuple(in, 0U, spec.d_model));
  EXPECT_EQ(rows_of(TensorRole::kQ), std::tuple(in, 1U, spec.d_model));
  EXPECT_EQ(rows_of(TensorRole::kV), std::tuple(in, 2U, spec.d_model));
  EXPECT_EQ(model->find_weight(TensorRole::kAttnOut, 2)->name, "blk.2.shortconv.out_proj.weight");
  const WeightTensor& taps = *model->find_weight(TensorRole::kConv, 2);
  EXPECT_EQ(std::tuple(taps.name, taps.n_rows, taps.n_cols),
            std::tuple(std::string("blk.2.shortconv.conv.weight"), spec.d_model, 3U));
  EXPECT_EQ(model->find_weight(TensorRole::kOutputNorm, -1)->name, "token_embd_norm.weight");
}

// Ollama's converter names it as other architectures do.
TEST(ReadShortConv, the_last_norm_may_have_its_usual_name) {
  RandomModelSpec spec = five_layers();
  for (const char* architecture : {"lfm2", "lfm2moe"}) {
    spec.architecture = architecture;
    spec.dense_d_ff = 96;
    spec.tensor_names = {{"token_embd_norm.weight", "output_norm.weight"}};
    const auto model = test::read_written(spec);
    ASSERT_TRUE(model.ok()) << model.error().message.text();
    EXPECT_EQ(model->find_weight(TensorRole::kOutputNorm, -1)->name, "output_norm.weight");
    spec.tensor_names = {{"token_embd_norm.weight", "last_norm.weight"}};
    EXPECT_EQ(refusal(test::read_written(spec)), "m.gguf: tensor 'token_embd_norm.weight' is missing");
  }
}

TEST(ReadShortConv, widths_that_no_kernel_has_are_refused_with_their_key) {
  for (const std::uint32_t width : {0U, 1U, 9U}) {
    RandomModelSpec spec = five_layers();
    spec.uint_keys = {{"shortconv.l_cache", width}};
    EXPECT_THAT(refusal(test::read_written(spec)), HasSubstr("'lfm2.shortconv.l_cache' is " + std::to_string(width)));
  }
}

TEST(ReadShortConv, a_width_that_is_not_that_of_the_taps_is_refused_with_their_tensor) {
  RandomModelSpec spec = five_layers();
  spec.uint_keys = {{"shortconv.l_cache", 4}};
  EXPECT_THAT(refusal(test::read_written(spec)),
              AllOf(HasSubstr("'blk.0.shortconv.conv.weight'"), HasSubstr("expected (4, ")));
}

// A layer that the key calls a convolution and that has the tensors of attention, and the other way round.
TEST(ReadShortConv, layers_with_tensors_of_the_other_kind_are_refused) {
  for (const auto& [counts, missing] : std::vector<std::pair<std::vector<std::uint32_t>, std::string>>{
           {{0, 0, 0, 0, 2}, "blk.1.shortconv.in_proj.weight"}, {{0, 2, 2, 0, 2}, "blk.2.attn_q.weight"}}) {
    RandomModelSpec spec = five_layers();
    spec.stated_kv_heads = counts;
    EXPECT_THAT(refusal(test::read_written(spec)), HasSubstr(missing));
  }
}

// Audio models of this family have windows, and a second embedding.
TEST(ReadShortConv, a_window_is_refused) {
  RandomModelSpec spec = five_layers();
  spec.window = 8;
  EXPECT_THAT(refusal(test::read_written(spec)), HasSubstr("'lfm2.attention.sliding_window' is 8"));
}

}  // namespace
}  // namespace headroom
